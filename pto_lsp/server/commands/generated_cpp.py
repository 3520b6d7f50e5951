"""``pto.generatedCpp [uri, position|null]``: the C++ of the function under the cursor."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from pto_lsp.analysis import entries
from pto_lsp.analysis.entries import Entry
from pto_lsp.analysis.ir.place import Place, SourceId
from pto_lsp.analysis.ir.program import Function, FunctionKind, Program
from pto_lsp.analysis.ir.visitor import walk_block
from pto_lsp.backend.artefacts import Artefacts
from pto_lsp.backend.compile import KernelEmitter, compile_entry
from pto_lsp.backend.kernels.emit import emit_kernel
from pto_lsp.backend.manifest import kernel_path
from pto_lsp.backend.shapes.specialize import specialized
from pto_lsp.project import Project
from pto_lsp.server.commands.about import Answer, about, selected_entry
from pto_lsp.server.commands.arguments import Arguments, Selection
from pto_lsp.server.compiling.store import folder_of
from pto_lsp.server.features.look import holds, holds_statement

if TYPE_CHECKING:
    from pto_lsp.server.features.look import Look
    from pto_lsp.server.session import Session

_ORIGIN = re.compile(r"// (\S+\.py):(\d+)")


def run(session: Session, arguments: Arguments) -> dict[str, Any]:
    """``{path, text, line}``: where `pto.compile` writes it, the whole file, and the line (0-based) that was made from
    what stands at the position; ``{message}`` where there is no code.
    """
    uri, wanted = arguments.text(0, "the address of a document"), arguments.selection(1)
    return about(session, uri, lambda look: _generated(session, look, wanted))


def _generated(session: Session, look: Look, wanted: Selection) -> Answer:
    entry = selected_entry(look, wanted, entries.orchestration_entry)
    if isinstance(entry, str):
        return {"message": entry}
    is_graph = entry.named is not None and entry.named.kind is FunctionKind.GRAPH
    function = entry.launcher if is_graph else entry.orchestration
    if function is None:
        return {"message": f"nothing launches '{entry.root.name}'" if is_graph else "nothing here starts a task"}
    shaped = specialized(look.project, look.module, Entry(entry.root, entry.analysis, function), {})
    function = shaped.entry.orchestration or function
    at = None if wanted.position is None else _Cursor.of(look, wanted.position, shaped.project)
    artefacts = compile_entry(shaped.entry.analysis, function, shaped.project, _only_at(at))
    name, line = (artefacts.orchestration, 0) if at is None else _place(at, artefacts)
    if not artefacts.files.get(name):
        return {"message": artefacts.findings[0].message if artefacts.findings else f"there is no {name}"}
    folder = folder_of(look.module.path, artefacts.entry, session.settings_for(look.module.path))
    return {"path": os.path.join(folder, *name.split("/")), "text": artefacts.files[name], "line": line}


@dataclass(frozen=True, slots=True)
class _Cursor:
    """``offset`` into the text of ``source``; ``line`` of the file, 1-based."""

    source: SourceId
    offset: int
    line: int

    @staticmethod
    def of(look: Look, position: types.Position, shaped: Project) -> _Cursor | None:
        """In ``shaped``, where annotations may be longer but every line is the same one."""
        module = shaped.module(look.module.path)
        line, column = look.table.position(look.offset(position))
        if module is None:
            return None
        table = module.document.line_table
        offset = table.offset(line, min(column, len(table.line_text(line))))
        for placed in module.syntax.functions:
            start = module.document.chunk_start(placed.chunk_index) + placed.found.start
            if start <= offset <= start + placed.found.end - placed.found.start:
                return _Cursor(placed.source, offset - start, line + 1)
        return None


def _only_at(at: _Cursor | None) -> KernelEmitter:
    """Code for the kernels at the cursor: what the others look like nobody asked."""

    def emit(program: Program, function: Function, core: str, locate: Callable[[Place], str]) -> str:
        return emit_kernel(program, function, core, locate) if at is not None and _is_in(function, at) else ""

    return emit


def _place(at: _Cursor, artefacts: Artefacts) -> tuple[str, int]:
    """Which file, and which of its lines."""
    for kernel in artefacts.kernels:
        if _is_in(kernel.function, at):
            path = kernel_path(kernel)
            return path, _kernel_line(artefacts.files.get(path, ""), at)
    return artefacts.orchestration, _orchestration_line(artefacts, at)


def _is_in(kernel: Function, at: _Cursor) -> bool:
    """Whether a kernel is written at the cursor: as a function, or as a region of one."""
    if not kernel.generated:
        return kernel.at.source is at.source
    return any(holds_statement(stmt, at.source, at.offset) for stmt in walk_block(kernel.body or ()))


def _kernel_line(text: str, at: _Cursor) -> int:
    """Behind the last comment that names the cursor's line or one above it; else the beginning of the code."""
    best, found = -1, 0
    for number, line in enumerate(text.splitlines()):
        match = _ORIGIN.search(line)
        if match is not None and match[1] == os.path.basename(at.source.path) and best < int(match[2]) <= at.line:
            best, found = int(match[2]), number + 1
        elif best < 0 and "kernel_entry(" in line:
            found = number
    return found


def _orchestration_line(artefacts: Artefacts, at: _Cursor) -> int:
    """The first line made from the narrowest statement at the cursor, else the first one of the same function."""
    lines = artefacts.files.get(artefacts.orchestration, "").splitlines()
    best, length = 0, -1
    for number, place in enumerate(artefacts.places.get(artefacts.orchestration, ())):
        if place is None or place.source is not at.source or lines[number].lstrip().startswith("//"):
            continue
        size = place.span.end - place.span.start if holds(place.span, at.offset) else sys.maxsize
        if length < 0 or size < length:
            best, length = number, size
    return best
