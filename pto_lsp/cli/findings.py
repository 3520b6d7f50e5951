"""The findings that concern one program of a file, as ``check`` would show them."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from pto_lsp.analysis.findings import Finding
from pto_lsp.analysis.frontend.module import Module
from pto_lsp.analysis.ir.place import SourceId
from pto_lsp.analysis.ir.program import Program
from pto_lsp.analysis.locate import diagnostic
from pto_lsp.checking import checked, never
from pto_lsp.config import SettingsResolver
from pto_lsp.diagnostics import Diagnostic
from pto_lsp.project import Project


def findings_of(
    project: Project, resolver: SettingsResolver, module: Module, program: Program, findings: Iterable[Finding]
) -> tuple[Diagnostic, ...]:
    """What is wrong in the functions of ``program`` and on the lines of ``module`` outside of functions.

    ``findings`` are those of the program; they are in it whichever file they are in. Suppressions and settings are
    applied, file by file.
    """
    checker = _WithProgram(project, tuple(findings))
    sources = {function.at.source for function in program.functions.values()}
    paths = dict.fromkeys((module.path, *sorted(source.path for source in sources)))
    found: list[Diagnostic] = []
    for path in paths:
        for each in checked(checker, path, resolver.for_file(path)):
            source = _function_around(project, each)
            if source in sources if source is not None else path == module.path:
                found.append(each)
    return tuple(found)


class _WithProgram:
    """The project, with a program's findings also in files that say nothing of them when checked by themselves."""

    def __init__(self, project: Project, findings: tuple[Finding, ...]) -> None:
        self._project = project
        self._findings = findings

    def text(self, path: str) -> str | None:
        return self._project.text(path)

    def check(self, path: str, cancelled: Callable[[], bool] = never) -> tuple[Diagnostic, ...]:
        found = dict.fromkeys(self._project.check(path, cancelled))
        for finding in self._findings:
            if finding.place.source.path == path:
                located = diagnostic(finding, self._project)
                if located is not None:
                    found[located] = None
        return tuple(found)


def _function_around(project: Project, found: Diagnostic) -> SourceId | None:
    """The DSL function in which a finding is."""
    module = project.module(found.path)
    if module is None:
        return None
    offset = module.document.line_table.offset(found.range.start.line, found.range.start.column)
    for placed in module.syntax.functions:
        start = module.start_of(placed.source)
        if start is not None and start <= offset < start + placed.found.end - placed.found.start:
            return placed.source
    return None
