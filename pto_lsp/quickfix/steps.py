"""Repairs in two steps: the second is written for the text that the first one leaves."""

from __future__ import annotations

import re
from dataclasses import replace
from difflib import SequenceMatcher
from itertools import accumulate

from pto_lsp.analysis.findings import Finding
from pto_lsp.analysis.pipeline import ProgramAnalysis
from pto_lsp.project import Project
from pto_lsp.quickfix import hoist_value
from pto_lsp.quickfix.context import Context, Draft
from pto_lsp.quickfix.rewriter import Refused, Rewriter

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")


def then_hoist(context: Context, first: Rewriter, name: str) -> Draft:
    """``first``, and then the hoist of the value that it binds to ``name`` in the function of the finding."""
    project = context.project
    trial = project.copy()
    for path in first.paths:
        trial.open(path, first.applied(path, project.text(path) or ""))
    finding, program = _hoist_of(trial, context.finding.place.source.path, name)
    draft = hoist_value.build(Context(trial, finding, program, context.root, context.index))
    whole = Rewriter()
    for path in sorted({*first.paths, *draft.rewriter.paths}):
        after = draft.rewriter.applied(path, trial.text(path) or "")
        _replace_differences(whole, path, project.text(path) or "", after)
    return replace(draft, rewriter=whole)


def _hoist_of(trial: Project, path: str, name: str) -> tuple[Finding, ProgramAnalysis]:
    for program in trial.analysis(path).programs:
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
