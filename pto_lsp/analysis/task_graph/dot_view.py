"""The graph in Graphviz's language; kinds of edges differ in style, arrow head and label, not in colour alone."""

from __future__ import annotations

from pto_lsp.analysis.task_graph.comparison import Comparison
from pto_lsp.analysis.task_graph.drawing import Box, Line, boxes, lines
from pto_lsp.analysis.task_graph.graph import TaskGraph
from pto_lsp.analysis.task_graph.model import Site, SiteKind
from pto_lsp.analysis.task_graph.sitegraph import SiteGraph, fold, loop_title, multiplicity

SHAPES = {
    SiteKind.DUMMY: "circle",
    SiteKind.SPMD: "box3d",
    SiteKind.GRAPH: "doubleoctagon",
    SiteKind.CLUSTER: "component",
}

STYLES = {
    "raw": 'style=solid color="#222222"',
    "waw": 'style=solid color="#c46200" arrowhead=empty',
    "explicit": 'style=bold color="#1f5fbf" dir=both arrowtail=dot',
    "owner": 'style=dotted color="#888888"',
    "false": 'style="dashed,bold" color="#c46200" arrowhead=tee',
    "missing": 'style=dashed color="#c00000" arrowhead=open fontcolor="#c00000" constraint=false',
    "observed": 'style="dashed,bold" color="#7a1fa2" arrowhead=vee fontcolor="#7a1fa2" constraint=false',
}


def render(graph: TaskGraph, comparison: Comparison | None = None) -> str:
    """A ``digraph`` with one cluster per loop."""
    sites = fold(graph)
    out = [
        f"digraph {_quoted(graph.function.name)} {{",
        "  rankdir=LR;",
        "  node [shape=box fontname=Helvetica];",
        "  edge [fontname=Helvetica fontsize=10];",
    ]
    _contents(sites, boxes(sites), "  ", out, [0])
    out += [f"  {_edge(each)}" for each in lines(sites, comparison)]
    out.append("}")
    return "\n".join(out) + "\n"


def _contents(sites: SiteGraph, box: Box, indent: str, out: list[str], count: list[int]) -> None:
    for item in box.items:
        if isinstance(item, Site):
            out.append(indent + _node(sites, item))
            continue
        assert item.loop is not None
        count[0] += 1
        out.append(f"{indent}subgraph cluster_{count[0]} {{")
        out.append(f"{indent}  label={_quoted(loop_title(sites.graph, item.loop))};")
        _contents(sites, item, indent + "  ", out, count)
        out.append(f"{indent}}}")


def _node(sites: SiteGraph, site: Site) -> str:
    shape = SHAPES.get(site.kind, "box")
    style = ' style="dashed"' if site.scope is not None else ""
    label = f"{site.name} ×{multiplicity(sites.graph, site)}"
    return f"n{site.index + 1} [label={_quoted(label)} shape={shape}{style}];"


def _edge(each: Line) -> str:
    return f"n{each.pred.index + 1} -> n{each.succ.index + 1} [label={_quoted(each.label)} {STYLES[each.kind]}];"


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
