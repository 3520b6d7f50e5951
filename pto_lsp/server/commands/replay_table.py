"""``pto.replayTable [uri, position|null]``: what each replay of a Graph uses beside what is right."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pto_lsp.analysis import entries
from pto_lsp.analysis.graph_boundary.legalize import legalize
from pto_lsp.analysis.replay.simulation import simulate
from pto_lsp.analysis.replay.table import replay_page
from pto_lsp.server.commands.about import Answer, about, selected_entry
from pto_lsp.server.commands.arguments import Arguments, Selection

if TYPE_CHECKING:
    from pto_lsp.server.features.look import Look
    from pto_lsp.server.session import Session


def run(session: Session, arguments: Arguments) -> dict[str, Any]:
    """``{markdown}``, or ``{message}`` where nothing is recorded."""
    uri, wanted = arguments.text(0, "the address of a document"), arguments.selection(1)
    return about(session, uri, lambda look: _table(look, wanted))


def _table(look: Look, wanted: Selection) -> Answer:
    entry = selected_entry(look, wanted, entries.graph_entry)
    if isinstance(entry, str):
        return {"message": entry}
    start = entry.recorded
    name = entry.root.name if start is None else start.name
    nothing: Answer = {"message": f"'{name}' calls no Graph: nothing is recorded"}
    if start is None:
        return nothing
    written = simulate(entry.analysis.stages.final, start.key)
    if not written.calls and not written.gaps:
        return nothing
    legalized = simulate(legalize(entry.analysis.plan), start.key)
    return {"markdown": f"# Replay of {name}\n\n{replay_page(written, legalized)}"}
