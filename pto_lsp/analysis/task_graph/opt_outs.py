"""Arguments that are not tracked, and whether that is right: what the compiler cannot check (semantics.md §6)."""

from __future__ import annotations

from pto_lsp.analysis.node import node
from pto_lsp.analysis.task_graph.edges import exclusive
from pto_lsp.analysis.task_graph.graph import TaskGraph
from pto_lsp.analysis.task_graph.hazards import certainty
from pto_lsp.analysis.task_graph.model import Argument, Site, Task
from pto_lsp.analysis.task_graph.regions import Overlap


@node
class Claim:
    """An argument without tracking claims that no order is needed because of it.

    ``how``: by what it is not tracked. MUST_NOT is a proof for everything walked, ``why`` says from what.
    """

    how: str
    verdict: Overlap
    why: str

    @property
    def text(self) -> str:
        """What an editor says about it."""
        if self.verdict is Overlap.MUST_NOT:
            return f"verified disjoint: {self.why}"
        if self.verdict is Overlap.MAY:
            return "the claim that no order is needed cannot be checked here"
        return f"another task{self.why} touches the same region and nothing orders them: the claim is wrong"


def claim_of(graph: TaskGraph, site: Site, argument: Argument) -> Claim | None:
    """The claim behind an argument of ``site``; None for one that is tracked."""
    how = how_untracked(site, argument)
    if not how:
        return None
    verdict = Overlap.MUST_NOT
    if not graph.walk.exact and any(not view.shape for view in argument.views):
        verdict = Overlap.MAY
    if graph.walk.unknown or graph.walk.truncated or not argument.views:
        verdict = Overlap.MAY
    ordered = apart = False
    for task in graph.walk.tasks:
        if task.site is not site:
            continue
        found, waits, parts, other = _against_others(graph, task, argument)
        if found is Overlap.MUST and other is not None:
            return Claim(how, Overlap.MUST, f" ('{other.site.name}')" if other.site is not site else "")
        verdict = max(verdict, found)
        ordered, apart = ordered or waits, apart or parts
    return Claim(how, verdict, _why(ordered, apart))


def how_untracked(site: Site, argument: Argument) -> str:
    """By what an argument of ``site`` is not tracked; "" for one that is."""
    if argument.opted_out:
        return "opted out of tracking"
    if site.scope is not None:
        return "not tracked in this manual_scope"
    if argument.views and all(view.manual_dep for view in argument.views):
        return f"not tracked, because '{argument.views[0].buffer.label}' is created with manual_dep=True"
    return ""


def _why(ordered: bool, apart: bool) -> str:
    if ordered and apart:
        return "tasks touch other parts of it, or are ordered by other waits"
    if ordered:
        return "every task that touches the same part of it is ordered with this one by other waits"
    if apart:
        return "no two tasks touch the same part of it"
    return "no other task needs an order with this one because of it"


def _against_others(graph: TaskGraph, task: Task, argument: Argument) -> tuple[Overlap, bool, bool, Task | None]:
    """The verdict of one task; whether some conflicts are ordered otherwise, or are of other parts; and with whom."""
    result, ordered, apart = Overlap.MUST_NOT, False, False
    mine = [touch for touch in graph.conflicts.of(task.index) if touch.argument.index == argument.index]
    for buffer in {touch.buffer for touch in mine}:
        for number, touches in graph.conflicts.of_buffer(buffer):
            other = graph.walk.tasks[number]
            pairs = [
                (a, b)
                for a in mine
                for b in touches
                if a.buffer is b.buffer and (a.write or b.write) and not (a.atomic and b.atomic)
            ]
            if other is task or not pairs or exclusive(other.arms, task.arms):
                continue
            worst = max(certainty(a, b) for a, b in pairs)
            first, second = min(number, task.index), max(number, task.index)
            if worst is Overlap.MUST and graph.edges.may_precede(first, second):
                worst = Overlap.MAY
            if graph.edges.precedes(first, second):
                ordered = ordered or worst is not Overlap.MUST_NOT
                continue
            apart = apart or worst is Overlap.MUST_NOT
            if worst is Overlap.MUST:
                return worst, ordered, apart, other
            result = max(result, worst)
    return result, ordered, apart, None
