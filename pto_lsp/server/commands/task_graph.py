"""``pto.taskGraph [uri, {position}|{function}|null, format]``: which launch waits for which, to be drawn or read."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from pto_lsp.analysis.ir.program import FunctionKind
from pto_lsp.analysis.task_graph import dot_view, mermaid_view, svg_view, text_view
from pto_lsp.analysis.task_graph.graph import TaskGraph
from pto_lsp.analysis.task_graph.sitegraph import SiteGraph
from pto_lsp.server.commands.about import Answer, about
from pto_lsp.server.commands.arguments import Arguments, Selection
from pto_lsp.server.commands.graph_document import graph_document

if TYPE_CHECKING:
    from pto_lsp.server.features.look import Look
    from pto_lsp.server.session import Session

FORMATS = ("json", "text", "dot", "mermaid", "svg")


def run(session: Session, arguments: Arguments) -> dict[str, Any]:
    """``{functions, selected, graph}`` for JSON, else ``{text}``; ``{message}`` where nothing launches tasks."""
    uri = arguments.text(0, "the address of a document")
    wanted, form = arguments.selection(1), arguments.choice(2, FORMATS)
    return about(session, uri, lambda look: _shown(look, wanted, form))


def _shown(look: Look, wanted: Selection, form: str) -> Answer:
    named = _by_name(look)
    if not named:
        return {"message": "nothing in this file launches tasks", "functions": []}
    name = _selected(look, wanted, named)
    if name is None:
        return {"message": f"'{wanted.function}' launches no tasks", "functions": list(named)}
    folded = look.picture(named[name])
    if form == "json":
        return {"functions": list(named), "selected": name, "graph": graph_document(look, folded)}
    return {"text": _RENDERED[form](look, folded.graph)}


_RENDERED: dict[str, Callable[[Look, TaskGraph], str]] = {
    "text": lambda look, graph: text_view.render(graph, look.locate),
    "dot": lambda look, graph: dot_view.render(graph),
    "mermaid": lambda look, graph: mermaid_view.render(graph) if mermaid_view.fits(graph) else dot_view.render(graph),
    "svg": lambda look, graph: svg_view.render(graph),
}


def _by_name(look: Look) -> dict[str, SiteGraph]:
    """The functions of this file that launch tasks, in the order of the text, then those of others it is part of."""
    graphs = sorted(look.graphs, key=lambda folded: _order(look, folded))
    found: dict[str, SiteGraph] = {}
    for folded in graphs:
        source, own = folded.graph.function.at.source, folded.graph.function.name
        name = source.qualname if source.qualname.rpartition(".")[2] == own else own
        number = 1
        while (key := name if number == 1 else f"{name} ({number})") in found:
            number += 1
        found[key] = folded
    return found


def _order(look: Look, folded: SiteGraph) -> tuple[bool, int]:
    source = folded.graph.function.at.source
    start = look.module.start_of(source) if source.path == look.module.path else None
    return start is None, start or 0


def _selected(look: Look, wanted: Selection, named: dict[str, SiteGraph]) -> str | None:
    if wanted.function is not None:
        return next((name for name, f in named.items() if wanted.function in (name, f.graph.function.name)), None)
    at = None if wanted.position is None else _around(look, wanted.position, named)
    launching = (name for name, f in named.items() if f.graph.function.kind is not FunctionKind.GRAPH)
    return at or next(launching, next(iter(named)))


def _around(look: Look, position: types.Position, named: dict[str, SiteGraph]) -> str | None:
    """The function that launches what stands at a position, else the one that it is, that it is part of, or that
    launches it.
    """
    found = look.placed_at(look.offset(position))
    if found is None:
        return None
    placed, start = found
    source = placed.source
    at = [folded for folded, _ in look.sites_at(source, look.offset(position) - start)]
    own = [folded for folded in named.values() if folded.graph.function.at.source is source]
    inside = [f for f in named.values() if any(site.place.source is source for site in f.sites)]
    calling = [f for f in named.values() if any(s.callee is not None and s.callee.at.source is source for s in f.sites)]
    wanted = next(iter((*at, *own, *inside, *calling)), None)
    return next((name for name, folded in named.items() if folded is wanted), None)
