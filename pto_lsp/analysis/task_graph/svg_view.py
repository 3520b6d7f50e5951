"""The graph as a self-contained SVG: sites in layers from left to right by depth, loops as boxes."""

from __future__ import annotations

from html import escape

from pto_lsp.analysis.node import node
from pto_lsp.analysis.task_graph.comparison import Comparison
from pto_lsp.analysis.task_graph.drawing import Box, Line, boxes, is_grid, lines
from pto_lsp.analysis.task_graph.graph import TaskGraph
from pto_lsp.analysis.task_graph.model import Site, SiteKind
from pto_lsp.analysis.task_graph.sitegraph import SiteGraph, fold, loop_title, multiplicity

NODE_HEIGHT = 34
LAYER_GAP = 90
ROW_GAP = 26
MARGIN = 40
CHARACTER = 7

DASHES = {
    "raw": "",
    "waw": "8 2",
    "explicit": "",
    "owner": "2 3",
    "false": "6 2 1 2",
    "missing": "5 4",
    "observed": "10 3 2 3",
}
COLOURS = {
    "raw": "#222222",
    "waw": "#c46200",
    "explicit": "#1f5fbf",
    "owner": "#888888",
    "false": "#c46200",
    "missing": "#c00000",
    "observed": "#7a1fa2",
}
WIDTHS = {"raw": 1.4, "waw": 1.4, "explicit": 2.6, "owner": 1.0, "false": 1.4, "missing": 1.6, "observed": 2.0}


@node
class Placed:
    """Pixel rectangle of one site."""

    site: Site
    x: int
    y: int
    width: int


def render(graph: TaskGraph, comparison: Comparison | None = None) -> str:
    """The whole document."""
    sites = fold(graph)
    arrows = lines(sites, comparison)
    places = _layout(sites, arrows)
    right = max((p.x + p.width for p in places.values()), default=0) + MARGIN
    bottom = max((p.y + NODE_HEIGHT for p in places.values()), default=0) + MARGIN
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {right} {bottom}" width="{right}" height="{bottom}" '
        'font-family="Helvetica, Arial, sans-serif" font-size="12">',
        f"<title>{escape(graph.function.name)}</title>",
        "<defs>",
    ]
    for kind, colour in COLOURS.items():
        out.append(
            f'<marker id="{kind}" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto">'
            f'<path d="M0 0 L8 4 L0 8 z" fill="{colour}"/></marker>'
        )
    out.append("</defs>")
    _frames(sites, boxes(sites), places, 0, out)
    out += [_arrow(arrow, places) for arrow in arrows]
    out += [_node(sites, placed) for placed in places.values()]
    out.append("</svg>")
    return "\n".join(out) + "\n"


def _layout(sites: SiteGraph, arrows: tuple[Line, ...]) -> dict[int, Placed]:
    """Layers by longest path over the arrows that go forward in source order; rows in source order."""
    layer = {site.index: 0 for site in sites.sites}
    forward = sorted(
        (a.succ.index, a.pred.index)
        for a in arrows
        if a.kind not in ("missing", "observed") and a.pred.index < a.succ.index
    )
    for succ, pred in forward:
        layer[succ] = max(layer[succ], layer[pred] + 1)
    widths: dict[int, int] = {}
    for site in sites.sites:
        at = layer[site.index]
        widths[at] = max(widths.get(at, 0), len(_label(sites, site)) * CHARACTER + 24)
    left: dict[int, int] = {}
    x = MARGIN
    for at in sorted(widths):
        left[at] = x
        x += widths[at] + LAYER_GAP
    rows: dict[int, int] = {}
    places: dict[int, Placed] = {}
    for site in sites.sites:
        at = layer[site.index]
        row = rows.get(at, 0)
        rows[at] = row + 1
        places[site.index] = Placed(site, left[at], MARGIN + row * (NODE_HEIGHT + ROW_GAP), widths[at])
    return places


def _label(sites: SiteGraph, site: Site) -> str:
    count = multiplicity(sites.graph, site)
    return site.name if count == "1" else f"{site.name} ×{count}"


def _frames(sites: SiteGraph, box: Box, places: dict[int, Placed], depth: int, out: list[str]) -> None:
    for item in box.items:
        if isinstance(item, Site):
            continue
        inside = [places[site.index] for site in _sites(item)]
        pad = max(6, 16 - 4 * depth)
        x = min(p.x for p in inside) - pad
        y = min(p.y for p in inside) - pad
        width = max(p.x + p.width for p in inside) + pad - x
        height = max(p.y + NODE_HEIGHT for p in inside) + pad - y
        assert item.loop is not None
        out.append(
            f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="6" fill="none" stroke="#999999" '
            f'stroke-dasharray="1 2"/><text x="{x + 4}" y="{y - 3}" fill="#666666" font-size="10">'
            f"{escape(loop_title(sites.graph, item.loop))}</text>"
        )
        _frames(sites, item, places, depth + 1, out)


def _sites(box: Box) -> list[Site]:
    found: list[Site] = []
    for item in box.items:
        found += [item] if isinstance(item, Site) else _sites(item)
    return found


def _node(sites: SiteGraph, placed: Placed) -> str:
    site = placed.site
    dash = ' stroke-dasharray="4 2"' if site.scope is not None else ""
    radius = NODE_HEIGHT // 2 if site.kind is SiteKind.DUMMY else 4
    outline = ""
    if is_grid(site):
        outline = (
            f'<rect x="{placed.x + 4}" y="{placed.y + 4}" width="{placed.width}" height="{NODE_HEIGHT}" rx="4" '
            'fill="none" stroke="#444444"/>'
        )
    return (
        f'{outline}<rect x="{placed.x}" y="{placed.y}" width="{placed.width}" height="{NODE_HEIGHT}" rx="{radius}" '
        f'fill="#ffffff" stroke="#222222"{dash}/><text x="{placed.x + placed.width // 2}" '
        f'y="{placed.y + NODE_HEIGHT // 2 + 4}" text-anchor="middle">{escape(_label(sites, site))}</text>'
    )


def _arrow(arrow: Line, places: dict[int, Placed]) -> str:
    a, b = places[arrow.pred.index], places[arrow.succ.index]
    dash = f' stroke-dasharray="{DASHES[arrow.kind]}"' if DASHES[arrow.kind] else ""
    style = f'stroke="{COLOURS[arrow.kind]}" stroke-width="{WIDTHS[arrow.kind]}"{dash} fill="none"'
    middle = NODE_HEIGHT // 2
    if b.x > a.x:
        x1, y1, x2, y2 = a.x + a.width, a.y + middle, b.x, b.y + middle
        bend = (x2 - x1) // 2
        path = f"M{x1} {y1} C{x1 + bend} {y1} {x2 - bend} {y2} {x2} {y2}"
        tx, ty = (x1 + x2) // 2, (y1 + y2) // 2 - 4
    else:
        # Backwards, within a layer or to itself: around the bottom, as a loop-carried edge leaves and re-enters.
        x1, y1, x2, y2 = a.x + a.width, a.y + middle, b.x, b.y + middle
        low = max(y1, y2) + NODE_HEIGHT
        path = f"M{x1} {y1} C{x1 + 40} {low} {x2 - 40} {low} {x2} {y2}"
        tx, ty = (x1 + x2) // 2, low - 6
    label = f'<text x="{tx}" y="{ty}" text-anchor="middle" font-size="10" fill="{COLOURS[arrow.kind]}">'
    return f'<path d="{path}" {style} marker-end="url(#{arrow.kind})"/>{label}{escape(arrow.label)}</text>'
