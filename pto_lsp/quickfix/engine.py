"""Which findings have a repair, and the repair itself: written, tried out in memory, and only then offered."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable

from pto_lsp.analysis.findings import Finding
from pto_lsp.analysis.frontend.constants.values import Value
from pto_lsp.analysis.locate import range_of
from pto_lsp.analysis.pipeline import ProgramAnalysis
from pto_lsp.diagnostics import Applicability, Diagnostic, Fix, Severity
from pto_lsp.project import Project
from pto_lsp.quickfix.callers import callers_of, files_around
from pto_lsp.quickfix.hoist import Closures, Hoist, Refused
from pto_lsp.quickfix.places import FunctionText, function_text
from pto_lsp.quickfix.rewriter import Conflict, Rewriter

HOISTS = frozenset({"PTO101", "PTO201", "PTO301"})
FIXABLE = HOISTS


class FixEngine:
    """Repairs for the documents of one project. ``root`` gives the folder whose files may call a file's functions."""

    def __init__(self, project: Project, root: Callable[[str], str]) -> None:
        self._project = project
        self._root = root

    def fix(self, path: str, diagnostic: Diagnostic) -> Fix | None:
        """The repair of one finding of ``path``, proved by analysing the repaired texts; None when there is none."""
        if diagnostic.code not in FIXABLE:
            return None
        found = self._finding(path, diagnostic)
        if found is None:
            return None
        finding, program = found
        try:
            rewriter, complete = self._hoist(finding, program)
            edits = rewriter.text_edits(self._project)
        except (Refused, Conflict):
            return None
        if not edits or not self._proved(path, diagnostic, rewriter):
            return None
        files = len(rewriter.paths)
        title = f"Hoist '{finding.subject}' to call site" + (f" ({files} files)" if files > 1 else "")
        return Fix(title, Applicability.SAFE if complete else Applicability.UNSAFE, edits)

    def _finding(self, path: str, diagnostic: Diagnostic) -> tuple[Finding, ProgramAnalysis] | None:
        for program in self._project.analysis(path).programs:
            for finding in program.findings:
                about = (finding.code, finding.subject, finding.place.source.path)
                if about != (diagnostic.code, diagnostic.subject, path):
                    continue
                if range_of(finding.place, self._project) == diagnostic.range:
                    return finding, program
        return None

    def _hoist(self, finding: Finding, program: ProgramAnalysis) -> tuple[Rewriter, bool]:
        data = dict(finding.data)
        plan = program.plan.graphs.get(str(data.get("graph")))
        text = function_text(self._project, finding.place.source)
        if plan is None or text is None:
            raise Refused("the Graph is gone")
        target = plan.function.at.source
        files = files_around(target.path, self._project.open_paths, self._root(target.path))
        callers = callers_of(self._project, self._project.linker, target, files)
        exported = os.path.exists(os.path.join(os.path.dirname(target.path), "__init__.py"))
        hoist = Hoist(plan, text, callers, Closures(self._lookup(text), self._lookup_in))
        hoist.run(frozenset({str(data.get("variable"))}))
        return hoist.rewriter, hoist.complete and not exported

    def _lookup(self, text: FunctionText) -> Callable[[str], Value]:
        closure = self._project.closure(text.path, text.module, text.placed)
        return closure.lookup

    def _lookup_in(self, text: FunctionText, name: str) -> Value:
        return self._project.closure(text.path, text.module, text.placed).lookup(name)

    def _proved(self, path: str, diagnostic: Diagnostic, rewriter: Rewriter) -> bool:
        """Whether the repaired texts lose the finding and gain none."""
        trial = self._project.copy()
        touched = sorted({path, *rewriter.paths})
        before = Counter(_identity(d) for each in touched for d in self._project.check(each))
        for each in rewriter.paths:
            trial.open(each, rewriter.applied(each, self._project.text(each) or ""))
        after = Counter(_identity(d) for each in touched for d in trial.check(each))
        gone = _identity(diagnostic)
        return after[gone] < before[gone] and not any(
            count > before[key] for key, count in after.items() if key[1] is not Severity.HINT
        )


def _identity(diagnostic: Diagnostic) -> tuple[str, Severity, str, str]:
    return (diagnostic.code, diagnostic.severity, diagnostic.path, diagnostic.subject)
