"""Which findings have a repair, and the repair itself: written, tried out in memory, and only then offered."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from pto_lsp.analysis.findings import Finding
from pto_lsp.analysis.locate import range_of
from pto_lsp.analysis.pipeline import ModuleAnalysis, ProgramAnalysis
from pto_lsp.diagnostics import Applicability, Diagnostic, Fix, Severity
from pto_lsp.project import Project
from pto_lsp.quickfix import registry
from pto_lsp.quickfix.context import Context, Draft
from pto_lsp.quickfix.rewriter import Conflict, Refused
from pto_lsp.quickfix.tasks import streams

CALL_ARITY = "PTO414"
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
        safe = self._prove(path, diagnostic, draft) and draft.safe
        files = len(draft.rewriter.paths)
        title = registry.title(diagnostic) + (f" ({files} files)" if files > 1 else "")
        return Fix(title, Applicability.SAFE if safe else Applicability.UNSAFE, edits)

    def _finding(self, path: str, diagnostic: Diagnostic) -> tuple[Finding, ProgramAnalysis] | None:
        for program in self._project.analysis(path).programs:
            for finding in program.findings:
                about = (finding.code, finding.subject, finding.place.source.path)
                if about != (diagnostic.code, diagnostic.subject, path):
                    continue
                if range_of(finding.place, self._project) == diagnostic.range:
                    return finding, program
        return None

    def _prove(self, path: str, diagnostic: Diagnostic, draft: Draft) -> bool:
        """Raises `Refused` unless the repaired texts lose the finding, gain none and launch the same tasks.

        False when something the draft reveals comes up to stay.
        """
        project, rewriter = self._project, draft.rewriter
        trial = project.copy()
        touched = sorted({path, *rewriter.paths})
        before = Counter(_identity(d) for each in touched for d in project.check(each))
        for each in rewriter.paths:
            trial.open(each, rewriter.applied(each, project.text(each) or ""))
        after = Counter(_identity(d) for each in touched for d in trial.check(each))
        gone = _identity(diagnostic)
        if after[gone] >= before[gone]:
            raise Refused("the finding would remain")
        lasting = True
        for key, count in after.items():
            if count <= before[key] or key[1] is Severity.HINT:
                continue
            if key[0] == CALL_ARITY and not draft.safe:
                # A call that could not be rewritten: the author has to.
                continue
            if key[0] not in draft.reveals:
                raise Refused(f"{key[0]} would come up for '{key[3]}'")
            lasting = lasting and _passing(trial, touched)
        for each in touched if draft.safe else ():
            _compare(project.analysis(each), trial.analysis(each), not draft.moves_memory)
        return lasting


def _passing(trial: Project, paths: list[str]) -> bool:
    """Whether windows of one buffer share a boundary only until the other views are hoisted as well."""
    plans = [
        plan for each in paths for program in trial.analysis(each).programs for plan in program.plan.graphs.values()
    ]
    return not any(plan.in_place for plan in plans)


def _compare(before: ModuleAnalysis, after: ModuleAnalysis, memory: bool) -> None:
    """Raises `Refused` when an entry launches other tasks than before."""
    wanted = streams(before.programs, memory)
    for entry, stream in streams(after.programs, memory).items():
        if entry in wanted and wanted[entry].tasks != stream.tasks:
            raise Refused(f"'{entry[1]}' would launch other tasks")
        if entry in wanted and wanted[entry].right and not stream.right:
            raise Refused(f"a replay in '{entry[1]}' would go wrong")


def _identity(diagnostic: Diagnostic) -> Identity:
    return (diagnostic.code, diagnostic.severity, diagnostic.path, diagnostic.subject)
