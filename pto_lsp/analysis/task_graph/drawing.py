"""What the drawn forms share: which edges are shown, and how a kind of edge looks without colour (graph-view.md §3)."""

from __future__ import annotations

from pto_lsp.analysis.node import node
from pto_lsp.analysis.task_graph.comparison import Comparison, Seen
from pto_lsp.analysis.task_graph.edges import Source
from pto_lsp.analysis.task_graph.model import Loop, Site, SiteKind
from pto_lsp.analysis.task_graph.regions import Overlap
from pto_lsp.analysis.task_graph.sitegraph import SiteEdge, SiteGraph
from pto_lsp.analysis.task_graph.text_view import reason


@node
class Line:
    """One drawn arrow. ``kind`` is "raw", "waw", "explicit", "owner", "false" (an order no data needs), "missing", or
    "observed" (a wait that only a record has).
    """

    pred: Site
    succ: Site
    kind: str
    label: str
    carried: bool


@node
class Box:
    """A loop or the function itself (``loop`` None): the sites and boxes directly in it, in source order."""

    loop: Loop | None
    items: tuple[Site | Box, ...]


NOT_RECORDED, RECORDED, ONLY_RECORDED = "⊘ not recorded", "✓", "⊕ only recorded"


def lines(sites: SiteGraph, comparison: Comparison | None = None) -> tuple[Line, ...]:
    """The transitive reduction, and always the edges the author wrote, false ones and those that are missing.

    With a comparison every label says whether the record has the wait too, and what only the record has comes last.
    """
    shown: dict[tuple[int, int, str], Line] = {}
    for edge in sites.edges:
        false = edge.needed is Overlap.MUST_NOT
        if edge.redundant and edge.source is not Source.EXPLICIT and not false:
            continue
        kind = _kind(edge)
        key = (edge.pred.index, edge.succ.index, kind)
        old = shown.get(key)
        label = f"✂ {reason(edge)}" if false else reason(edge)
        if comparison is not None:
            seen = comparison.of(edge.pred, edge.succ, edge.carried)
            label += "" if seen is None else f" {RECORDED}" if seen is Seen.BOTH else f" {NOT_RECORDED}"
        if old is None:
            shown[key] = Line(edge.pred, edge.succ, kind, label, edge.carried)
        elif label not in old.label.split("; "):
            shown[key] = Line(edge.pred, edge.succ, kind, f"{old.label}; {label}", old.carried and edge.carried)
    found = list(shown.values())
    for each in sites.missing:
        carried = any(steps for _, steps in each.distance)
        found.append(Line(each.pred, each.succ, "missing", f"{each.kind} {each.buffer.label} ?", carried))
    for (pred, succ, carried), count in () if comparison is None else comparison.only_observed():
        label = ONLY_RECORDED + (f" ×{count}" if count > 1 else "")
        found.append(Line(sites.sites[pred], sites.sites[succ], "observed", label, carried))
    return tuple(found)


def _kind(edge: SiteEdge) -> str:
    if edge.source is Source.EXPLICIT:
        return "explicit"
    if edge.needed is Overlap.MUST_NOT:
        return "false"
    if edge.source is Source.CREATOR:
        return "owner"
    return edge.hazard.lower()


def boxes(sites: SiteGraph) -> Box:
    """The nest of loop boxes around the sites."""
    return _box(None, list(sites.sites), 0)


def _box(loop: Loop | None, inside: list[Site], depth: int) -> Box:
    items: list[Site | Box] = []
    at = 0
    while at < len(inside):
        site = inside[at]
        if len(site.loops) <= depth:
            items.append(site)
            at += 1
            continue
        inner = site.loops[depth]
        end = at
        while end < len(inside) and len(inside[end].loops) > depth and inside[end].loops[depth] is inner:
            end += 1
        items.append(_box(inner, inside[at:end], depth + 1))
        at = end
    return Box(loop, tuple(items))


def is_grid(site: Site) -> bool:
    return site.kind is SiteKind.SPMD
