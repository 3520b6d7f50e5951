"""The findings that concern one program of a file, as ``check`` would show them."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from pto_lsp.analysis.findings import Finding
from pto_lsp.analysis.frontend.module import Module
from pto_lsp.analysis.ir.place import SourceId
from pto_lsp.analysis.locate import diagnostic
from pto_lsp.analysis.pipeline import ProgramAnalysis
from pto_lsp.checking import checked, never
from pto_lsp.config import SettingsResolver
from pto_lsp.diagnostics import Diagnostic, Range
from pto_lsp.project import Project


def of_program(
    project: Project, resolver: SettingsResolver, module: Module, analysis: ProgramAnalysis
) -> tuple[Diagnostic, ...]:
    """What is wrong in the functions of a program, in whatever file, and on the lines of ``module`` outside of any.

    Suppressions and settings are applied, file by file.
    """
    checker = _WithFindings(project, analysis.findings)
    sources = {function.at.source for function in analysis.program.functions.values()}
    found: list[Diagnostic] = []
    for path in dict.fromkeys((module.path, *sorted(source.path for source in sources))):
        for each in checked(checker, path, resolver.for_file(path)):
            source = _function_around(project, each)
            if source in sources if source is not None else path == module.path:
                found.append(each)
    return tuple(found)


def unsilenced(project: Project, resolver: SettingsResolver, findings: Iterable[Finding]) -> tuple[Diagnostic, ...]:
    """Those of ``findings`` that no suppression and no setting silences."""
    checker = _WithFindings(project, findings)
    found: list[Diagnostic] = []
    for path in sorted(checker.located):
        kept = {_identity(each) for each in checker.located[path]}
        found += [each for each in checked(checker, path, resolver.for_file(path)) if _identity(each) in kept]
    return tuple(found)


class _WithFindings:
    """The project, with findings also in files that say nothing of them when checked by themselves."""

    def __init__(self, project: Project, findings: Iterable[Finding]) -> None:
        self._project = project
        self.located: dict[str, list[Diagnostic]] = {}
        for finding in findings:
            found = diagnostic(finding, project)
            if found is not None:
                self.located.setdefault(found.path, []).append(found)

    def text(self, path: str) -> str | None:
        return self._project.text(path)

    def check(self, path: str, cancelled: Callable[[], bool] = never) -> tuple[Diagnostic, ...]:
        found = {_identity(each): each for each in self._project.check(path, cancelled)}
        for each in self.located.get(path, ()):
            found.setdefault(_identity(each), each)
        return tuple(found.values())


def _identity(found: Diagnostic) -> tuple[str, str, Range, str]:
    """Whether a finding is the same does not depend on the words, which may tell how far loops were followed."""
    return (found.code, found.path, found.range, found.subject)


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
