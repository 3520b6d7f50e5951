"""Call hierarchy of launches: who calls is what a task waits for, who is called is what waits for it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from lsprotocol import types

from pto_lsp.analysis.task_graph.checks.naming import task_name
from pto_lsp.analysis.task_graph.describe import predecessors, successors
from pto_lsp.analysis.task_graph.model import Site
from pto_lsp.analysis.task_graph.sitegraph import SiteGraph
from pto_lsp.server.features.look import Look, site_spans


def prepare(look: Look, position: types.Position) -> list[types.CallHierarchyItem] | None:
    """The innermost launch at a position, once for each graph it is part of."""
    offset = look.offset(position)
    found = look.placed_at(offset)
    if found is None:
        return None
    placed, start = found
    sites = list(look.sites_at(placed.source, offset - start))
    spans = [(span, folded, site) for folded, site in sites if (span := site_spans(look, folded, site)) is not None]
    if not spans:
        return None
    smallest = min(whole.end - whole.start for (whole, _), _, _ in spans)
    items = [_item(look, folded, site) for (whole, _), folded, site in spans if whole.end - whole.start == smallest]
    return [item for item in items if item is not None] or None


def incoming(look: Look, item: types.CallHierarchyItem) -> list[types.CallHierarchyIncomingCall] | None:
    """The launches that ``item`` waits for."""
    return [
        types.CallHierarchyIncomingCall(other, [other.selection_range])
        for other, _ in _related(look, item, predecessors)
    ] or None


def outgoing(look: Look, item: types.CallHierarchyItem) -> list[types.CallHierarchyOutgoingCall] | None:
    """The launches that wait for ``item``."""
    return [
        types.CallHierarchyOutgoingCall(other, [own.selection_range]) for other, own in _related(look, item, successors)
    ] or None


def _related(
    look: Look, item: types.CallHierarchyItem, direction: Callable[[SiteGraph, Site], dict[Site, list[str]]]
) -> Iterator[tuple[types.CallHierarchyItem, types.CallHierarchyItem]]:
    for folded in look.graphs:
        for site in folded.sites:
            own = _item(look, folded, site)
            # Items are found again by their place: it and their graph are all that an edit elsewhere leaves alone.
            if own is None or own.selection_range != item.selection_range or own.data != item.data:
                continue
            for other, reasons in direction(folded, site).items():
                found = _item(look, folded, other, ", ".join(dict.fromkeys(reasons)))
                if found is not None:
                    yield found, own


def _item(look: Look, folded: SiteGraph, site: Site, detail: str = "") -> types.CallHierarchyItem | None:
    spans = site_spans(look, folded, site)
    if spans is None:
        return None
    whole, header = spans
    return types.CallHierarchyItem(
        task_name(site),
        types.SymbolKind.Event,
        look.uri,
        look.range(whole),
        look.range(header),
        detail=detail or f"task of '{folded.graph.function.name}'",
        data=folded.graph.function.key,
    )
