"""The graph as a Mermaid flow chart (graph-view.md §6)."""

from __future__ import annotations

from pto_lsp.analysis.task_graph.comparison import Comparison
from pto_lsp.analysis.task_graph.dot_view import Names
from pto_lsp.analysis.task_graph.drawing import STALL, Box, Line, boxes, held, label_of, lines
from pto_lsp.analysis.task_graph.graph import TaskGraph
from pto_lsp.analysis.task_graph.model import Site, SiteKind
from pto_lsp.analysis.task_graph.picture import Bar, Cloud, Picture
from pto_lsp.analysis.task_graph.reduction import EdgeMode
from pto_lsp.analysis.task_graph.sitegraph import fold

EDGE_LIMIT = 150
"""Mermaid lays out no more than that in reasonable time; callers then use DOT."""

ARROWS = {
    "raw": "-->",
    "waw": "-->",
    "explicit": "==>",
    "owner": "-.->",
    "false": "-.->",
    "missing": "-.->",
    "guard": "-.->",
    "untracked": "-.->",
    "observed": "-.->",
}
BRACKETS = {
    SiteKind.DUMMY: ("((", "))"),
    SiteKind.SPMD: ("[[", "]]"),
    SiteKind.GRAPH: ("{{", "}}"),
}


def fits(graph: TaskGraph, mode: EdgeMode = EdgeMode.REDUCED) -> bool:
    return len(lines(Picture(fold(graph)), mode=mode)) <= EDGE_LIMIT


def render(graph: TaskGraph, comparison: Comparison | None = None, mode: EdgeMode = EdgeMode.REDUCED) -> str:
    """A ``flowchart LR`` with one subgraph per loop, arm, manual scope and inlined call."""
    shown = Picture(fold(graph))
    arrows = lines(shown, comparison, mode)
    out = ["flowchart LR"]
    names = Names()
    _contents(shown, boxes(shown), "  ", out, names)
    out += [f"  {_edge(each)}" for each in arrows]
    for bar in shown.bars:
        name = names.of(bar)
        out += [f"  n{site.index + 1} --> {name}" for site in bar.waits]
        out += [f"  {name} -.- n{site.index + 1}" for site in held(shown, arrows, bar)]
    return "\n".join(out) + "\n"


def _contents(shown: Picture, box: Box, indent: str, out: list[str], names: Names) -> None:
    for item in box.items:
        if isinstance(item, Site):
            opening, closing = BRACKETS.get(item.kind, ("[", "]"))
            out.append(f'{indent}n{item.index + 1}{opening}"{_escaped(label_of(shown, item))}"{closing}')
        elif isinstance(item, Bar):
            out.append(f'{indent}{names.of(item)}>"{_escaped(f"{item.title}: {STALL}")}"]')
        elif isinstance(item, Cloud):
            out.append(f'{indent}{names.of(item)}(["{_escaped(f"? {item.why}")}"])')
            out.append(f"{indent}style {names.of(item)} stroke-dasharray: 2 3")
        else:
            assert item.group is not None
            names.boxes += 1
            out.append(f'{indent}subgraph {item.group.kind.value}{names.boxes}["{_escaped(item.group.title)}"]')
            _contents(shown, item, indent + "  ", out, names)
            out.append(f"{indent}end")


def _edge(each: Line) -> str:
    return f'n{each.pred.index + 1} {ARROWS[each.kind]}|"{_escaped(each.label)}"| n{each.succ.index + 1}'


def _escaped(text: str) -> str:
    return text.replace('"', "#quot;")
