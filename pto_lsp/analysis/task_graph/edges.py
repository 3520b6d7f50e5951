"""The runtime's edges: explicit ids, owners, and the overlap map (semantics.md §3, verbatim).

Three-valued: an edge is *certain* when every execution of the walk has it. Paths over all edges over-approximate the
order, paths over certain ones under-approximate it.
"""

from __future__ import annotations

from enum import Enum

from pto_lsp.analysis.node import node
from pto_lsp.analysis.task_graph.model import Argument, ControlAccess, Task, Wait, Walk
from pto_lsp.analysis.task_graph.regions import ALLOCATION, Buffer, Overlap, View, covers, is_empty, runtime_overlap


class Source(Enum):
    """The runtime's own words for where an edge comes from."""

    EXPLICIT = "explicit"
    CREATOR = "creator"
    TENSORMAP = "tensormap"


@node
class Edge:
    """``succ`` waits for ``pred``. ``hazard`` is "RAW" or "WAW" (the argument that found it reads, or reads and
    writes), "" for an explicit or owner edge. ``covered``: the argument covers the producer's whole region.
    """

    pred: int
    succ: int
    source: Source
    certain: bool
    hazard: str = ""
    argument: Argument | None = None
    buffer: Buffer | None = None
    covered: bool = False
    wait: Wait | None = None


@node
class Stall:
    """A control-core access waits for ``waits``; every task submitted after it comes after them (§11.7, §11.8).

    ``before`` is the set of tasks that may be over when the access is made, as a bit set.
    """

    access: ControlAccess
    waits: tuple[int, ...]
    certain: bool
    before: int


Compared = dict[tuple[View, View], tuple[Overlap, bool]]
"""Pairs of views that were compared: whether the map sees an overlap, and whether the first covers the second."""


@node
class Edges:
    """``edges`` by successor, then in the order the runtime finds them. ``before[t]`` is the set of tasks ``t`` may
    come after, as a bit set over task numbers; ``surely[t]`` only those on certain paths.
    """

    edges: tuple[Edge, ...]
    stalls: tuple[Stall, ...]
    before: tuple[int, ...]
    surely: tuple[int, ...]
    allocation: frozenset[int]
    compared: Compared

    def may_precede(self, first: int, second: int) -> bool:
        """Some path leads from ``first`` to ``second``, or may."""
        return bool(self.before[second] >> first & 1)

    def precedes(self, first: int, second: int) -> bool:
        """A path of certain edges leads from ``first`` to ``second``."""
        return bool(self.surely[second] >> first & 1)


@node
class _Entry:
    view: View
    task: Task
    weak: bool


def exclusive(a: tuple[tuple[int, int], ...], b: tuple[tuple[int, int], ...]) -> bool:
    """The two places are in different arms of one execution of an ``if``."""
    for (number, arm), (other, second) in zip(a, b):
        if number != other:
            return False
        if arm != second:
            return True
    return False


def infer(walk: Walk, compared: Compared | None = None) -> Edges:
    """Every edge of the walk's tasks. ``compared`` before need not be again."""
    return _Map(walk, compared or {}).run()


class _Map:
    def __init__(self, walk: Walk, compared: Compared) -> None:
        self.walk = walk
        self._compared_before = compared
        self.compared: Compared = {}
        self.live: dict[Buffer, list[_Entry]] = {}
        self.edges: list[Edge] = []
        self.stalls: list[Stall] = []
        self.before: list[int] = []
        self.surely: list[int] = []
        self.allocation: set[int] = set()
        self.base_before = 0
        self.base_surely = 0
        self.consumers: dict[int, list[int]] = {}

    def run(self) -> Edges:
        control = list(self.walk.control)
        epoch = 0
        for task in self.walk.tasks:
            while control and control[0].after <= task.index:
                self.stall(control.pop(0))
            if task.epoch != epoch:
                epoch = task.epoch
                self.base_before = (1 << task.index) - 1
            self.submit(task)
        for access in control:
            self.stall(access)
        return Edges(
            tuple(self.edges),
            tuple(self.stalls),
            tuple(self.before),
            tuple(self.surely),
            frozenset(self.allocation),
            self.compared,
        )

    def submit(self, task: Task) -> None:
        found: list[Edge] = []
        self.explicit(task, found)
        if not task.manual:
            for argument in task.arguments:
                self.owner(task, argument, found)
                if argument.reads:
                    self.lookup(task, argument, found)
            for argument in task.arguments:
                if argument.writes:
                    self.register(task, argument)
        before, surely = self.base_before, self.base_surely
        for edge in found:
            before |= self.before[edge.pred] | 1 << edge.pred
            if edge.certain:
                surely |= self.surely[edge.pred] | 1 << edge.pred
            self.consumers.setdefault(edge.pred, []).append(task.index)
        if task.waits_unknown:
            before = (1 << task.index) - 1
        self.before.append(before)
        self.surely.append(surely)
        self.edges += found

    def explicit(self, task: Task, found: list[Edge]) -> None:
        for wait in task.waits:
            for ids in wait.ids:
                certain = len(ids.tasks) == 1 and not ids.open and not ids.invalid
                for pred in ids.tasks:
                    found.append(Edge(pred, task.index, Source.EXPLICIT, certain, wait=wait))

    def owner(self, task: Task, argument: Argument, found: list[Edge]) -> None:
        for view in argument.views:
            owner = view.buffer.owner
            if owner == ALLOCATION:
                self.allocation.add(task.index)
            elif owner is not None:
                certain = len(argument.views) == 1
                found.append(Edge(owner, task.index, Source.CREATOR, certain, "RAW", argument, view.buffer))

    def lookup(self, task: Task, argument: Argument, found: list[Edge]) -> None:
        hazard = "WAW" if argument.writes else "RAW"
        for view in argument.views:
            if view.manual_dep:
                continue
            entries = self.live.get(view.buffer)
            if not entries:
                continue
            kept: list[_Entry] = []
            for entry in entries:
                kept.append(entry)
                if task.arms and exclusive(task.arms, entry.task.arms):
                    continue
                verdict, whole = self.compare(view, entry.view)
                if verdict is Overlap.MUST_NOT:
                    continue
                certain = verdict is Overlap.MUST and not entry.weak and len(argument.views) == 1
                found.append(
                    Edge(entry.task.index, task.index, Source.TENSORMAP, certain, hazard, argument, view.buffer, whole)
                )
                if whole and hazard == "WAW" and len(argument.views) == 1 and _always(task, entry.task):
                    kept.pop()
            if len(kept) != len(entries):
                self.live[view.buffer] = kept

    def compare(self, view: View, other: View) -> tuple[Overlap, bool]:
        key = (view, other)
        found = self._compared_before.get(key)
        if found is None:
            verdict = runtime_overlap(view, other)
            found = verdict, verdict is not Overlap.MUST_NOT and covers(view, other)
        self.compared[key] = found
        return found

    def register(self, task: Task, argument: Argument) -> None:
        weak = len(argument.views) > 1
        for view in argument.views:
            if not view.manual_dep and not is_empty(view):
                self.live.setdefault(view.buffer, []).append(_Entry(view, task, weak))

    def stall(self, access: ControlAccess) -> None:
        waits: list[int] = []
        certain = len(access.views) == 1
        for view in access.views:
            owner = view.buffer.owner
            if owner is not None and owner != ALLOCATION:
                waits.append(owner)
            for entry in self.live.get(view.buffer, ()):
                verdict = runtime_overlap(view, entry.view)
                if verdict is Overlap.MUST_NOT or exclusive(access.arms, entry.task.arms):
                    continue
                waits.append(entry.task.index)
                if access.write:
                    waits += self.consumers.get(entry.task.index, ())
        waits = sorted(set(waits))
        for task in waits:
            self.base_before |= self.before[task] | 1 << task
            if certain and not access.arms:
                self.base_surely |= self.surely[task] | 1 << task
        self.stalls.append(Stall(access, tuple(waits), certain, self.base_before))


def _always(task: Task, other: Task) -> bool:
    """Whenever ``other`` was submitted, ``task`` is too."""
    return task.arms == other.arms[: len(task.arms)]
