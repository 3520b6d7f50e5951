"""Which findings have a repair, and the repair itself: written, tried out in memory, and only then offered."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from pto_lsp.analysis.findings import Finding
from pto_lsp.analysis.locate import range_of
from pto_lsp.analysis.pipeline import ProgramAnalysis
from pto_lsp.diagnostics import Applicability, Diagnostic, Fix, Severity
from pto_lsp.project import Project
from pto_lsp.quickfix import registry
from pto_lsp.quickfix.context import Context
from pto_lsp.quickfix.rewriter import Conflict, Refused, Rewriter

Identity = tuple[str, Severity, str, str]


class FixEngine:
    """Repairs for the documents of one project. ``root`` gives the folder whose files may call a file's functions."""

    def __init__(self, project: Project, root: Callable[[str], str]) -> None:
        self._project = project
        self._root = root

    def title(self, diagnostic: Diagnostic) -> str | None:
        """What the repair of a finding is called, before it is known whether it can be written; None without one."""
        if diagnostic.fix is not None:
            return diagnostic.fix.title
        return registry.title(diagnostic) if diagnostic.code in registry.FIXABLE else None

    def fix(self, path: str, diagnostic: Diagnostic) -> Fix | None:
        """The repair of one finding of ``path``, proved by analysing the repaired texts; None when there is none."""
        try:
            return self.attempt(path, diagnostic)
        except Refused:
            return None

    def attempt(self, path: str, diagnostic: Diagnostic) -> Fix:
        """The same. Raises `Refused`, which says why there is none."""
        if diagnostic.fix is not None:
            return diagnostic.fix
        if diagnostic.code not in registry.FIXABLE:
            raise Refused("this kind of finding has no repair")
        found = self._finding(path, diagnostic)
        if found is None:
            raise Refused("the finding is gone")
        finding, program = found
        try:
            draft = registry.build(Context(self._project, finding, program, self._root))
            edits = draft.rewriter.text_edits(self._project)
        except Conflict:
            raise Refused("two parts of the repair would change the same text") from None
        if not edits:
            raise Refused("there is nothing to change")
        self._prove(path, diagnostic, draft.rewriter)
        files = len(draft.rewriter.paths)
        title = registry.title(diagnostic) + (f" ({files} files)" if files > 1 else "")
        return Fix(title, Applicability.SAFE if draft.safe else Applicability.UNSAFE, edits)

    def _finding(self, path: str, diagnostic: Diagnostic) -> tuple[Finding, ProgramAnalysis] | None:
        for program in self._project.analysis(path).programs:
            for finding in program.findings:
                about = (finding.code, finding.subject, finding.place.source.path)
                if about != (diagnostic.code, diagnostic.subject, path):
                    continue
                if range_of(finding.place, self._project) == diagnostic.range:
                    return finding, program
        return None

    def _prove(self, path: str, diagnostic: Diagnostic, rewriter: Rewriter) -> None:
        """Raises `Refused` unless the repaired texts lose the finding and gain none."""
        trial = self._project.copy()
        touched = sorted({path, *rewriter.paths})
        before = Counter(_identity(d) for each in touched for d in self._project.check(each))
        for each in rewriter.paths:
            trial.open(each, rewriter.applied(each, self._project.text(each) or ""))
        after = Counter(_identity(d) for each in touched for d in trial.check(each))
        gone = _identity(diagnostic)
        if after[gone] >= before[gone]:
            raise Refused("the finding would remain")
        for key, count in after.items():
            if count > before[key] and key[1] is not Severity.HINT:
                raise Refused(f"{key[0]} would come up for '{key[3]}'")


def _identity(diagnostic: Diagnostic) -> Identity:
    return (diagnostic.code, diagnostic.severity, diagnostic.path, diagnostic.subject)
