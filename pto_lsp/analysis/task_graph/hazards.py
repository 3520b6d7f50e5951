"""Pairs of tasks that touch a common region, at least one of them writing (semantics.md §14 step 4)."""

from __future__ import annotations

from collections.abc import Iterator

from pto_lsp.analysis.node import node
from pto_lsp.analysis.task_graph.edges import Edges, exclusive
from pto_lsp.analysis.task_graph.model import Walk
from pto_lsp.analysis.task_graph.regions import Buffer, Overlap, compare
from pto_lsp.analysis.task_graph.summaries import SURELY, SURELY_WRITES, Summaries
from pto_lsp.analysis.task_graph.touched import Touch, Touches


@node
class Hazard:
    """``first`` is submitted before ``second``. ``kind``: "RAW", "WAR" or "WAW", named from ``second``'s view."""

    kind: str
    first: Touch
    second: Touch

    @property
    def buffer(self) -> Buffer:
        return self.first.buffer

    @property
    def pair(self) -> tuple[int, int]:
        return self.first.task, self.second.task


class Conflicts:
    """Accesses of a walk by buffer, and the hazards between them. ``buffers``: the tasks that access each, ascending,
    with the bits of `Summaries.effects`.

    ``before`` are those of the last walk, or of the same one when kernels did something else: what the same tasks with
    the same kernels do to each other is taken over.
    """

    def __init__(self, walk: Walk, summaries: Summaries, before: Conflicts | None = None) -> None:
        self.walk = walk
        self._tasks: list[Touches] = []
        self.buffers: dict[Buffer, dict[int, int]] = {}
        self._found: dict[tuple[int, Buffer], list[Touch]] = {}
        self._certain: dict[tuple[int, int, Buffer], list[Hazard]] = {}
        kept: set[int] = set()
        for task in walk.tasks:
            known = before._tasks[task.index] if before is not None and task.index < len(before._tasks) else None
            mine = None if known is None else known.taken_over(task, summaries, walk.symbols)
            if mine is None:
                mine = Touches(task, summaries, walk.symbols)
            else:
                kept.add(task.index)
            self._tasks.append(mine)
            for argument in task.arguments:
                bits = mine.effects(argument)
                if bits:
                    for view in argument.views:
                        effects = self.buffers.setdefault(view.buffer, {})
                        effects[task.index] = effects.get(task.index, 0) | bits

        if before is not None:
            # Of another walk only what was not found holds: the tasks in a hazard are not the same objects.
            same = before.walk is walk
            certain = before._certain.items()
            self._certain = {key: known for key, known in certain if kept.issuperset(key[:2]) and (same or not known)}
            if same:
                self._found = {key: touches for key, touches in before._found.items() if key[0] in kept}

    def effects(self, buffer: Buffer) -> dict[int, int]:
        """The entry of ``buffers``, empty when no task accesses it."""
        return self.buffers.get(buffer, {})

    def of(self, task: int) -> list[Touch]:
        """Every access of a task."""
        mine = self._tasks[task]
        return [touch for argument in self.walk.tasks[task].arguments for touch in mine.of(argument)]

    def of_task(self, task: int, buffer: Buffer) -> list[Touch]:
        """The accesses of a task to one buffer."""
        found = self._found.get((task, buffer))
        if found is None:
            found = self._found[task, buffer] = []
            for argument in self.walk.tasks[task].arguments:
                if any(view.buffer is buffer for view in argument.views):
                    found += [touch for touch in self._tasks[task].of(argument) if touch.buffer is buffer]
        return found

    def of_buffer(self, buffer: Buffer) -> Iterator[tuple[int, list[Touch]]]:
        """Every task that accesses ``buffer``, in order, with its accesses."""
        for task in self.effects(buffer):
            yield task, self.of_task(task, buffer)

    def races(self, edges: Edges) -> Iterator[Hazard]:
        """Every *must* hazard without any path, buffer by buffer, at most one per pair, kind and buffer."""
        tasks = self.walk.tasks
        for buffer, effects in self.buffers.items():
            accessing = writing = 0
            for second, bits in effects.items():
                if not bits & SURELY:
                    continue
                writes = bits & SURELY_WRITES
                pending = (accessing if writes else writing) & ~edges.before[second]
                while pending:
                    lowest = pending & -pending
                    pending ^= lowest
                    first = lowest.bit_length() - 1
                    if not exclusive(tasks[first].arms, tasks[second].arms):
                        yield from self._certainly(first, second, buffer)
                accessing |= 1 << second
                if writes:
                    writing |= 1 << second

    def _certainly(self, first: int, second: int, buffer: Buffer) -> list[Hazard]:
        key = (first, second, buffer)
        found = self._certain.get(key)
        if found is None:
            found = self._certain[key] = certain_hazards(self.of_task(first, buffer), self.of_task(second, buffer))
        return found

    def verdict(self, first: int, second: int, buffer: Buffer) -> Overlap:
        """Whether an order between the two tasks is needed because of ``buffer``."""
        result = Overlap.MUST_NOT
        for a in self.of_task(first, buffer):
            for b in self.of_task(second, buffer):
                if a.write or b.write:
                    result = max(result, certainty(a, b))
                    if result is Overlap.MUST:
                        return result
        return result


def certainty(a: Touch, b: Touch) -> Overlap:
    """Whether two accesses meet, wherever they stand."""
    if a.least is not None and b.least is not None and compare(a.least, b.least) is Overlap.MUST:
        return Overlap.MUST
    return Overlap.MUST_NOT if compare(a.hull, b.hull) is Overlap.MUST_NOT else Overlap.MAY


def certain_hazards(early: list[Touch], late: list[Touch]) -> list[Hazard]:
    """The *must* conflicts of two accesses' lists, at most one of each kind."""
    found: dict[str, Hazard] = {}
    for a in early:
        if a.least is None:
            continue
        for b in late:
            if b.least is None or not (a.write or b.write) or (a.atomic and b.atomic):
                continue
            kind = "WAW" if a.write and b.write else "RAW" if a.write else "WAR"
            if kind not in found and compare(a.least, b.least) is Overlap.MUST:
                found[kind] = Hazard(kind, a, b)
    return list(found.values())
