"""Every safe repair of some files, in a fixed order, until there is nothing left to repair."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import accumulate

from pto_lsp.analysis.source.text import LineTable
from pto_lsp.checking import checked
from pto_lsp.config import Settings
from pto_lsp.diagnostics import Applicability, Diagnostic, Range, TextEdit
from pto_lsp.project import Project
from pto_lsp.quickfix.edits import apply_edits
from pto_lsp.quickfix.engine import FixEngine
from pto_lsp.quickfix.file_index import FileIndex
from pto_lsp.quickfix.registry import FIX_ORDER, HOISTS, Action
from pto_lsp.quickfix.rewriter import Refused

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
ROUNDS = 500
"""Repairs of one run. Each takes its finding away, so only a fault of ours could reach it."""


@dataclass(frozen=True, slots=True)
class Left:
    """A finding that has a repair which was not applied, and why."""

    diagnostic: Diagnostic
    reason: str


@dataclass(frozen=True, slots=True)
class Repaired:
    """``texts``: path → new content, of the files that change. ``fixed`` counts repairs.

    ``groups`` are the files of ``texts`` that have to change together, because one repair concerns them all.
    """

    texts: dict[str, str]
    groups: tuple[frozenset[str], ...]
    fixed: int
    left: tuple[Left, ...]


class FixAll:
    """Works on a copy of ``project``, which stays as it is. Repairs that reach beyond ``only`` are left, unless that is
    None.
    """

    def __init__(
        self,
        project: Project,
        root: Callable[[str], str],
        settings_for: Callable[[str], Settings],
        unsafe: bool = False,
        index: FileIndex | None = None,
        only: Collection[str] | None = None,
    ) -> None:
        self._only = only
        self._before = project
        self._trial = project.copy()
        self._engine = FixEngine(self._trial, root, index)
        self._settings_for = settings_for
        self._unsafe = unsafe
        self._changed: set[str] = set()
        self._groups: list[set[str]] = []
        self._fixed = 0

    def run(self, paths: Iterable[str]) -> Repaired:
        left: list[Left] = []
        for path in paths:
            left = [each for each in left if each.diagnostic.path != path]
            left += self._file(path)
        texts = {path: self._trial.text(path) or "" for path in sorted(self._changed)}
        texts = {path: text for path, text in texts.items() if text != self._before.text(path)}
        groups = [frozenset(group & texts.keys()) for group in self._groups]
        return Repaired(texts, tuple([group for group in groups if group]), self._fixed, tuple(left))

    def _file(self, path: str) -> list[Left]:
        refused: dict[tuple[str, str, str], Left] = {}
        for _ in range(ROUNDS):
            refused.clear()
            if not self._one(path, refused):
                break
        return list(refused.values())

    def _one(self, path: str, refused: dict[tuple[str, str, str], Left]) -> bool:
        """Apply the first repair that can be applied; notes what can not."""
        found = checked(self._trial, path, self._settings_for(path))
        order = {code: index for index, code in enumerate(FIX_ORDER)}
        repairable = [d for d in found if d.code in order or d.fix is not None]
        repairable.sort(key=lambda d: (order.get(d.code, len(order)), d.sort_key()))
        whole: set[str] = set()
        for diagnostic in repairable:
            if diagnostic.code in HOISTS and diagnostic.function not in whole:
                # All hoists of a Graph at once: one proof instead of many.
                whole.add(diagnostic.function)
                of_graph = [d for d in repairable if d.code in HOISTS and d.function == diagnostic.function]
                if len(of_graph) > 1 and self._apply(path, diagnostic, Action.GRAPH, len(of_graph)) is None:
                    return True
            reason = self._apply(path, diagnostic, Action.FIX, 1)
            if reason is None:
                return True
            refused[(diagnostic.code, diagnostic.subject, str(diagnostic.range))] = Left(diagnostic, reason)
        return False

    def _apply(self, path: str, diagnostic: Diagnostic, action: Action, count: int) -> str | None:
        """Why the repair was not applied; None when it was."""
        try:
            fix = self._engine.attempt(path, diagnostic, action)
        except Refused as why:
            return str(why)
        if fix.applicability is not Applicability.SAFE and not self._unsafe:
            return "it is not safe"
        paths = {edit.path for edit in fix.edits}
        if self._only is not None and not paths.issubset(self._only):
            return "it changes other files as well"
        joined = [group for group in self._groups if group & paths]
        self._groups = [group for group in self._groups if not group & paths] + [paths.union(*joined)]
        for each in paths:
            self._trial.open(each, apply_edits(self._trial.text(each) or "", fix.edits, each))
            self._changed.add(each)
        self._fixed += count
        return None


def line_edits(path: str, old: str, new: str) -> tuple[TextEdit, ...]:
    """Edits that turn ``old`` into ``new``, by whole lines."""
    before, after = _LINE.findall(old), _LINE.findall(new)
    table = LineTable(old)
    starts = [0, *accumulate(len(line) for line in before)]
    edits: list[TextEdit] = []
    for what, start, end, first, last in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if what != "equal":
            where = Range(table.position(starts[start]), table.position(starts[end]))
            edits.append(TextEdit(path, where, "".join(after[first:last])))
    return tuple(edits)
