"""The graph by launch sites, as people see it: instances of one site folded together, with iteration distances."""

from __future__ import annotations

from pto_lsp.analysis.ir.statements import For
from pto_lsp.analysis.node import node
from pto_lsp.analysis.task_graph.edges import Edge, Source
from pto_lsp.analysis.task_graph.graph import TaskGraph
from pto_lsp.analysis.task_graph.hazards import Hazard
from pto_lsp.analysis.task_graph.model import Argument, Loop, Site, Task
from pto_lsp.analysis.task_graph.regions import ALLOCATION, Buffer, Overlap
from pto_lsp.analysis.task_graph.scalars import text
from pto_lsp.analysis.task_graph.sites import static_trips

Distance = tuple[tuple[Loop, int], ...]


@node
class SiteEdge:
    """Waits of one site for another, of one kind through one tensor. ``distance`` counts iterations of the common
    loops from producer to consumer, the smallest where there are several. ``needed``: whether the data asks for it.
    """

    pred: Site
    succ: Site
    source: Source
    hazard: str
    buffer: Buffer | None
    distance: Distance
    covered: bool
    certain: bool
    redundant: bool
    count: int
    needed: Overlap

    @property
    def carried(self) -> bool:
        return any(steps for _, steps in self.distance)


@node
class Missing:
    """A hazard no path orders, between two sites."""

    pred: Site
    succ: Site
    kind: str
    buffer: Buffer
    distance: Distance
    hazard: Hazard


@node
class SiteGraph:
    """``arguments`` are those of the site's first walked instance; sites never reached have none."""

    graph: TaskGraph
    sites: tuple[Site, ...]
    edges: tuple[SiteEdge, ...]
    missing: tuple[Missing, ...]
    loops: tuple[Loop, ...]
    arguments: dict[int, tuple[Argument, ...]]
    opaque: frozenset[int]
    buffers: tuple[Buffer, ...]


def fold(graph: TaskGraph) -> SiteGraph:
    """Fold the walked tasks of ``graph`` into their sites."""
    tasks = graph.walk.tasks
    first: dict[int, Task] = {}
    opaque: set[int] = set()
    for task in tasks:
        first.setdefault(task.site.index, task)
        if task.opaque:
            opaque.add(task.site.index)
    loops: dict[Loop, None] = {}
    for site in graph.walk.sites:
        for loop in site.loops:
            loops[loop] = None
    used: dict[Buffer, None] = {}
    for task in first.values():
        for argument in task.arguments:
            for view in argument.views:
                used[view.buffer] = None
    return SiteGraph(
        graph,
        graph.walk.sites,
        _edges(graph),
        _missing(graph),
        tuple(loops),
        {index: task.arguments for index, task in first.items()},
        frozenset(opaque),
        tuple(used),
    )


def _edges(graph: TaskGraph) -> tuple[SiteEdge, ...]:
    tasks = graph.walk.tasks
    found: dict[tuple[object, ...], SiteEdge] = {}
    for edge in graph.edges.edges:
        if edge.pred == edge.succ:
            continue
        pred, succ = tasks[edge.pred], tasks[edge.succ]
        away = distance(pred, succ)
        where = same_place(edge.buffer)
        key = (pred.site.index, succ.site.index, edge.source, edge.hazard, where, any(steps for _, steps in away))
        kept = (edge.pred, edge.succ) in graph.reduced
        old = found.get(key)
        if old is None:
            found[key] = SiteEdge(
                pred.site,
                succ.site,
                edge.source,
                edge.hazard,
                edge.buffer,
                away,
                edge.covered,
                edge.certain,
                not kept,
                1,
                needed_order(graph, edge),
            )
        else:
            near = min(old.distance, away, key=steps_of)
            found[key] = SiteEdge(
                old.pred,
                old.succ,
                old.source,
                old.hazard,
                old.buffer,
                near,
                old.covered and edge.covered,
                old.certain or edge.certain,
                old.redundant and not kept,
                old.count + 1,
                max(old.needed, needed_order(graph, edge)),
            )
    return tuple(found.values())


def needed_order(graph: TaskGraph, edge: Edge) -> Overlap:
    """Whether the data asks for the order: MUST_NOT for an edge between accesses that never meet."""
    if edge.source is not Source.TENSORMAP or edge.buffer is None:
        return Overlap.MUST
    return graph.conflicts.verdict(edge.pred, edge.succ, edge.buffer)


def same_place(buffer: Buffer | None) -> object:
    """Buffers made by one statement in several iterations are one tensor to the reader."""
    if buffer is None:
        return None
    return (buffer.label, buffer.at.span, buffer.at.source) if buffer.at is not None else buffer


def _missing(graph: TaskGraph) -> tuple[Missing, ...]:
    tasks = graph.walk.tasks
    found: dict[tuple[object, ...], Missing] = {}
    for hazard in graph.races:
        pred, succ = tasks[hazard.first.task], tasks[hazard.second.task]
        away = distance(pred, succ)
        carried = any(steps for _, steps in away)
        key = (pred.site.index, succ.site.index, hazard.kind, same_place(hazard.buffer), carried)
        old = found.get(key)
        if old is None or steps_of(away) < steps_of(old.distance):
            found[key] = Missing(pred.site, succ.site, hazard.kind, hazard.buffer, away, hazard)
    return tuple(found.values())


def distance(pred: Task, succ: Task) -> Distance:
    """Iterations between two tasks along each loop execution they share."""
    found: list[tuple[Loop, int]] = []
    for a, b in zip(pred.iterations, succ.iterations):
        if a.run != b.run:
            break
        found.append((a.loop, b.ordinal - a.ordinal))
        if a.ordinal != b.ordinal:
            break
    return tuple(found)


def steps_of(away: Distance) -> int:
    """Iterations in all."""
    return sum(abs(steps) for _, steps in away)


def multiplicity(graph: TaskGraph, site: Site) -> str:
    """How often a site runs: "1", "4", "N", "4·N", "?"."""
    number = 1
    names: list[str] = []
    for loop in site.loops:
        trips = graph.walk.trips.get(loop)
        known = static_trips(loop) if trips is None else trips
        if loop in graph.walk.varying:
            return "?"
        if isinstance(known, int):
            number *= known
        elif known is None:
            return "?"
        else:
            written = text(known)
            names.append(written if written.isidentifier() or written.startswith("(") else f"({written})")
    if number == 0 or not names:
        return str(number)
    return "·".join(([str(number)] if number != 1 else []) + names)


def loop_title(graph: TaskGraph, loop: Loop) -> str:
    """``pl.range i in 0..4`` – as the header of the loop's box."""
    if not isinstance(loop, For):
        return "while"
    trips = graph.walk.trips.get(loop)
    count = "?" if trips is None else text(trips)
    return f"pl.{loop.kind.value} {loop.var.label} ×{count}"


def owner_name(buffer: Buffer) -> str | None:
    """What owns a buffer, in the words of the document: "alloc", "task", None for a parameter."""
    if buffer.owner is None:
        return None
    return "alloc" if buffer.owner == ALLOCATION else f"task{buffer.owner}"
