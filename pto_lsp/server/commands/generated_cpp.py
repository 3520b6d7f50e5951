"""``pto.generatedCpp [uri, position|null]``: the C++ of the function under the cursor."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

from pto_lsp.analysis import entries
from pto_lsp.analysis.ir.place import SourceId
from pto_lsp.analysis.ir.program import Function, FunctionKind
from pto_lsp.analysis.ir.visitor import walk_block
from pto_lsp.backend.artefacts import Artefacts
from pto_lsp.backend.compile import compile_entry
from pto_lsp.backend.manifest import kernel_path
from pto_lsp.server.commands.about import Answer, about, selected_entry
from pto_lsp.server.commands.arguments import Arguments, Selection
from pto_lsp.server.compiling.store import folder_of
from pto_lsp.server.features.look import holds, holds_statement

if TYPE_CHECKING:
    from pto_lsp.server.features.look import Look
    from pto_lsp.server.session import Session


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
    artefacts = compile_entry(entry.analysis, function, look.project)
    name, line = _place(look, wanted, artefacts)
    if name not in artefacts.files:
        return {"message": artefacts.findings[0].message if artefacts.findings else f"there is no {name}"}
    folder = folder_of(look.module.path, artefacts.entry, session.settings_for(look.module.path))
    return {"path": os.path.join(folder, *name.split("/")), "text": artefacts.files[name], "line": line}


def _place(look: Look, wanted: Selection, artefacts: Artefacts) -> tuple[str, int]:
    """Which file, and which of its lines."""
    found = None if wanted.position is None else look.placed_at(look.offset(wanted.position))
    if wanted.position is None or found is None:
        return artefacts.orchestration, 0
    placed, start = found
    offset = look.offset(wanted.position) - start
    for kernel in artefacts.kernels:
        path = kernel_path(kernel)
        if _is_in(kernel.function, placed.source, offset) and (
            path in artefacts.files or not kernel.function.generated
        ):
            return path, _line(artefacts, path, placed.source, offset)
    return artefacts.orchestration, _line(artefacts, artefacts.orchestration, placed.source, offset)


def _is_in(kernel: Function, source: SourceId, offset: int) -> bool:
    """Whether a kernel is written at an offset into the text of ``source``: as a function, or as a region of one."""
    if not kernel.generated:
        return kernel.at.source is source
    return any(holds_statement(stmt, source, offset) for stmt in walk_block(kernel.body or ()))


def _line(artefacts: Artefacts, path: str, source: SourceId, offset: int) -> int:
    """The first line made from the narrowest statement at the offset, else the first one of the same function."""
    best, length = 0, -1
    lines = artefacts.files.get(path, "").splitlines()
    for line, place in enumerate(artefacts.places.get(path, ())):
        if place is None or place.source is not source or lines[line].lstrip().startswith("//"):
            continue
        size = place.span.end - place.span.start if holds(place.span, offset) else sys.maxsize
        if length < 0 or size < length:
            best, length = line, size
    return best
