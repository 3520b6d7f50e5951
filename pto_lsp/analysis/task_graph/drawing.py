"""What the drawn forms share: what is shown, in which boxes, and how a kind of edge looks without colour
(graph-view.md §3).
"""

from __future__ import annotations

from typing import Union

from pto_lsp.analysis.node import node
from pto_lsp.analysis.task_graph.comparison import Comparison, Seen
from pto_lsp.analysis.task_graph.edges import Source
from pto_lsp.analysis.task_graph.model import Site, SiteKind
from pto_lsp.analysis.task_graph.nesting import Group, Nest
from pto_lsp.analysis.task_graph.picture import Bar, Cloud, Picture
from pto_lsp.analysis.task_graph.reduction import EdgeMode, shown_edges
from pto_lsp.analysis.task_graph.regions import Overlap
from pto_lsp.analysis.task_graph.sitegraph import SiteEdge, multiplicity
from pto_lsp.analysis.task_graph.text_view import STALL, reason


@node
class Line:
    """One drawn arrow. ``kind`` is "raw", "waw", "explicit", "owner", "false" (an order no data needs), "missing",
    "guard" (decides a predicate), "untracked" (a wait opted out of, which nobody can check), or "observed" (a wait that
    only a record has). ``critical``: on the longest chain.
    """

    pred: Site
    succ: Site
    kind: str
    label: str
    carried: bool
    critical: bool = False


@node
class Box:
    """A group, or the function itself (``group`` None): what is directly in it, in the order of the text."""

    group: Group | None
    items: tuple[Item, ...]


Item = Union[Site, Bar, Cloud, Box]

__all__ = ["STALL", "Box", "Line", "boxes", "held", "label_of", "lines"]

NOT_RECORDED, RECORDED, ONLY_RECORDED = "⊘ not recorded", "✓", "⊕ only recorded"


def lines(shown: Picture, comparison: Comparison | None = None, mode: EdgeMode = EdgeMode.REDUCED) -> tuple[Line, ...]:
    """The waits that ``mode`` selects, and always the edges the author wrote, false ones and those that are missing.

    With a comparison every label says whether the record has the wait too, and what only the record has comes last.
    """
    sites = shown.sites
    found: dict[tuple[int, int, str], Line] = {}
    for edge in shown_edges(sites, mode):
        kind = _kind(edge)
        key = (edge.pred.index, edge.succ.index, kind)
        critical = (edge.pred.index, edge.succ.index, edge.carried) in shown.critical.edges
        label = f"✂ {reason(edge)}" if kind == "false" else reason(edge)
        if comparison is not None:
            seen = comparison.of(edge.pred, edge.succ, edge.carried)
            label += "" if seen is None else f" {RECORDED}" if seen is Seen.BOTH else f" {NOT_RECORDED}"
        old = found.get(key)
        if old is None:
            found[key] = Line(edge.pred, edge.succ, kind, label, edge.carried, critical)
            continue
        if label not in old.label.split("; "):
            label = f"{old.label}; {label}"
        else:
            label = old.label
        found[key] = Line(edge.pred, edge.succ, kind, label, old.carried and edge.carried, old.critical or critical)
    result = list(found.values())
    for each in sites.missing:
        carried = any(steps for _, steps in each.distance)
        result.append(Line(each.pred, each.succ, "missing", f"{each.kind} {each.buffer.label} ?", carried))
    for guard in shown.guards:
        label = f"guard {guard.buffer.label}" + ("" if guard.ordered else " ?")
        result.append(Line(guard.pred, guard.succ, "guard", label, any(steps for _, steps in guard.distance)))
    for claim in shown.untracked:
        if claim.overlap is Overlap.MAY:
            label = f"{claim.buffer.label} not tracked ?"
            result.append(Line(claim.pred, claim.succ, "untracked", label, any(n for _, n in claim.distance)))
    for (pred, succ, carried), count in () if comparison is None else comparison.only_observed():
        label = ONLY_RECORDED + (f" ×{count}" if count > 1 else "")
        result.append(Line(sites.sites[pred], sites.sites[succ], "observed", label, carried))
    return tuple(result)


def _kind(edge: SiteEdge) -> str:
    if edge.source is Source.EXPLICIT:
        return "explicit"
    if edge.needed is Overlap.MUST_NOT:
        return "false"
    if edge.source is Source.CREATOR:
        return "owner"
    return edge.hazard.lower()


def boxes(shown: Picture) -> Box:
    """The nest of boxes around launches, bars and clouds."""
    placed: list[tuple[float, Nest, Site | Bar | Cloud]] = [
        (site.index, shown.nest(site), site) for site in shown.sites.sites
    ]
    # Between the launch before it and the one after it.
    placed += [(bar.spot.after - 0.5, bar.spot.nest, bar) for bar in shown.bars]
    placed += [(cloud.spot.after - 0.4, cloud.spot.nest, cloud) for cloud in shown.lone_clouds]
    placed.sort(key=lambda each: each[0])
    return _box(None, [(nest, item) for _, nest, item in placed], 0)


def _box(group: Group | None, inside: list[tuple[Nest, Site | Bar | Cloud]], depth: int) -> Box:
    items: list[Item] = []
    at = 0
    while at < len(inside):
        nest, item = inside[at]
        if len(nest) <= depth:
            items.append(item)
            at += 1
            continue
        inner, end = nest[depth], at
        while end < len(inside) and len(inside[end][0]) > depth and inside[end][0][depth] is inner:
            end += 1
        items.append(_box(inner, inside[at:end], depth + 1))
        at = end
    return Box(group, tuple(items))


def held(shown: Picture, arrows: tuple[Line, ...], bar: Bar) -> list[Site]:
    """The launches behind a bar that wait for no other launch behind it."""
    behind = {site.index for site in shown.sites.sites if site.index >= bar.spot.after}
    waiting = {line.succ.index for line in arrows if not line.carried and {line.pred.index, line.succ.index} <= behind}
    return [shown.sites.sites[index] for index in sorted(behind - waiting)]


def label_of(shown: Picture, site: Site) -> str:
    """The name, how often it is launched, and on how many blocks."""
    return f"{site.name} ×{multiplicity(shown.graph, site)}"


def is_grid(site: Site) -> bool:
    return site.kind is SiteKind.SPMD
