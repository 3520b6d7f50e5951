"""The regions a task really touches: kernel accesses placed in the buffers of one submit."""

from __future__ import annotations

from pto_lsp.analysis.ir.place import Place
from pto_lsp.analysis.node import node
from pto_lsp.analysis.task_graph.accesses import Summary, compose
from pto_lsp.analysis.task_graph.model import Argument, Task
from pto_lsp.analysis.task_graph.regions import Buffer, View
from pto_lsp.analysis.task_graph.scalars import Scalar, Symbol, Symbols, substitute, symbols
from pto_lsp.analysis.task_graph.summaries import READS, SURELY, WRITES, Summaries
from pto_lsp.analysis.task_graph.sweeping import Region

NO_BINDINGS: dict[Symbol, Scalar] = {}


@node
class Touch:
    """One access of a task. ``hull`` holds everything it can touch, ``least`` something it surely touches (None when
    nothing is sure). ``exact``: both are the same set. ``unchanged``: a write of what was there.
    """

    task: int
    argument: Argument
    write: bool
    atomic: bool
    hull: View
    least: View | None
    at: Place | None
    unchanged: bool = False

    @property
    def buffer(self) -> Buffer:
        return self.hull.buffer

    @property
    def exact(self) -> bool:
        return self.least is self.hull


class Touches:
    """The accesses of one task, argument by argument; nothing is placed before somebody asks."""

    def __init__(self, task: Task, summaries: Summaries, outer: Symbols) -> None:
        """``outer`` makes the symbols of the walk."""
        self._task = task
        self._outer = outer
        self._known: dict[int, list[Touch]] = {}
        self._earlier: dict[int, list[Touch]] = {}
        self._bindings: dict[Symbol, Scalar] | None = None
        callee = task.site.callee
        self._summary = None if callee is None else summaries.of(callee)
        self._regions = {} if callee is None else summaries.regions(callee)
        self._effects = {} if callee is None else summaries.effects(callee)

    def taken_over(self, task: Task, summaries: Summaries, outer: Symbols) -> Touches | None:
        """The accesses of ``task``, which is this task, maybe in a later walk; None when they may be others."""
        callee = task.site.callee
        if self._summary is not (None if callee is None else summaries.of(callee)):
            return None
        if task is self._task:
            return self
        # What is defined by an operation has symbols of the walk it was placed in.
        if (self._summary is not None and self._summary.definitions) or not _same_launch(task, self._task):
            return None
        made = Touches(task, summaries, outer)
        made._earlier = {**self._earlier, **self._known}
        return made

    def effects(self, argument: Argument) -> int:
        """What `of` has accesses of, as in `Summaries.effects`; 0 when it has none."""
        if self._summary is None:
            return 0
        if argument.index in self._summary.vague:
            return READS if argument.is_input else READS | WRITES
        bits = self._effects.get(argument.index, 0)
        return bits if len(argument.views) == 1 else bits & ~SURELY

    def of(self, argument: Argument) -> list[Touch]:
        """Every access made through ``argument``."""
        known = self._known.get(argument.index)
        if known is None:
            known = self._known[argument.index] = self._found(argument)
        return known

    def _found(self, argument: Argument) -> list[Touch]:
        summary, index = self._summary, self._task.index
        earlier = self._earlier.get(argument.index)
        if earlier is not None:
            return [Touch(index, argument, t.write, t.atomic, t.hull, t.least, t.at, t.unchanged) for t in earlier]
        found: list[Touch] = []
        if summary is None:
            return found
        if argument.index in summary.vague:
            for view in argument.views:
                found.append(Touch(index, argument, False, False, view, None, None))
                if not argument.is_input:
                    found.append(Touch(index, argument, True, False, view, None, None))
            return found
        single = len(argument.views) == 1
        for region in self._regions.get(argument.index, ()):
            access = region.access
            bindings = NO_BINDINGS
            if region.needs:
                if self._bindings is None:
                    self._bindings = _bindings(self._task, summary, self._outer)
                bindings = self._bindings
            for view in argument.views:
                hull, least = placed(region, view, bindings)
                if not single:
                    least = None
                found.append(
                    Touch(index, argument, access.write, access.atomic, hull, least, access.at, access.unchanged)
                )
                if access.atomic:
                    found.append(Touch(index, argument, False, True, hull, least, access.at))
        return found


def _same_launch(a: Task, b: Task) -> bool:
    """Whether two tasks of the same kernel are given the same."""
    if a.scalars != b.scalars or a.core_num != b.core_num:
        return False
    if a.arguments is b.arguments:
        return True
    if len(a.arguments) != len(b.arguments):
        return False
    for x, y in zip(a.arguments, b.arguments):
        if x is y:
            continue
        # Views are equal when they are the same.
        if x.index != y.index or x.views != y.views or x.derived.derived is not y.derived.derived:
            return False
    return True


def _bindings(task: Task, summary: Summary, outer: Symbols) -> dict[Symbol, Scalar]:
    bindings: dict[Symbol, Scalar] = {}
    scalars = task.scalars
    for index, symbol in summary.scalars.items():
        value = scalars[index] if index < len(scalars) else None
        if value is not None:
            bindings[symbol] = value
    if summary.extents:
        views = {argument.index: argument.views for argument in task.arguments}
        bindings.update(summary.bound_extents(lambda index: views.get(index, ())))
    bindings[summary.blocks] = task.core_num if task.core_num is not None else 1
    for symbol, (op, a, b) in summary.definitions.items():
        left, right = substitute(a, bindings), substitute(b, bindings)
        if not any(s in summary.internal for value in (left, right) for s in symbols(value)):
            bindings[symbol] = outer.apply(op, left, right)
    return bindings


def placed(region: Region, argument: View, bindings: dict[Symbol, Scalar]) -> tuple[View, View | None]:
    """(hull, least) of one access made through ``argument``; one object when both are the same set."""
    if not region.needs <= bindings.keys():
        return argument, None
    known = bindings if region.needs else {}
    hull = compose(argument, region.hull, known)
    if region.least is None:
        return hull, None
    if region.least is region.hull:
        return (hull, hull) if hull.shape is not None else (argument, None)
    least = compose(argument, region.least, known)
    return hull, least if least.shape is not None else None
