"""The document of a task graph (``analysis/task_graph/document.py``) with the places an editor jumps to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lsprotocol import types

from pto_lsp.analysis.ir.place import Place
from pto_lsp.analysis.task_graph.checks.naming import loop_place
from pto_lsp.analysis.task_graph.describe import argument_text, launch_summary
from pto_lsp.analysis.task_graph.document import document
from pto_lsp.analysis.task_graph.instances import task_document
from pto_lsp.analysis.task_graph.model import Site
from pto_lsp.analysis.task_graph.picture import Picture
from pto_lsp.analysis.task_graph.sitegraph import SiteGraph
from pto_lsp.server.features.look import site_spans

if TYPE_CHECKING:
    from pto_lsp.server.features.look import Look

Json = dict[str, Any]


def graph_document(look: Look, folded: SiteGraph) -> Json:
    """Each node has ``uri``, ``range`` (with its body) and ``selectionRange`` (its header), the calls it came through
    (``calls``, outermost first) and what the editor says of it (``summary``, of each argument ``text``); tensors,
    loops, groups, stalls and what is not known have ``uri`` and ``range``. Ranges are those of the protocol.
    """
    picture = Picture(folded)
    result = document(folded.graph, look.locate, shown=picture)
    for entry, site in zip(result["nodes"], folded.sites):
        entry.update(_of_site(look, folded, site))
        for argument, shown in zip(folded.arguments.get(site.index, ()), entry["args"]):
            shown["text"] = argument_text(folded.graph, site, argument)
    for entry, buffer in zip(result["tensors"], folded.buffers):
        entry.update(_range(look, buffer.at))
    for entry, loop in zip(result["loops"], folded.loops):
        entry.update(_range(look, loop_place(loop)))
    for entry, group in zip(result["groups"], picture.groups):
        entry.update(_range(look, group.place))
    _place_marks(look, result, picture)
    for entry, bar in zip(result["stalls"], picture.bars):
        entry.update(_range(look, bar.place))
    return result


def task_graph_document(look: Look, shown: Picture, whole: Picture, view: str, most: int) -> Json:
    """The same with tasks for nodes (``analysis/task_graph/instances.py``)."""
    result = task_document(shown, whole, look.locate, view, most)
    places = [_of_site(look, shown.sites, site) for site in shown.sites.sites]
    for entry, task in zip(result["nodes"], shown.graph.walk.tasks):
        entry.update(places[task.site.index])
        for argument, described in zip(task.arguments, entry["args"]):
            described["text"] = argument_text(shown.graph, task.site, argument)
    for entry, loop in zip(result["loops"], shown.sites.loops):
        entry.update(_range(look, loop_place(loop)))
    _place_marks(look, result, shown)
    return result


def _place_marks(look: Look, result: Json, shown: Picture) -> None:
    for entry, cloud in zip(result["unknown"], shown.clouds):
        entry.update(_range(look, cloud.place))
    for entry in result["missing"]:
        if entry["rule"] is not None:
            entry["code"] = f"PTO{600 + int(entry['rule'][2:])}"


def _of_site(look: Look, folded: SiteGraph, site: Site) -> Json:
    found = _range(look, site.place)
    if "range" in found:
        found["selectionRange"] = found["range"]
        spans = site_spans(look, folded, site)
        if spans is not None:
            found["range"] = plain_range(look.range(spans[0]))
    calls: list[Json] = []
    call = site.place.anchor.inlined_at
    while call is not None:
        calls.insert(0, _range(look, call))
        call = call.anchor.inlined_at
    if calls:
        found["calls"] = calls
    found["summary"] = launch_summary(folded, site)
    return found


def _range(look: Look, place: Place | None) -> Json:
    where = None if place is None else look.location(place)
    return {} if where is None else {"uri": where.uri, "range": plain_range(where.range)}


def plain_range(place: types.Range) -> Json:
    """As JSON has it."""
    return {
        end: {"line": at.line, "character": at.character} for end, at in (("start", place.start), ("end", place.end))
    }
