"""A predicted graph beside a recorded one: which waits are in both, and which in one of them (graph-view.md §5).

Tasks are matched by name and submit ordinal: the third task called ``softmax`` here is the third one there. Dummies
that only the record has were put in by the compiler; waits through them count as waits for what they join.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum

from pto_lsp.analysis.ir.expressions import Call, Submit
from pto_lsp.analysis.ir.program import Function
from pto_lsp.analysis.ir.visitor import statement_exprs, walk, walk_block
from pto_lsp.analysis.node import node
from pto_lsp.analysis.task_graph.graph import Analyser, TaskGraph
from pto_lsp.analysis.task_graph.model import Site, SiteKind
from pto_lsp.analysis.task_graph.recording import RecordedTask, Recording
from pto_lsp.analysis.task_graph.scalars import symbols
from pto_lsp.analysis.task_graph.sitegraph import distance

_SUFFIXES = ("_aic", "_aiv")
"""What the compiler appends to the parts of a kernel that mixes cube and vector work."""
_TRIPS = 64
"""Trip counts that are tried for one that only the run knows."""
DUMMY = "dummy"

Key = tuple[int, int, bool]
"""Producer site, consumer site, and whether their iterations differ."""


class Seen(Enum):
    BOTH = "both"
    PREDICTED = "predicted"
    OBSERVED = "observed"


@node
class Comparison:
    """``waits``: of the waits between two sites, how many are in both, only predicted, only observed.

    ``here`` are names of predicted tasks that the record does not have, ``there`` recorded tasks without a launch here.
    ``exact``: tasks were compared one by one; otherwise only whether any task of a site waits for one of another.
    """

    waits: dict[Key, tuple[int, int, int]]
    here: tuple[str, ...]
    there: tuple[str, ...]
    exact: bool
    observed: frozenset[tuple[int, int]]
    tasks: dict[int, RecordedTask]

    def count(self, seen: Seen) -> int:
        return sum(counts[list(Seen).index(seen)] for counts in self.waits.values())

    def of(self, pred: Site, succ: Site, carried: bool) -> Seen | None:
        """Where the waits of a predicted edge are: in BOTH when the record has one of them."""
        both, predicted, observed = self.waits.get((pred.index, succ.index, carried), (0, 0, 0))
        if both:
            return Seen.BOTH
        return Seen.PREDICTED if predicted else Seen.OBSERVED if observed else None

    def only_observed(self) -> Iterator[tuple[Key, int]]:
        """Waits that were not predicted, with how many there are."""
        for key, (_, _, observed) in self.waits.items():
            if observed:
                yield key, observed


def fitted(graph: TaskGraph, recording: Recording, limit: int) -> TaskGraph:
    """``graph`` walked trip by trip, up to ``limit`` tasks; the one trip count that only the run knows is what gives as
    many tasks as the record has. ``graph`` itself where that is not possible.
    """
    if graph.walk.exact:
        return graph
    unknown = {symbol.name for trips in graph.walk.trips.values() for symbol in symbols(trips)}
    if not unknown:
        longer = graph.analyser.graph(graph.function, limit)
        return longer if longer.walk.exact else graph
    if len(unknown) > 1:
        return graph
    (name,) = unknown
    wanted = sum(not task.is_dummy for task in recording.tasks)
    for trips in range(_TRIPS + 1):
        tried = graph.analyser.graph(graph.function, limit, {name: trips})
        if tried.walk.exact and sum(task.site.kind is not SiteKind.DUMMY for task in tried.walk.tasks) == wanted:
            return tried
    return graph


def compare(graph: TaskGraph, recording: Recording) -> Comparison:
    """Match the tasks, then their waits. Without the names of kernels tasks are matched in order of submission."""
    matched, there = _matched(graph, recording)
    tasks = graph.walk.tasks
    waits = _joined(recording, set(matched.values()))
    back = {recorded: index for index, recorded in matched.items()}
    found = {(back[pred], back[succ]) for pred, succ in waits if pred in back and succ in back}
    here = dict.fromkeys(task.site.name for task in tasks if task.index not in matched)
    exact = graph.walk.exact
    named = {index: recording.tasks[recorded] for index, recorded in matched.items()}
    counts = _counts(graph, found, set(matched)) if exact else _by_site(graph, recording, waits)
    shown = tuple([recording.tasks[number].shown for number in there])
    return Comparison(counts, tuple(here), shown, exact, frozenset(found), named)


def _counts(graph: TaskGraph, found: set[tuple[int, int]], matched: set[int]) -> dict[Key, tuple[int, int, int]]:
    tasks = graph.walk.tasks
    counts: dict[Key, list[int]] = {}
    predicted = {pair for pair in graph.pairs if pair[0] in matched and pair[1] in matched}
    for pair in predicted | found:
        pred, succ = tasks[pair[0]], tasks[pair[1]]
        key = (pred.site.index, succ.site.index, any(steps for _, steps in distance(pred, succ)))
        slot = 0 if pair in predicted and pair in found else 1 if pair in predicted else 2
        counts.setdefault(key, [0, 0, 0])[slot] += 1
    return {key: (both, here, there) for key, (both, here, there) in sorted(counts.items())}


def _by_site(graph: TaskGraph, recording: Recording, waits: set[tuple[int, int]]) -> dict[Key, tuple[int, int, int]]:
    """Sites compared as wholes, by names that only one of them has; nothing is said about others."""
    tasks = graph.walk.tasks
    sites: dict[str, set[int]] = {}
    for site in graph.walk.sites:
        for name in _names(graph.analyser, site):
            sites.setdefault(name, set()).add(site.index)
    own = [next(iter(found), None) if len(found := _candidates(task, sites)) == 1 else None for task in recording.tasks]
    seen = {(own[pred], own[succ]) for pred, succ in waits}
    counts: dict[Key, tuple[int, int, int]] = {}
    vague = {index for found in sites.values() if len(found) > 1 for index in found}
    for pair in graph.pairs:
        pred, succ = tasks[pair[0]], tasks[pair[1]]
        if pred.site.index in vague or succ.site.index in vague:
            continue
        key = (pred.site.index, succ.site.index, any(steps for _, steps in distance(pred, succ)))
        counts[key] = (1, 0, 0) if (pred.site.index, succ.site.index) in seen else (0, 1, 0)
    known = {(pred, succ) for pred, succ, _ in counts}
    for one, two in seen:
        if one is not None and two is not None and (one, two) not in known:
            counts[one, two, False] = (0, 0, 1)
    return counts


def _candidates(task: RecordedTask, sites: dict[str, set[int]]) -> set[int]:
    if task.is_dummy:
        return sites.get(DUMMY, set())
    return {index for name in task.names for each in _spellings(name) for index in sites.get(each, ())}


def _matched(graph: TaskGraph, recording: Recording) -> tuple[dict[int, int], list[int]]:
    """Number of the task here → position in the record; and the recorded tasks that are left."""
    named = any(task.names for task in recording.tasks)
    spelled: dict[str, str] = {}
    for site in graph.walk.sites:
        own, *others = _names(graph.analyser, site)
        for name in (own, *others):
            spelled.setdefault(name, own)
    queues: dict[str, list[int]] = {}
    left: list[int] = []
    for number, recorded in enumerate(recording.tasks):
        key = DUMMY if recorded.is_dummy else _key(recorded, spelled) if named else ""
        if key is None:
            left.append(number)
        else:
            queues.setdefault(key, []).append(number)
    matched: dict[int, int] = {}
    for task in graph.walk.tasks:
        dummy = task.site.kind is SiteKind.DUMMY
        key = DUMMY if dummy else next(iter(_names(graph.analyser, task.site))) if named else ""
        waiting = queues.get(key)
        if waiting:
            matched[task.index] = waiting.pop(0)
    left += [number for key, queue in queues.items() for number in queue if key != DUMMY]
    return matched, sorted(left)


def _key(task: RecordedTask, spelled: dict[str, str]) -> str | None:
    """The name of the launch that such a task comes from."""
    for name in task.names:
        for each in _spellings(name):
            if each in spelled:
                return spelled[each]
    return None


def _spellings(name: str) -> Iterator[str]:
    yield name
    for suffix in _SUFFIXES:
        if name.endswith(suffix):
            yield name[: -len(suffix)]


def _names(analyser: Analyser, site: Site) -> tuple[str, ...]:
    """What the record may call a task of the site: itself, or the kernel that it launches."""
    found = {DUMMY if site.kind is SiteKind.DUMMY else site.name: None}
    if site.callee is not None:
        for kernel in _launched(analyser, site.callee):
            found[kernel] = None
    return tuple(found)


def _launched(analyser: Analyser, function: Function) -> Iterator[str]:
    for stmt in walk_block(function.body or ()):
        for expr in statement_exprs(stmt):
            for part in walk(expr):
                if isinstance(part, (Call, Submit)) and part.callee in analyser.program.functions:
                    yield analyser.program.functions[part.callee].task_name


def _joined(recording: Recording, matched: set[int]) -> set[tuple[int, int]]:
    """The recorded waits, those through dummies that nobody wrote straight from end to end."""
    before: dict[int, set[int]] = {}
    for pred, succ in recording.edges:
        before.setdefault(succ, set()).add(pred)
    found: set[tuple[int, int]] = set()
    for succ in range(len(recording.tasks)):
        pending, seen = list(before.get(succ, ())), set()
        while pending:
            pred = pending.pop()
            if pred in seen:
                continue
            seen.add(pred)
            if recording.tasks[pred].is_dummy and pred not in matched:
                pending += before.get(pred, ())
            else:
                found.add((pred, succ))
    return found
