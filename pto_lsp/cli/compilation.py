"""Compiling one entry as users see it: refused, or made, with what is missing. The command and the server come here.

Running one begins in the same way, with `judged`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pto_lsp.backend.compile import compile_entry
from pto_lsp.backend.kernels.emit import emit_kernel
from pto_lsp.backend.shapes.shape import Shape
from pto_lsp.backend.shapes.specialize import Specialized, specialized
from pto_lsp.cli.findings import of_program, unsilenced
from pto_lsp.diagnostics import Diagnostic, Severity

if TYPE_CHECKING:
    from pto_lsp.analysis.entries import Entry
    from pto_lsp.analysis.frontend.module import Module
    from pto_lsp.backend.artefacts import Artefacts
    from pto_lsp.backend.shapes.factories import Number
    from pto_lsp.config import SettingsResolver
    from pto_lsp.project import Project


@dataclass(frozen=True, slots=True)
class Compilation:
    """``artefacts`` is None for a program that is refused: ``findings`` has errors then, those of ``check``.

    ``missing`` are the findings of what has no C++ (PTO007). Places in the artefacts are places of ``shaped.project``.
    """

    findings: tuple[Diagnostic, ...]
    artefacts: Artefacts | None = None
    missing: tuple[Diagnostic, ...] = ()
    shaped: Specialized | None = None

    @property
    def complete(self) -> bool:
        """Whether everything was made."""
        return self.artefacts is not None and self.artefacts.runs_tasks and not self.artefacts.findings

    @property
    def open(self) -> tuple[str, ...]:
        """Parameters whose shape nothing says."""
        return self.shaped.open if self.shaped is not None else ()


@dataclass(frozen=True, slots=True)
class Judged:
    """``shaped`` is the entry with the shapes that are known; None when ``check`` refuses it as it is written.

    ``findings`` are those of ``check``, or what a shape made visible.
    """

    findings: tuple[Diagnostic, ...]
    shaped: Specialized | None = None

    @property
    def refused(self) -> bool:
        return any(each.severity is Severity.ERROR for each in self.findings)


def judged(
    project: Project,
    resolver: SettingsResolver,
    module: Module,
    entry: Entry,
    given: Mapping[str, Shape],
    numbers: Mapping[str, Number] | None = None,
) -> Judged:
    """``entry`` of ``module``, which starts tasks; ``given`` are shapes of its parameters, ``numbers`` arguments of
    the Python functions it is made in.

    Raises `pto_lsp.backend.shapes.specialize.Contradiction`.
    """
    written = Judged(of_program(project, resolver, module, entry.analysis))
    if written.refused:
        return written
    shaped = specialized(project, module, entry, given, numbers)
    if shaped.project is not project:
        # What a shape makes visible: an extent that changes from call to call, say.
        again = of_program(shaped.project, resolver, module, shaped.entry.analysis)
        judgement = Judged(tuple([shaped.original(each) for each in again]), shaped)
        if judgement.refused:
            return judgement
    return Judged(written.findings, shaped)


def compiled(
    project: Project,
    resolver: SettingsResolver,
    module: Module,
    entry: Entry,
    given: Mapping[str, Shape],
    numbers: Mapping[str, Number] | None = None,
) -> Compilation:
    """As `judged`, and then made."""
    judgement = judged(project, resolver, module, entry, given, numbers)
    shaped = judgement.shaped
    if judgement.refused or shaped is None:
        return Compilation(judgement.findings, shaped=shaped)
    function = shaped.entry.orchestration
    assert function is not None
    artefacts = compile_entry(shaped.entry.analysis, function, shaped.project, emit_kernel)
    missing = unsilenced(shaped.project, resolver, artefacts.findings)
    return Compilation(judgement.findings, artefacts, tuple([shaped.original(each) for each in missing]), shaped)


def shape_hint(name: str) -> str:
    """What to say of an open parameter where something has no C++."""
    return f"nothing says the type and shape of '{name}'"
