"""Pairs of tasks that touch a common region, at least one of them writing (semantics.md §14 step 4)."""

from __future__ import annotations

from collections.abc import Iterator

from pto_lsp.analysis.node import node
from pto_lsp.analysis.task_graph.edges import Edges, exclusive
from pto_lsp.analysis.task_graph.model import Walk
from pto_lsp.analysis.task_graph.regions import Buffer, Overlap, compare
from pto_lsp.analysis.task_graph.summaries import Summaries
from pto_lsp.analysis.task_graph.touched import Touch, touches


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
    """Accesses of a walk by buffer, and the hazards between them."""

    def __init__(self, walk: Walk, summaries: Summaries) -> None:
        self.walk = walk
        self.by_buffer: dict[Buffer, list[tuple[int, list[Touch]]]] = {}
        self.touches: list[tuple[Touch, ...]] = []
        for task in walk.tasks:
            found = touches(task, summaries, walk.symbols)
            self.touches.append(found)
            grouped: dict[Buffer, list[Touch]] = {}
            for touch in found:
                grouped.setdefault(touch.buffer, []).append(touch)
            for buffer, mine in grouped.items():
                self.by_buffer.setdefault(buffer, []).append((task.index, mine))

    def of_task(self, task: int, buffer: Buffer) -> list[Touch]:
        return [touch for touch in self.touches[task] if touch.buffer is buffer]

    def races(self, edges: Edges) -> Iterator[Hazard]:
        """Every *must* hazard without any path, buffer by buffer, at most one per pair, kind and buffer."""
        tasks = self.walk.tasks
        for entries in self.by_buffer.values():
            if not any(touch.write for _, mine in entries for touch in mine):
                continue
            for j in range(1, len(entries)):
                second, late = entries[j]
                before = edges.before[second]
                for i in range(j):
                    first, early = entries[i]
                    if before >> first & 1 or exclusive(tasks[first].arms, tasks[second].arms):
                        continue
                    yield from certain_hazards(early, late)

    def verdict(self, first: int, second: int, buffer: Buffer) -> Overlap:
        """Whether an order between the two tasks is needed because of ``buffer``."""
        result = Overlap.MUST_NOT
        for a in self.of_task(first, buffer):
            for b in self.of_task(second, buffer):
                if a.write or b.write:
                    result = max(result, _verdict(a, b))
                    if result is Overlap.MUST:
                        return result
        return result


def _verdict(a: Touch, b: Touch) -> Overlap:
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
