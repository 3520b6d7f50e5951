"""Which findings have a repair, and the repair itself: written, tried out in memory, and only then offered."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from pto_lsp.analysis.findings import Finding
from pto_lsp.analysis.ir.place import SourceId
from pto_lsp.analysis.locate import range_of
from pto_lsp.analysis.pipeline import ProgramAnalysis
from pto_lsp.diagnostics import Applicability, Diagnostic, Fix
from pto_lsp.project import Project
from pto_lsp.quickfix import registry
from pto_lsp.quickfix.callers import Callers
from pto_lsp.quickfix.context import Context, Draft
from pto_lsp.quickfix.file_index import FileIndex
from pto_lsp.quickfix.proof import prove
from pto_lsp.quickfix.registry import Action
from pto_lsp.quickfix.rewriter import Conflict, Refused

T = TypeVar("T")
Key = tuple[Action, str, Diagnostic]


class FixEngine:
    """Repairs for the documents of one project. ``root`` gives the folder whose files may call a file's functions.

    What it finds out it remembers until the project changes.
    """

    def __init__(self, project: Project, root: Callable[[str], str], index: FileIndex | None = None) -> None:
        self._project = project
        self._root = root
        self._index = index if index is not None else FileIndex()
        self._epoch = -1
        self._drafts: dict[Key, Draft | Refused] = {}
        self._callers: dict[SourceId, Callers] = {}
        self._proofs: dict[Key, bool | Refused] = {}

    def offer(self, path: str, diagnostic: Diagnostic, action: Action = Action.FIX) -> Fix | None:
        """The repair of one finding of ``path`` as written, not tried out yet; quick. None when there is none."""
        try:
            return self._written(path, diagnostic, action)
        except Refused:
            return None

    def fix(self, path: str, diagnostic: Diagnostic) -> Fix | None:
        """The repair of one finding of ``path``, proved by analysing the repaired texts; None when there is none."""
        try:
            return self.attempt(path, diagnostic)
        except Refused:
            return None

    def attempt(self, path: str, diagnostic: Diagnostic, action: Action = Action.FIX) -> Fix:
        """The same. Raises `Refused`, which says why there is none."""
        if diagnostic.fix is not None and action is Action.FIX:
            return diagnostic.fix
        fix = self._written(path, diagnostic, action)
        key = (action, path, diagnostic)
        if key not in self._proofs:
            draft = self._draft(path, diagnostic, action)
            self._proofs[key] = _caught(lambda: prove(self._project, draft, path, diagnostic))
        proof = _or_raise(self._proofs[key])
        return fix if proof else replace(fix, applicability=Applicability.UNSAFE)

    def finding(self, path: str, diagnostic: Diagnostic) -> tuple[Finding, ProgramAnalysis | None] | None:
        """What a diagnostic was made of, with the program it was found in; None for one found in the source alone."""
        analysis = self._project.analysis(path)
        for program in (*analysis.programs, None):
            for finding in program.findings if program is not None else analysis.findings:
                about = (finding.code, finding.subject, finding.place.source.path)
                if about != (diagnostic.code, diagnostic.subject, path):
                    continue
                if range_of(finding.place, self._project) == diagnostic.range:
                    return finding, program
        return None

    def _written(self, path: str, diagnostic: Diagnostic, action: Action) -> Fix:
        if diagnostic.fix is not None and action is Action.FIX:
            return diagnostic.fix
        if diagnostic.code not in registry.FIXABLE:
            raise Refused("this kind of finding has no repair")
        draft = self._draft(path, diagnostic, action)
        files = len(draft.rewriter.paths)
        title = (draft.title or registry.title(diagnostic, action)) + (f" ({files} files)" if files > 1 else "")
        safe = Applicability.SAFE if draft.safe else Applicability.UNSAFE
        return Fix(title, safe, draft.rewriter.text_edits(self._project))

    def _draft(self, path: str, diagnostic: Diagnostic, action: Action) -> Draft:
        if self._epoch != self._project.epoch:
            self._epoch = self._project.epoch
            self._drafts.clear()
            self._proofs.clear()
            self._callers.clear()
        key = (action, path, diagnostic)
        if key not in self._drafts:
            self._drafts[key] = _caught(lambda: self._build(path, diagnostic, action))
        return _or_raise(self._drafts[key])

    def _build(self, path: str, diagnostic: Diagnostic, action: Action) -> Draft:
        found = self.finding(path, diagnostic)
        if found is None:
            raise Refused("the finding is gone")
        draft = registry.build(Context(self._project, *found, self._root, self._index, self._callers), action)
        if not draft.rewriter.sorted():
            raise Refused("there is nothing to change")
        return draft


def _caught(compute: Callable[[], T]) -> T | Refused:
    try:
        return compute()
    except Refused as refused:
        return refused
    except Conflict:
        return Refused("two parts of the repair would change the same text")


def _or_raise(result: T | Refused) -> T:
    if isinstance(result, Refused):
        raise result
    return result
