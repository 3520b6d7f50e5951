"""``pto.taskPeers [uri, position]``: what the launch at a position waits for, and what waits for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lsprotocol import types

from pto_lsp.analysis.task_graph.checks.naming import task_name
from pto_lsp.analysis.task_graph.describe import predecessors, successors
from pto_lsp.analysis.task_graph.model import Site
from pto_lsp.analysis.task_graph.sitegraph import SiteGraph
from pto_lsp.server.commands.about import Answer, about
from pto_lsp.server.commands.arguments import Arguments
from pto_lsp.server.commands.graph_document import plain_range
from pto_lsp.server.features.inlined import inlined_calls
from pto_lsp.server.features.look import Look, site_spans

if TYPE_CHECKING:
    from pto_lsp.server.session import Session


def run(session: Session, arguments: Arguments) -> dict[str, Any]:
    """``{peers}``, each with ``uri``, ``range``, ``name``, ``relation`` ("before" or "after") and ``reasons``; or
    ``{message}``.
    """
    uri, position = arguments.text(0, "the address of a document"), arguments.position(1)
    return about(session, uri, lambda look: _peers(look, position))


def _peers(look: Look, position: types.Position) -> Answer:
    launches = _launches_at(look, look.offset(position))
    if not launches:
        return {"message": "no task is launched here"}
    found: dict[tuple[object, ...], Answer] = {}
    for relation, related in (("before", predecessors), ("after", successors)):
        for folded, sites in launches:
            for site in sites:
                for other, reasons in related(folded, site).items():
                    where = look.location(other.place)
                    if where is None or (other in sites and len(sites) > 1):
                        continue
                    start = where.range.start
                    peer = found.setdefault(
                        (relation, where.uri, start.line, start.character),
                        {
                            "uri": where.uri,
                            "range": plain_range(where.range),
                            "name": task_name(other),
                            "relation": relation,
                            "reasons": [],
                        },
                    )
                    peer["reasons"] += [reason for reason in reasons if reason not in peer["reasons"]]
    return {"peers": list(found.values())}


def _launches_at(look: Look, offset: int) -> list[tuple[SiteGraph, tuple[Site, ...]]]:
    """In each graph the innermost launch at an offset into the file, else the launches of the call spliced in there."""
    placed = look.placed_at(offset)
    if placed is None:
        return []
    source, start = placed[0].source, placed[1]
    found: list[tuple[int, SiteGraph, tuple[Site, ...]]] = []
    for folded, site in look.sites_at(source, offset - start):
        spans = site_spans(look, folded, site)
        if spans is not None:
            found.append((spans[0].end - spans[0].start, folded, (site,)))
    if not found:
        calls = [call for call in inlined_calls(look) if call.span.start <= offset <= call.span.end]
        found = [(call.span.end - call.span.start, call.folded, call.sites) for call in calls]
    smallest = min((size for size, _, _ in found), default=0)
    return [(folded, sites) for size, folded, sites in found if size == smallest]
