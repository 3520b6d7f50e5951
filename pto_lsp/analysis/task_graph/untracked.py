"""Waits not made because an argument is opted out of tracking, and what can be said for each (semantics.md §6).

An opt-out claims that no wait is needed. Here that is judged between two launches; `opt_outs` judges an argument.
"""

from __future__ import annotations

from collections.abc import Iterator

from pto_lsp.analysis.node import node
from pto_lsp.analysis.task_graph.edges import exclusive
from pto_lsp.analysis.task_graph.graph import TaskGraph
from pto_lsp.analysis.task_graph.hazards import certainty
from pto_lsp.analysis.task_graph.model import Site, Task
from pto_lsp.analysis.task_graph.opt_outs import how_untracked
from pto_lsp.analysis.task_graph.regions import Buffer, Overlap
from pto_lsp.analysis.task_graph.sitegraph import Distance, distance, same_place, steps_of
from pto_lsp.analysis.task_graph.touched import Touch

_COMPARED = 40_000
"""Pairs of accesses compared for one picture: what is left then counts as not checked."""


@node
class Untracked:
    """``succ`` would wait for ``pred`` if both were tracked. ``overlap``: whether the two touch the same data in no
    order; ``ordered``: some pair does, but other waits order it. ``how``: by what it is not tracked.
    """

    pred: Site
    succ: Site
    hazard: str
    buffer: Buffer
    distance: Distance
    overlap: Overlap
    ordered: bool
    how: str

    @property
    def verified(self) -> bool:
        """The claim that no wait is needed holds."""
        return self.overlap is Overlap.MUST_NOT

    @property
    def text(self) -> str:
        """What a picture says about the claim."""
        if self.overlap is Overlap.MUST_NOT:
            return "claim verified: " + ("ordered by other waits" if self.ordered else "never the same data")
        return "claim not checkable" if self.overlap is Overlap.MAY else "claim wrong"


def untracked(graph: TaskGraph) -> tuple[Untracked, ...]:
    """Between every two launches, by buffer."""
    found: dict[tuple[object, ...], Untracked] = {}
    for pred, succ, each in untracked_tasks(graph):
        carried = any(steps for _, steps in each.distance)
        key = (pred.site.index, succ.site.index, same_place(each.buffer), carried)
        old = found.get(key)
        if old is None:
            found[key] = each
            continue
        near = min(old.distance, each.distance, key=steps_of)
        worst = max(old.overlap, each.overlap)
        hazard = "RAW" if "RAW" in (old.hazard, each.hazard) else "WAW"
        ordered = old.ordered or each.ordered
        found[key] = Untracked(old.pred, old.succ, hazard, old.buffer, near, worst, ordered, old.how)
    return tuple(found.values())


def untracked_tasks(graph: TaskGraph) -> Iterator[tuple[Task, Task, Untracked]]:
    """Between every two tasks of the walk, by buffer."""
    left = _COMPARED
    for pred, succ, buffer, pairs in _pairs(graph):
        left -= len(pairs)
        ordered = False
        overlap = Overlap.MAY
        if left >= 0:
            overlap = max(certainty(a, b) for a, b in pairs)
            if overlap is not Overlap.MUST_NOT and graph.edges.precedes(pred.index, succ.index):
                overlap, ordered = Overlap.MUST_NOT, True
            elif graph.edges.may_precede(pred.index, succ.index):
                overlap = min(overlap, Overlap.MAY)
        hazard = "WAW" if any(b.write for _, b in pairs) else "RAW"
        how = next(h for a, b in pairs if (h := _how(pred, a) or _how(succ, b)))
        away = distance(pred, succ)
        yield pred, succ, Untracked(pred.site, succ.site, hazard, buffer, away, overlap, ordered, how)


def _pairs(graph: TaskGraph) -> Iterator[tuple[Task, Task, Buffer, list[tuple[Touch, Touch]]]]:
    """Two tasks, the first of which writes what the second reads or writes, not both tracked."""
    tasks = graph.walk.tasks
    for buffer in graph.conflicts.buffers:
        accessing = list(graph.conflicts.of_buffer(buffer))
        opted = {t for t, touches in accessing if any(_how(tasks[t], touch) for touch in touches)}
        if not opted:
            continue
        for at, (second, late) in enumerate(accessing):
            for first, early in accessing[:at]:
                if first not in opted and second not in opted:
                    continue
                if exclusive(tasks[first].arms, tasks[second].arms):
                    continue
                pairs = [
                    (a, b)
                    for a in early
                    for b in late
                    if a.write and not (a.atomic and b.atomic) and (_how(tasks[first], a) or _how(tasks[second], b))
                ]
                if pairs:
                    yield tasks[first], tasks[second], buffer, pairs


def _how(task: Task, touch: Touch) -> str:
    return how_untracked(task.site, touch.argument)
