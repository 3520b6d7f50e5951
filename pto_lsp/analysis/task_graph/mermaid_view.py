"""The graph as a Mermaid flow chart (graph-view.md §6)."""

from __future__ import annotations

from pto_lsp.analysis.task_graph.comparison import Comparison
from pto_lsp.analysis.task_graph.drawing import Box, Line, boxes, lines
from pto_lsp.analysis.task_graph.graph import TaskGraph
from pto_lsp.analysis.task_graph.model import Site, SiteKind
from pto_lsp.analysis.task_graph.sitegraph import SiteGraph, fold, loop_title, multiplicity

EDGE_LIMIT = 150
"""Mermaid lays out no more than that in reasonable time; callers then use DOT."""

ARROWS = {
    "raw": "-->",
    "waw": "-->",
    "explicit": "==>",
    "owner": "-.->",
    "false": "-.->",
    "missing": "-.->",
    "observed": "-.->",
}
BRACKETS = {
    SiteKind.DUMMY: ("((", "))"),
    SiteKind.SPMD: ("[[", "]]"),
    SiteKind.GRAPH: ("{{", "}}"),
}


def fits(graph: TaskGraph) -> bool:
    return len(lines(fold(graph))) <= EDGE_LIMIT


def render(graph: TaskGraph, comparison: Comparison | None = None) -> str:
    """A ``flowchart LR`` with one subgraph per loop."""
    sites = fold(graph)
    out = ["flowchart LR"]
    _contents(sites, boxes(sites), "  ", out, [0])
    out += [f"  {_edge(each)}" for each in lines(sites, comparison)]
    return "\n".join(out) + "\n"


def _contents(sites: SiteGraph, box: Box, indent: str, out: list[str], count: list[int]) -> None:
    for item in box.items:
        if isinstance(item, Site):
            opening, closing = BRACKETS.get(item.kind, ("[", "]"))
            label = _escaped(f"{item.name} ×{multiplicity(sites.graph, item)}")
            out.append(f'{indent}n{item.index + 1}{opening}"{label}"{closing}')
            continue
        assert item.loop is not None
        count[0] += 1
        out.append(f'{indent}subgraph loop{count[0]}["{_escaped(loop_title(sites.graph, item.loop))}"]')
        _contents(sites, item, indent + "  ", out, count)
        out.append(f"{indent}end")


def _edge(each: Line) -> str:
    return f'n{each.pred.index + 1} {ARROWS[each.kind]}|"{_escaped(each.label)}"| n{each.succ.index + 1}'


def _escaped(text: str) -> str:
    return text.replace('"', "#quot;")
