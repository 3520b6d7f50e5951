"""The graph as text for terminals and logs: one block per launch site (graph-view.md §6)."""

from __future__ import annotations

from pto_lsp.analysis.task_graph.comparison import Comparison, Seen
from pto_lsp.analysis.task_graph.document import Locate, line
from pto_lsp.analysis.task_graph.edges import Source
from pto_lsp.analysis.task_graph.graph import TaskGraph
from pto_lsp.analysis.task_graph.model import Site
from pto_lsp.analysis.task_graph.nesting import GroupKind
from pto_lsp.analysis.task_graph.picture import Bar, Picture
from pto_lsp.analysis.task_graph.regions import Overlap
from pto_lsp.analysis.task_graph.sitegraph import Missing, SiteEdge, fold, multiplicity
from pto_lsp.analysis.task_graph.summary import summarise
from pto_lsp.analysis.task_graph.untracked import Untracked

_SHOWN = 8
_CHAIN = 12
STALL = "what follows is submitted later"


def render(graph: TaskGraph, locate: Locate, comparison: Comparison | None = None) -> str:
    """The whole text, with a final newline. With a comparison it also says what a record has of every wait."""
    shown = Picture(fold(graph))
    sites = shown.sites
    counts = summarise(graph)
    lines = [
        f"{graph.function.name}: {counts['tasks']} tasks ({counts['dummies']} dummies), {counts['edges']} edges, "
        f"depth {counts['depth']}, width {counts['width']}, roots {counts['roots']}, leaves {counts['leaves']}"
    ]
    if len(shown.critical.path) > 1:
        lines.append(f"  longest chain (in tasks, not in time): {_chain(shown)}")
    for each in graph.walk.unknown:
        lines.append(f"  graph incomplete at L{line(each.place, locate)}: {each.why}")
    lines += [] if comparison is None else comparison_text(comparison)
    width = max((len(site.name) for site in sites.sites), default=0)
    bars = list(shown.bars)
    for site in sites.sites:
        while bars and bars[0].spot.after <= site.index:
            lines.append(_stall(bars.pop(0), locate))
        lines.append(_block(shown, site, width, locate, comparison))
    lines += [_stall(bar, locate) for bar in bars]
    return "\n".join(lines) + "\n"


def _chain(shown: Picture) -> str:
    """``fill ×3 → use``: the tasks of the longest chain, neighbours of one launch together."""
    names: list[tuple[str, int]] = []
    for task in shown.critical.path:
        name = shown.graph.walk.tasks[task].site.name
        if names and names[-1][0] == name:
            names[-1] = (name, names[-1][1] + 1)
        else:
            names.append((name, 1))
    written = [name if count == 1 else f"{name} ×{count}" for name, count in names]
    if len(written) > _CHAIN:
        written[_CHAIN - 3 : -3] = ["…"]
    return " → ".join(written)


def _stall(bar: Bar, locate: Locate) -> str:
    waits = ", ".join(f"[{site.index + 1}] {site.name}" for site in bar.waits)
    return f"--- {bar.title}  control core at L{line(bar.place, locate)}   waits: {waits}   {STALL}"


def _block(shown: Picture, site: Site, width: int, locate: Locate, comparison: Comparison | None) -> str:
    sites = shown.sites
    head = f"[{site.index + 1}] {site.name:<{width}}  {site.kind.value} at L{line(site.place, locate)}"
    head += f"  ×{multiplicity(sites.graph, site)}"
    badges = _badges(site)
    if badges:
        head += f"  {badges}"
    arms = [group.title for group in shown.nest(site) if group.kind in (GroupKind.THEN, GroupKind.ELSE)]
    if arms:
        head += f"  ({'; '.join(arms)})"
    waits = [_wait(edge, comparison) for edge in sites.edges if edge.succ is site]
    after = [f"[{edge.succ.index + 1}] {edge.succ.name}" for edge in sites.edges if edge.pred is site]
    missing = [
        f"[{each.succ.index + 1}] {each.succ.name} (none: {each.kind} {each.buffer.label}{_carried(each)})"
        for each in sites.missing
        if each.pred is site
    ]
    for (pred, succ, _), count in () if comparison is None else comparison.only_observed():
        if succ == site.index:
            times = f", {count} times" if count > 1 else ""
            waits.append(f"[{pred + 1}] {sites.sites[pred].name} (only in the record{times})")
    guards = [f"[{g.pred.index + 1}] {g.pred.name} ({g.buffer.label})" for g in shown.guards if g.succ is site]
    claims = [
        f"[{each.pred.index + 1}] {each.pred.name} ({each.hazard} {each.buffer.label}{_carried(each)}: {each.text})"
        for each in shown.untracked
        if each.succ is site and each.overlap is not Overlap.MUST
    ]
    parts = [head]
    if waits:
        parts.append("waits: " + ", ".join(dict.fromkeys(waits)))
    if guards:
        parts.append("guarded by: " + ", ".join(guards))
    if claims:
        parts.append("does not wait: " + ", ".join(claims))
    if after or missing:
        parts.append("then: " + ", ".join([*dict.fromkeys(after), *dict.fromkeys(missing)]))
    return "   ".join(parts)


def _wait(edge: SiteEdge, comparison: Comparison | None) -> str:
    needed = "" if edge.needed is not Overlap.MUST_NOT else ", not needed"
    seen = None if comparison is None else comparison.of(edge.pred, edge.succ, edge.carried)
    recorded = "" if seen is None else ", recorded" if seen is Seen.BOTH else ", not recorded"
    return f"[{edge.pred.index + 1}] {edge.pred.name} ({reason(edge)}{needed}{recorded})"


def comparison_text(comparison: Comparison) -> list[str]:
    """What to say about the record as a whole."""
    both, here, there = (comparison.count(seen) for seen in Seen)
    what = "waits" if comparison.exact else "waits between launches"
    lines = [f"  record: {both} {what} in both, {here} only predicted, {there} only in the record"]
    if comparison.here:
        lines.append(f"  not in the record: {', '.join(comparison.here)}")
    if comparison.there:
        shown = ", ".join(comparison.there[:_SHOWN]) + (", …" if len(comparison.there) > _SHOWN else "")
        lines.append(f"  in the record without a launch here: {shown}")
    return lines


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


def _carried(edge: SiteEdge | Missing | Untracked) -> str:
    for loop, steps in edge.distance:
        if steps:
            variable = getattr(loop, "var", None)
            name = "i" if variable is None else variable.label
            return f", {name}→{name}+{steps}"
    return ""
