"""What a repair may do to a task graph, and whether that is all it does.

Launch sites are compared, with "carried" telling waits across iterations apart: a repair keeps the order of the sites
that stay. Where no site comes or goes, the order of the tasks themselves is compared as well.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum

from pto_lsp.analysis.ir.place import SourceId
from pto_lsp.analysis.pipeline import ModuleAnalysis
from pto_lsp.analysis.task_graph.graph import TaskGraph
from pto_lsp.analysis.task_graph.model import Site, SiteKind, Task
from pto_lsp.analysis.task_graph.regions import Overlap
from pto_lsp.quickfix.rewriter import Refused

Spot = tuple[SourceId, int]
"""A launch as written: its function and where its line begins there, before the repair."""

Relation = dict[tuple[int, int, bool], tuple[int, int]]
"""(producer site, consumer site, carried) → two tasks of theirs."""


class Keeps(Enum):
    """Of the order of tasks: ALL stays, or what the data NEEDED, or it is not compared task by task."""

    ALL = "all"
    NEEDED = "needed"
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True)
class GraphChange:
    """``gained``: waits (producer, consumer) that may come up; ``lost``: those that may go. None: any may.

    ``gone`` are launches that are deleted, ``made`` how many dummies come in.
    """

    gained: frozenset[tuple[Spot, Spot]] | None = frozenset()
    lost: frozenset[tuple[Spot, Spot]] | None = frozenset()
    gone: frozenset[Spot] = frozenset()
    made: int = 0
    keeps: Keeps = Keeps.ALL


def spot(site: Site) -> Spot:
    return site.statement.at.source, site.statement.at.offset


def check_change(before: ModuleAnalysis, after: ModuleAnalysis, change: GraphChange, spots: dict[int, Spot]) -> None:
    """Raises `Refused` when some graph of ``after`` differs from that of ``before`` otherwise than ``change`` says.

    ``spots`` has, by identity of its site, where a launch of ``before`` was written.
    """
    new = dict(_graphs(after))
    for key, graph in _graphs(before):
        if key in new:
            _compare(graph, new[key], change, spots)


def spots_of(analysis: ModuleAnalysis) -> dict[int, Spot]:
    """Where the launches of ``analysis`` are written, by identity of the site; taken before texts change."""
    return {id(site): spot(site) for _, graph in _graphs(analysis) for site in graph.walk.sites}


def _graphs(analysis: ModuleAnalysis) -> Iterator[tuple[tuple[str, str], TaskGraph]]:
    for program in analysis.programs:
        for graph in program.tasks.graphs:
            yield (program.program.entry, graph.function.key), graph


def _compare(before: TaskGraph, after: TaskGraph, change: GraphChange, spots: dict[int, Spot]) -> None:
    name = before.function.name
    stays = [site for site in before.walk.sites if spots[id(site)] not in change.gone]
    fresh = list(after.walk.sites)
    matched = _matched(stays, fresh, change.made)
    if matched is None:
        raise Refused(f"'{name}' would have other launches")
    old, new = _relation(before), _relation(after)
    place = {site.index: spots[id(site)] for site in stays}
    renumbered = {(matched[a], matched[b], c): pair for (a, b, c), pair in new.items() if a in matched and b in matched}
    kept = {key: pair for key, pair in old.items() if key[0] in place and key[1] in place}
    for a, b, carried in renumbered:
        if (a, b, carried) not in kept and change.gained is not None and (place[a], place[b]) not in change.gained:
            raise Refused(f"a task of '{name}' would wait for another one that it need not wait for")
    for a, b, carried in kept:
        allowed = change.lost is None or (place[a], place[b]) in change.lost
        if (a, b, carried) not in renumbered and not allowed and not _implied(after, fresh, matched, a, b):
            raise Refused(f"a task of '{name}' would no longer wait for another one")
    if change.keeps is not Keeps.NOTHING:
        _keeps(before, after, matched, change.keeps)


def _matched(stays: list[Site], fresh: list[Site], made: int) -> dict[int, int] | None:
    """New site number → old one, in order; new dummies are passed over."""
    if len(fresh) - len(stays) not in range(0, made + 1):
        return None
    matched: dict[int, int] = {}
    spare = len(fresh) - len(stays)
    position = 0
    for site in fresh:
        if (
            spare
            and site.kind is SiteKind.DUMMY
            and (position >= len(stays) or stays[position].kind is not SiteKind.DUMMY)
        ):
            spare -= 1
            continue
        if position >= len(stays):
            return None
        matched[site.index] = stays[position].index
        position += 1
    return matched if position == len(stays) else None


def _relation(graph: TaskGraph) -> Relation:
    tasks = graph.walk.tasks
    found: Relation = {}
    for pred, succ in graph.pairs:
        a, b = tasks[pred], tasks[succ]
        found.setdefault((a.site.index, b.site.index, _carried(a, b)), (pred, succ))
    return found


def _carried(first: Task, second: Task) -> bool:
    for a, b in zip(first.iterations, second.iterations):
        if a.run != b.run:
            return False
        if a.ordinal != b.ordinal:
            return True
    return False


def _implied(after: TaskGraph, fresh: list[Site], matched: dict[int, int], a: int, b: int) -> bool:
    """Every task of the one site still comes before some task of the other wherever one did."""
    back = {old: new for new, old in matched.items()}
    tasks = after.walk.tasks
    first = [task.index for task in tasks if task.site is fresh[back[a]]]
    second = [task.index for task in tasks if task.site is fresh[back[b]]]
    return any(after.edges.may_precede(x, y) for x in first for y in second)


def _keeps(before: TaskGraph, after: TaskGraph, matched: dict[int, int], keeps: Keeps) -> None:
    """Every order of two tasks is still there, or every one that their data asks for."""
    name = before.function.name
    old = [task.index for task in before.walk.tasks if task.site.index in set(matched.values())]
    new = [task.index for task in after.walk.tasks if task.site.index in matched]
    if [before.walk.tasks[i].site.index for i in old] != [matched[after.walk.tasks[i].site.index] for i in new]:
        raise Refused(f"'{name}' would submit other tasks")
    for late, (was, now) in enumerate(zip(old, new)):
        for early in range(late):
            if not before.edges.precedes(old[early], was) or after.edges.may_precede(new[early], now):
                continue
            if keeps is Keeps.ALL or may_share(before, old[early], was):
                raise Refused(f"two tasks of '{name}' would lose their order")


def may_share(graph: TaskGraph, first: int, second: int) -> bool:
    """Whether two tasks may touch the same memory, one of them writing."""
    conflicts = graph.conflicts
    return any(
        first in effects and second in effects and conflicts.verdict(first, second, buffer) is not Overlap.MUST_NOT
        for buffer, effects in conflicts.buffers.items()
    )


def pairs_of(sites: Iterable[tuple[Site, Site]]) -> frozenset[tuple[Spot, Spot]]:
    return frozenset((spot(a), spot(b)) for a, b in sites)
