"""The graph as text for terminals and logs: one block per launch site (graph-view.md §6)."""

from __future__ import annotations

from pto_lsp.analysis.task_graph.document import Locate, line
from pto_lsp.analysis.task_graph.edges import Source
from pto_lsp.analysis.task_graph.graph import TaskGraph
from pto_lsp.analysis.task_graph.model import Site
from pto_lsp.analysis.task_graph.regions import Overlap
from pto_lsp.analysis.task_graph.sitegraph import Missing, SiteEdge, SiteGraph, fold, multiplicity
from pto_lsp.analysis.task_graph.summary import summarise


def render(graph: TaskGraph, locate: Locate) -> str:
    """The whole text, with a final newline."""
    sites = fold(graph)
    counts = summarise(graph)
    lines = [
        f"{graph.function.name}: {counts['tasks']} tasks ({counts['dummies']} dummies), {counts['edges']} edges, "
        f"depth {counts['depth']}, width {counts['width']}, roots {counts['roots']}, leaves {counts['leaves']}"
    ]
    for each in graph.walk.unknown:
        lines.append(f"  graph incomplete at L{line(each.place, locate)}: {each.why}")
    width = max((len(site.name) for site in sites.sites), default=0)
    for site in sites.sites:
        lines.append(_block(sites, site, width, locate))
    return "\n".join(lines) + "\n"


def _block(sites: SiteGraph, site: Site, width: int, locate: Locate) -> str:
    head = f"[{site.index + 1}] {site.name:<{width}}  {site.kind.value} at L{line(site.place, locate)}"
    head += f"  ×{multiplicity(sites.graph, site)}"
    badges = _badges(site)
    if badges:
        head += f"  {badges}"
    waits = [_wait(edge) for edge in sites.edges if edge.succ is site]
    after = [f"[{edge.succ.index + 1}] {edge.succ.name}" for edge in sites.edges if edge.pred is site]
    missing = [
        f"[{each.succ.index + 1}] {each.succ.name} (none: {each.kind} {each.buffer.label}{_carried(each)})"
        for each in sites.missing
        if each.pred is site
    ]
    parts = [head]
    if waits:
        parts.append("waits: " + ", ".join(dict.fromkeys(waits)))
    if after or missing:
        parts.append("then: " + ", ".join([*dict.fromkeys(after), *dict.fromkeys(missing)]))
    return "   ".join(parts)


def _wait(edge: SiteEdge) -> str:
    needed = "" if edge.needed is not Overlap.MUST_NOT else ", not needed"
    return f"[{edge.pred.index + 1}] {edge.pred.name} ({reason(edge)}{needed})"


def _badges(site: Site) -> str:
    options = getattr(site.call, "options", None)
    found = ["M"] if site.scope is not None else []
    if options is not None and options.predicate is not None:
        found.append("P")
    if options is not None and options.allow_early_resolve:
        found.append("E")
    return "".join(found)


def reason(edge: SiteEdge) -> str:
    """Why an edge is there: "RAW s", "explicit", with "i→i+1" when it crosses iterations."""
    name = "" if edge.buffer is None else f" {edge.buffer.label}"
    word = edge.source.value if edge.source is not Source.TENSORMAP else edge.hazard
    return f"{word}{name}{_carried(edge)}"


def _carried(edge: SiteEdge | Missing) -> str:
    for loop, steps in edge.distance:
        if steps:
            variable = getattr(loop, "var", None)
            name = "i" if variable is None else variable.label
            return f", {name}→{name}+{steps}"
    return ""
