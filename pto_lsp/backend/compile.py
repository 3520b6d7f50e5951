"""From an analysed program to the artefact folder that the host_build_graph toolchain takes.

Pure: nothing is read or written here. What ``check`` accepts is compiled; whether it is accepted the caller has asked.
"""

from __future__ import annotations

import os
from collections.abc import Callable

from pto_lsp.analysis.findings import Finding
from pto_lsp.analysis.graph_boundary.legalize import legalize
from pto_lsp.analysis.ir.place import Place, place
from pto_lsp.analysis.ir.program import Function, Program
from pto_lsp.analysis.locate import Locator, range_of
from pto_lsp.analysis.pipeline import ProgramAnalysis
from pto_lsp.backend.artefacts import MANIFEST, Artefacts
from pto_lsp.backend.folder import ForeignFolder, write
from pto_lsp.backend.manifest import kernel_path, manifest, orchestration_path
from pto_lsp.backend.orchestration.emit import Fault, emit_orchestration
from pto_lsp.backend.orchestration.errors import NotEmitted
from pto_lsp.backend.orchestration.symbols import spliced_symbols
from pto_lsp.backend.results import with_result_parameters

__all__ = ["Artefacts", "ForeignFolder", "KernelEmitter", "compile_entry", "write"]

KernelEmitter = Callable[[Program, Function, str, Callable[[Place], str]], str]
"""C++ of a function of a program for a core ("aic", "aiv"); the last names places. Raises `NotEmitted`."""


def compile_entry(
    analysis: ProgramAnalysis, entry: Function, locator: Locator, emit_kernel: KernelEmitter | None = None
) -> Artefacts:
    """Everything the program gives for ``entry``, a function of its last stage that starts tasks.

    Without ``emit_kernel`` there are no kernel sources, and nothing is found missing for that.
    """
    program = with_result_parameters(legalize(analysis.plan))
    entry = program.functions[entry.key]
    title = f"Orchestration of '{entry.name}' ({os.path.basename(entry.at.source.path)}); written by pto-lsp."
    orchestration = emit_orchestration(
        program, entry, lambda where: _line(where, locator), title, spliced_symbols(analysis.program)
    )
    findings = [_finding(fault) for fault in orchestration.faults]
    files: dict[str, str] = {}
    places: dict[str, tuple[Place | None, ...]] = {}
    if not orchestration.faults:
        files[orchestration_path(entry)] = orchestration.text
        places[orchestration_path(entry)] = orchestration.places
        files[MANIFEST] = manifest(entry, orchestration)
    if emit_kernel is not None:
        for kernel in orchestration.kernels:
            try:
                files[kernel_path(kernel)] = emit_kernel(
                    program, kernel.function, kernel.core, lambda where: _line(where, locator)
                )
            except NotEmitted as cause:
                finding = _finding(Fault(kernel.function, cause))
                # Both lanes of one task lack the same.
                if finding not in findings:
                    findings.append(finding)
    return Artefacts(entry.name, files, tuple(findings), orchestration.kernels, places)


def _finding(fault: Fault) -> Finding:
    name, cause = fault.function.name, fault.cause
    where = cause.place or place(fault.function.at, fault.function.name_span)
    return Finding("PTO007", cause.operation or name, where, f"in '{name}': no C++ code for {cause}", name)


def _line(where: Place, locator: Locator) -> str:
    """``model.py:12``: file and line as comments name them; the same wherever the file is and however it was named."""
    found = range_of(where, locator)
    return "" if found is None else f"{os.path.basename(where.source.path)}:{found.start.line + 1}"
