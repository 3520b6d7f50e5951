"""The graph in Graphviz's language; kinds of edges differ in style, arrow head and label, not in colour alone."""

from __future__ import annotations

from pto_lsp.analysis.task_graph.comparison import Comparison
from pto_lsp.analysis.task_graph.drawing import STALL, Box, Line, boxes, held, label_of, lines
from pto_lsp.analysis.task_graph.graph import TaskGraph
from pto_lsp.analysis.task_graph.model import Site, SiteKind
from pto_lsp.analysis.task_graph.nesting import GroupKind
from pto_lsp.analysis.task_graph.picture import Bar, Cloud, Picture
from pto_lsp.analysis.task_graph.reduction import EdgeMode
from pto_lsp.analysis.task_graph.sitegraph import fold

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
    "guard": 'style=dotted color="#1f5fbf" arrowhead=diamond',
    "untracked": 'style=dashed color="#888888" arrowhead=odot fontcolor="#666666" constraint=false',
    "observed": 'style="dashed,bold" color="#7a1fa2" arrowhead=vee fontcolor="#7a1fa2" constraint=false',
}

CLUSTERS = {
    GroupKind.LOOP: "",
    GroupKind.THEN: "style=dashed; ",
    GroupKind.ELSE: "style=dashed; ",
    GroupKind.MANUAL: 'style=striped; fillcolor="#ffffff:#f0f0f0:#ffffff:#f0f0f0:#ffffff"; ',
    GroupKind.INLINE: 'style=rounded; color="#888888"; ',
    GroupKind.UNKNOWN: 'style=dotted; color="#888888"; ',
}


def render(graph: TaskGraph, comparison: Comparison | None = None, mode: EdgeMode = EdgeMode.REDUCED) -> str:
    """A ``digraph`` with one cluster per loop, arm, manual scope and inlined call."""
    shown = Picture(fold(graph))
    arrows = lines(shown, comparison, mode)
    out = [
        f"digraph {_quoted(graph.function.name)} {{",
        "  rankdir=LR;",
        "  node [shape=box fontname=Helvetica];",
        "  edge [fontname=Helvetica fontsize=10];",
    ]
    names = Names()
    _contents(shown, boxes(shown), "  ", out, names)
    out += [f"  {_edge(each)}" for each in arrows]
    for bar in shown.bars:
        name = names.of(bar)
        out += [f"  n{site.index + 1} -> {name} [{STYLES['raw']}];" for site in bar.waits]
        out += [
            f'  {name} -> n{site.index + 1} [style=dotted arrowhead=none color="#888888"];'
            for site in held(shown, arrows, bar)
        ]
    out.append("}")
    return "\n".join(out) + "\n"


class Names:
    """Identifiers of what is drawn beside launches."""

    def __init__(self) -> None:
        self._known: dict[Bar | Cloud, str] = {}
        self.boxes = 0

    def of(self, item: Bar | Cloud) -> str:
        return self._known.setdefault(item, f"{'s' if isinstance(item, Bar) else 'u'}{len(self._known) + 1}")


def _contents(shown: Picture, box: Box, indent: str, out: list[str], names: Names) -> None:
    for item in box.items:
        if isinstance(item, Site):
            out.append(indent + _node(shown, item))
        elif isinstance(item, Bar):
            look = 'shape=box style=filled fillcolor="#222222" width=0.1 height=1.2 label=""'
            out.append(f"{indent}{names.of(item)} [{look} xlabel={_quoted(f'{item.title}: {STALL}')}];")
        elif isinstance(item, Cloud):
            label = _quoted(f"? {item.why}")
            out.append(f'{indent}{names.of(item)} [label={label} shape=ellipse style=dotted color="#888888"];')
        else:
            assert item.group is not None
            names.boxes += 1
            out.append(f"{indent}subgraph cluster_{names.boxes} {{")
            out.append(f"{indent}  {CLUSTERS[item.group.kind]}label={_quoted(item.group.title)};")
            _contents(shown, item, indent + "  ", out, names)
            out.append(f"{indent}}}")


def _node(shown: Picture, site: Site) -> str:
    shape = SHAPES.get(site.kind, "box")
    style = " style=dashed" if site.scope is not None else ""
    if site.index in shown.sites.opaque:
        style = " style=dotted"
    return f"n{site.index + 1} [label={_quoted(label_of(shown, site))} shape={shape}{style}];"


def _edge(each: Line) -> str:
    wide = " penwidth=3" if each.critical else ""
    return f"n{each.pred.index + 1} -> n{each.succ.index + 1} [label={_quoted(each.label)} {STYLES[each.kind]}{wide}];"


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
