"""``pto.taskGraph [uri, {position}|{function}|null, format, view, tasks]``: which launch waits for which.

In JSON the view is by launches, by the tasks of two iterations of each loop, or by all tasks, of which no more than
``tasks`` are given.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from pto_lsp.analysis.ir.program import FunctionKind
from pto_lsp.analysis.task_graph import dot_view, mermaid_view, svg_view, text_view
from pto_lsp.analysis.task_graph.graph import TaskGraph
from pto_lsp.analysis.task_graph.instances import FIRST, MOST, unrollable
from pto_lsp.analysis.task_graph.picture import Picture
from pto_lsp.analysis.task_graph.sitegraph import SiteGraph, fold
from pto_lsp.server.commands.about import Answer, about
from pto_lsp.server.commands.arguments import Arguments, Selection
from pto_lsp.server.commands.graph_document import graph_document, task_graph_document

if TYPE_CHECKING:
    from pto_lsp.server.features.look import Look
    from pto_lsp.server.session import Session

VIEWS = ("launches", "iterations", "unrolled")
FORMATS = ("json", "text", "dot", "mermaid", "svg")


def run(session: Session, arguments: Arguments) -> dict[str, Any]:
    """``{functions, selected, graph}`` for JSON, else ``{text}``; ``{message}`` where nothing launches tasks.

    Where there is no such view the graph is the one by launches, and ``message`` says why.
    """
    uri = arguments.text(0, "the address of a document")
    wanted, form = arguments.selection(1), arguments.choice(2, FORMATS)
    view, tasks = arguments.choice(3, VIEWS), arguments.optional_count(4)
    return about(session, uri, lambda look: _shown(look, wanted, form, view, FIRST if tasks is None else tasks))


def _shown(look: Look, wanted: Selection, form: str, view: str, tasks: int) -> Answer:
    named = _by_name(look)
    if not named:
        return {"message": "nothing in this file launches tasks", "functions": []}
    name = _selected(look, wanted, named)
    if name is None:
        return {"message": f"'{wanted.function}' launches no tasks", "functions": list(named)}
    folded = look.picture(named[name])
    if form == "json":
        answer: Answer = {"functions": list(named), "selected": name}
        return answer | _by_tasks(look, folded, view, tasks)
    return {"text": _RENDERED[form](look, folded.graph)}


def _by_tasks(look: Look, folded: SiteGraph, view: str, tasks: int) -> Answer:
    whole = Picture(folded)
    if view == "unrolled":
        why = unrollable(whole)
        if not why:
            return {"graph": task_graph_document(look, whole, whole, view, tasks)}
        return {"graph": graph_document(look, folded), "message": why}
    if view == "iterations":
        graph = folded.graph
        # With a limit that nothing keeps, loops of more than two trips are walked for two.
        shown = Picture(fold(graph.analyser.graph(graph.function, 0)))
        return {"graph": task_graph_document(look, shown, whole, view, MOST)}
    return {"graph": graph_document(look, folded)}


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
