"""The graph as a self-contained SVG; kinds of lines differ by pattern, width and label, not in colour alone."""

from __future__ import annotations

from html import escape

from pto_lsp.analysis.task_graph.comparison import Comparison
from pto_lsp.analysis.task_graph.drawing import STALL, Box, boxes, is_grid, lines
from pto_lsp.analysis.task_graph.graph import TaskGraph
from pto_lsp.analysis.task_graph.model import Site, SiteKind
from pto_lsp.analysis.task_graph.nesting import GroupKind
from pto_lsp.analysis.task_graph.picture import Bar, Cloud, Picture
from pto_lsp.analysis.task_graph.reduction import EdgeMode
from pto_lsp.analysis.task_graph.sitegraph import fold, multiplicity
from pto_lsp.analysis.task_graph.svg_layout import SMALL, Placement, Rect, Route, place

DASHES = {
    "raw": "",
    "waw": "8 2",
    "explicit": "",
    "owner": "2 3",
    "false": "6 2 1 2",
    "missing": "5 4",
    "guard": "1.5 3.5",
    "untracked": "6 4",
    "observed": "10 3 2 3",
}
COLOURS = {
    "raw": "#222222",
    "waw": "#c46200",
    "explicit": "#1f5fbf",
    "owner": "#888888",
    "false": "#c46200",
    "missing": "#c00000",
    "guard": "#1f5fbf",
    "untracked": "#777777",
    "observed": "#7a1fa2",
}
WIDTHS = dict.fromkeys(COLOURS, 1.4) | {"explicit": 2.2, "owner": 1.0, "missing": 1.6, "guard": 2.0, "observed": 2.0}
CRITICAL = 1.6
"""What a line on the longest chain is wider."""

HALO = 'stroke="#ffffff" stroke-width="3" paint-order="stroke"'
"""Text that stays readable on a line."""

FRAMES = {
    GroupKind.LOOP: 'stroke="#999999" fill="#00000008"',
    GroupKind.THEN: 'stroke="#999999" stroke-dasharray="8 3" fill="none"',
    GroupKind.ELSE: 'stroke="#999999" stroke-dasharray="8 3" fill="none"',
    GroupKind.MANUAL: 'stroke="#777777" fill="url(#hatch)"',
    GroupKind.INLINE: 'stroke="#bbbbbb" fill="none"',
    GroupKind.UNKNOWN: 'stroke="#888888" stroke-dasharray="1 3" fill="none"',
}


def render(graph: TaskGraph, comparison: Comparison | None = None, mode: EdgeMode = EdgeMode.REDUCED) -> str:
    """The whole document."""
    shown = Picture(fold(graph))
    arrows = lines(shown, comparison, mode)
    labels = {site.index: _label(shown, site) for site in shown.sites.sites}
    placed = place(boxes(shown), arrows, labels)
    width, height = round(placed.width), round(placed.height)
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        'font-family="Helvetica, Arial, sans-serif" font-size="12">',
        f"<title>{escape(graph.function.name)}</title>",
        "<defs>",
        '<pattern id="hatch" width="7" height="7" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">'
        '<path d="M0 0 V7" stroke="#00000018" stroke-width="2"/></pattern>',
    ]
    for kind, colour in COLOURS.items():
        out.append(
            f'<marker id="{kind}" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="9" markerHeight="9" orient="auto" '
            f'markerUnits="userSpaceOnUse"><path d="M0 0 L8 4 L0 8 z" fill="{colour}"/></marker>'
        )
    out += [
        '<marker id="tail" viewBox="0 0 8 8" refX="4" refY="4" markerWidth="8" markerHeight="8" '
        f'markerUnits="userSpaceOnUse"><circle cx="4" cy="4" r="3" fill="{COLOURS["explicit"]}"/></marker>',
        "</defs>",
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
    ]
    out += [_frame(box, rect) for box, rect in placed.frames]
    out += [_arrow(route, placed) for route in placed.routes]
    out += [_bar(bar, rect, placed) for bar, rect in placed.bars]
    out += [_title(box, rect) for box, rect in placed.frames]
    out += [_cloud(cloud, rect) for cloud, rect in placed.clouds]
    for site in shown.sites.sites:
        if site.index in placed.sites:
            out.append(_node(shown, site, labels[site.index], placed.sites[site.index]))
    out.append("</svg>")
    return "\n".join(out) + "\n"


def _label(shown: Picture, site: Site) -> str:
    count = multiplicity(shown.graph, site)
    return site.name if count == "1" else f"{site.name} ×{count}"


def _text(x: float, y: float, text: str, attributes: str) -> str:
    return f'<text x="{x:.0f}" y="{y:.0f}" {attributes}>{escape(text)}</text>'


def _frame(box: Box, rect: Rect) -> str:
    assert box.group is not None
    look = FRAMES[box.group.kind]
    return (
        f'<rect x="{rect.x:.0f}" y="{rect.y:.0f}" width="{rect.width:.0f}" height="{rect.height:.0f}" rx="6" {look}/>'
    )


def _title(box: Box, rect: Rect) -> str:
    assert box.group is not None
    return _text(rect.x + 8, rect.y + 14, box.group.title, f'fill="#666666" font-size="10" {HALO}')


def _bar(bar: Bar, rect: Rect, placed: Placement) -> str:
    drawn = [
        f'<rect x="{rect.x:.0f}" y="{rect.y:.0f}" width="{rect.width:.0f}" height="{rect.height:.0f}" '
        f'fill="#222222" fill-opacity="0.75"><title>{escape(f"{bar.title}: {STALL}")}</title></rect>'
    ]
    for site in bar.waits:
        source = placed.sites.get(site.index)
        if source is not None:
            y = min(max(source.y + source.height / 2, rect.y + 6), rect.bottom - 6)
            start = source.y + source.height / 2
            drawn.append(
                f'<path d="M{source.right:.0f} {start:.0f} L{rect.x:.0f} {y:.0f}" stroke="{COLOURS["raw"]}" '
                'stroke-width="1.4" fill="none" marker-end="url(#raw)"/>'
            )
    drawn.append(
        _text(rect.x - 3, rect.y + 9, bar.title, f'text-anchor="end" font-size="10" font-weight="bold" {HALO}')
    )
    return "".join(drawn)


def _cloud(cloud: Cloud, rect: Rect) -> str:
    return (
        f'<rect x="{rect.x:.0f}" y="{rect.y:.0f}" width="{rect.width:.0f}" height="{rect.height:.0f}" '
        f'rx="{rect.height / 2:.0f}" fill="#ffffff" stroke="#777777" stroke-width="1.5" stroke-dasharray="1.5 3"/>'
        + _text(
            rect.x + rect.width / 2,
            rect.y + rect.height / 2 + 4,
            f"? {cloud.why}",
            'text-anchor="middle" font-size="10" fill="#666666"',
        )
    )


def _node(shown: Picture, site: Site, label: str, rect: Rect) -> str:
    dash = ' stroke-dasharray="4 2"' if site.scope is not None else ""
    if site.index in shown.sites.opaque:
        dash = ' stroke-dasharray="1.5 3"'
    radius = rect.height / 2 if site.kind is SiteKind.DUMMY else 4

    def box(offset: float, fill: str) -> str:
        inset = max(offset, 0.0) if site.kind is SiteKind.GRAPH else 0.0
        x, y = rect.x + offset, rect.y + offset
        return (
            f'<rect x="{x:.0f}" y="{y:.0f}" width="{rect.width - 2 * inset:.0f}" '
            f'height="{rect.height - 2 * inset:.0f}" rx="{radius:.0f}" fill="{fill}" stroke="#222222"{dash}/>'
        )

    # A task of many blocks has another one behind it, a Graph a double border.
    drawn = (box(4, "#ffffff") if is_grid(site) else "") + box(0, "#ffffff")
    if site.kind is SiteKind.GRAPH:
        drawn += box(3, "none")
    middle = (rect.x + rect.width / 2, rect.y + rect.height / 2 + 4)
    return drawn + _text(*middle, label, 'text-anchor="middle"')


def _arrow(route: Route, placed: Placement) -> str:
    line = route.line
    a, b = placed.sites[line.pred.index], placed.sites[line.succ.index]
    dash = f' stroke-dasharray="{DASHES[line.kind]}"' if DASHES[line.kind] else ""
    width = WIDTHS[line.kind] + (CRITICAL if line.critical else 0)
    tail = ' marker-start="url(#tail)"' if line.kind == "explicit" else ""
    style = f'stroke="{COLOURS[line.kind]}" stroke-width="{width:.1f}"{dash}{tail} fill="none"'
    y1 = a.y + a.height / 2
    look = f'font-size="10" fill="{COLOURS[line.kind]}" {HALO}'
    if route.lane is None:
        # The last piece is level, below its label.
        turn = max(b.x - len(line.label) * SMALL - 20, a.right + 4)
        bend = max((turn - a.right) / 2, 2)
        path = (
            f"M{a.right:.0f} {y1:.0f} C{a.right + bend:.0f} {y1:.0f} {turn - bend:.0f} {route.port:.0f} "
            f"{turn:.0f} {route.port:.0f} L{b.x:.0f} {route.port:.0f}"
        )
        label = _text(b.x - 12, route.port - 3, line.label, f'text-anchor="end" {look}')
    else:
        # Backwards, within a column or to itself: around the bottom, as a loop-carried edge leaves and re-enters.
        low, out_at, in_at = route.lane, a.bottom - 7, b.bottom - 7
        path = f"M{a.right:.0f} {out_at:.0f} H{a.right + 8:.0f} V{low:.0f} H{b.x - 10:.0f} V{in_at:.0f} H{b.x:.0f}"
        label = _text((a.right + b.x) / 2, low - 3, line.label, f'text-anchor="middle" {look}')
    return f'<path d="{path}" {style} marker-end="url(#{line.kind})"/>{label}'
