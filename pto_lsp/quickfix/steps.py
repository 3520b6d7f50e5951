"""Repairs in several steps: each is written for the text that the one before it leaves."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from itertools import accumulate

from pto_lsp.analysis.findings import Finding
from pto_lsp.analysis.ir.program import FunctionKind
from pto_lsp.analysis.pipeline import ProgramAnalysis
from pto_lsp.quickfix import hoist_value
from pto_lsp.quickfix.context import Context, Draft
from pto_lsp.quickfix.drop_parameter import drop_parameter
from pto_lsp.quickfix.mentions import mentions
from pto_lsp.quickfix.rewriter import Refused, Rewriter

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")


class Steps:
    """Works on a copy of the project. ``context`` is that of the finding to repair."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._trial = context.project.copy()
        self._changed: set[str] = set()
        self._safe = True
        self._reveals: frozenset[str] = frozenset()

    def rewrite(self, rewriter: Rewriter) -> None:
        """Apply ``rewriter``, which was written for the present text."""
        for path in rewriter.paths:
            self._trial.open(path, rewriter.applied(path, self._trial.text(path) or ""))
            self._changed.add(path)

    def hoist(self, name: str) -> None:
        """Hoist the value that is bound to ``name`` in the function of the finding."""
        path = self._context.finding.place.source.path
        finding, program = self._hoist_of(path, name)
        context = Context(self._trial, finding, program, self._context.root, self._context.index)
        self._apply(hoist_value.build(context))

    def drop_unused(self, name: str) -> None:
        """Remove the parameter ``name`` of the Graph that the finding is in, where nothing uses it any more."""
        source = self._context.finding.place.source
        module = self._trial.module(source.path)
        placed = module.syntax.at(source.qualname, source.ordinal) if module is not None else None
        if placed is None or placed.found.declaration.kind is not FunctionKind.GRAPH:
            return
        context = Context(self._trial, self._context.finding, None, self._context.root, self._context.index)
        if all(mention.name != name for mention in mentions(context.text_of(placed.source))):
            self._apply(drop_parameter(context, placed.source, name))

    def draft(self, moves_memory: bool = False) -> Draft:
        """All steps as one repair of the text that the first one found."""
        whole = Rewriter()
        project = self._context.project
        for path in sorted(self._changed):
            _replace_differences(whole, path, project.text(path) or "", self._trial.text(path) or "")
        return Draft(whole, self._safe, moves_memory, self._reveals)

    def _apply(self, draft: Draft) -> None:
        self.rewrite(draft.rewriter)
        self._safe = self._safe and draft.safe
        self._reveals |= draft.reveals

    def _hoist_of(self, path: str, name: str) -> tuple[Finding, ProgramAnalysis]:
        for program in self._trial.analysis(path).programs:
            for finding in program.findings:
                about = (finding.subject, finding.place.source.path)
                if finding.code in hoist_value.CODES and about == (name, path):
                    return finding, program
        raise Refused("the value could not be hoisted once it has a name")


def _replace_differences(rewriter: Rewriter, path: str, old: str, new: str) -> None:
    """By lines, and within changed lines without what begins and ends alike."""
    before, after = _LINE.findall(old), _LINE.findall(new)
    starts = [0, *accumulate(len(line) for line in before)]
    for what, start, end, first, last in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if what == "equal":
            continue
        removed, added = old[starts[start] : starts[end]], "".join(after[first:last])
        head = 0
        while head < min(len(removed), len(added)) and removed[head] == added[head]:
            head += 1
        tail = 0
        while tail < min(len(removed), len(added)) - head and removed[-1 - tail] == added[-1 - tail]:
            tail += 1
        rewriter.replace(path, starts[start] + head, starts[end] - tail, added[head : len(added) - tail])
