"""Kernels of programs given as text."""

from __future__ import annotations

from pathlib import Path

from pto_lsp.analysis.graph_boundary.legalize import legalize
from pto_lsp.analysis.ir.place import Place
from pto_lsp.analysis.ir.program import Function, Program
from pto_lsp.analysis.locate import range_of
from pto_lsp.backend.kernels.emit import emit_kernel
from pto_lsp.backend.orchestration.errors import NotEmitted
from pto_lsp.backend.orchestration.kernels import cores
from pto_lsp.cli.program import Session

HEADER = "import pypto.language as pl\n\n"


def kernels(path: Path, text: str) -> tuple[Session, Program, list[Function]]:
    """The program of the first entry of ``text`` (without its import), and its kernels."""
    path.write_text(HEADER + text)
    session = Session()
    program = legalize(session.open(str(path)).orchestration_entry(None).analysis.plan)
    return session, program, [f for f in program.functions.values() if f.kind.is_kernel]


def source(path: Path, text: str) -> str:
    """The code of the only kernel."""
    session, program, (kernel,) = kernels(path, text)

    def locate(place: Place) -> str:
        found = session.locate(place)
        return "" if found is None else f"{path.name}:{found[1].start.line + 1}"

    return emit_kernel(program, kernel, "aic" if cores(program, kernel)[0] else "aiv", locate)


def refused(path: Path, text: str) -> tuple[NotEmitted, str]:
    """Why there is no code for the only kernel, and the text at the place that is named."""
    session, program, (kernel,) = kernels(path, text)
    try:
        emit_kernel(program, kernel, "aic" if cores(program, kernel)[0] else "aiv", lambda where: "")
    except NotEmitted as fault:
        assert fault.place is not None
        found = range_of(fault.place, session.project)
        assert found is not None
        lines = path.read_text().splitlines()
        if found.start.line != found.end.line:
            return fault, lines[found.start.line][found.start.column :]
        return fault, lines[found.start.line][found.start.column : found.end.column]
    raise AssertionError("there is code for it")
