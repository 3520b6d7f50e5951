"""The regions a task really touches: kernel accesses placed in the buffers of one submit."""

from __future__ import annotations

from pto_lsp.analysis.ir.place import Place
from pto_lsp.analysis.node import node
from pto_lsp.analysis.task_graph.accesses import Summary, compose
from pto_lsp.analysis.task_graph.model import Argument, Task
from pto_lsp.analysis.task_graph.regions import Buffer, View
from pto_lsp.analysis.task_graph.scalars import Scalar, Symbol, Symbols, substitute, symbols
from pto_lsp.analysis.task_graph.summaries import Summaries
from pto_lsp.analysis.task_graph.sweeping import Region


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


def touches(task: Task, summaries: Summaries, outer: Symbols) -> tuple[Touch, ...]:
    """Every access of ``task``; ``outer`` makes the symbols of the walk."""
    callee = task.site.callee
    if callee is None:
        return ()
    summary = summaries.of(callee)
    by_param = summaries.regions(callee)
    bindings = _bindings(task, summary, outer)
    found: list[Touch] = []
    for argument in task.arguments:
        if argument.index in summary.vague:
            for view in argument.views:
                found.append(Touch(task.index, argument, False, False, view, None, None))
                if not argument.is_input:
                    found.append(Touch(task.index, argument, True, False, view, None, None))
            continue
        single = len(argument.views) == 1
        for region in by_param.get(argument.index, ()):
            access = region.access
            for view in argument.views:
                hull, least = placed(region, view, bindings)
                if not single:
                    least = None
                found.append(
                    Touch(task.index, argument, access.write, access.atomic, hull, least, access.at, access.unchanged)
                )
                if access.atomic:
                    found.append(Touch(task.index, argument, False, True, hull, least, access.at))
    return tuple(found)


def _bindings(task: Task, summary: Summary, outer: Symbols) -> dict[Symbol, Scalar]:
    bindings: dict[Symbol, Scalar] = {}
    scalars = task.scalars
    for index, symbol in summary.scalars.items():
        value = scalars[index] if index < len(scalars) else None
        if value is not None:
            bindings[symbol] = value
    if summary.extents:
        views = {argument.index: argument.views for argument in task.arguments}
        for symbol, index, dimension in summary.extents:
            found = views.get(index, ())
            if len(found) == 1 and found[0].shape is not None and dimension < len(found[0].shape):
                bindings[symbol] = found[0].shape[dimension]
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
