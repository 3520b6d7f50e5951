"""The regions a task really touches: kernel accesses placed in the buffers of one submit."""

from __future__ import annotations

from pto_lsp.analysis.ir.place import Place
from pto_lsp.analysis.node import node
from pto_lsp.analysis.task_graph.accesses import KernelAccess, Summary, compose
from pto_lsp.analysis.task_graph.model import Argument, CallDirection, Task
from pto_lsp.analysis.task_graph.regions import Buffer, View
from pto_lsp.analysis.task_graph.scalars import (
    Poly,
    Scalar,
    Symbol,
    Symbols,
    add,
    coefficient,
    multiply,
    substitute,
    subtract,
    symbols,
)
from pto_lsp.analysis.task_graph.summaries import Summaries


@node
class Touch:
    """One access of a task. ``hull`` holds everything it can touch, ``least`` something it surely touches (None when
    nothing is sure). ``exact``: both are the same set.
    """

    task: int
    argument: Argument
    write: bool
    atomic: bool
    hull: View
    least: View | None
    at: Place | None

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
    bindings = _bindings(task, summary, outer)
    by_param: dict[int, list[KernelAccess]] = {}
    for access in summary.accesses:
        by_param.setdefault(access.param, []).append(access)
    found: list[Touch] = []
    for argument in task.arguments:
        single = len(argument.views) == 1
        if argument.index in summary.vague:
            for view in argument.views:
                found.append(Touch(task.index, argument, False, False, view, None, None))
                if argument.declared is not CallDirection.INPUT:
                    found.append(Touch(task.index, argument, True, False, view, None, None))
            continue
        for access in by_param.get(argument.index, ()):
            for view in argument.views:
                hull, least = placed(access, view, summary, bindings)
                found.append(
                    Touch(task.index, argument, access.write, access.atomic, hull, least if single else None, access.at)
                )
                if access.atomic:
                    found.append(Touch(task.index, argument, False, True, hull, least if single else None, access.at))
    return tuple(found)


def _bindings(task: Task, summary: Summary, outer: Symbols) -> dict[Symbol, Scalar]:
    bindings: dict[Symbol, Scalar] = {}
    for index, symbol in summary.scalars.items():
        value = task.scalars[index] if index < len(task.scalars) else None
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


def placed(
    access: KernelAccess, argument: View, summary: Summary, bindings: dict[Symbol, Scalar]
) -> tuple[View, View | None]:
    """(hull, least) of one access, made through the argument ``argument``; one object when both are the same set."""
    box = compose(argument, access.view, bindings)
    if box.shape is None:
        return argument, None
    varying = [d for d, offset in enumerate(box.offsets) if type(offset) is Poly and _inner(offset, summary)]
    if not varying and not any(type(e) is Poly and _inner(e, summary) for e in box.shape):
        if access.minimum:
            return _rest(box, argument), box if access.certain else None
        return box, box if access.certain else None
    return _sweep(access, box, argument, summary, bindings)


def _inner(value: Poly, summary: Summary) -> list[Symbol]:
    """The symbols of ``value`` that mean nothing outside the kernel."""
    return [s for s in symbols(value) if s in summary.internal]


def _rest(box: View, argument: View) -> View:
    """From the box's first element to the end of the argument, for a write of unknown extent."""
    assert box.shape is not None and argument.shape is not None
    ends = [add(o, e) for o, e in zip(argument.offsets, argument.shape)]
    return View(box.buffer, box.offsets, tuple([subtract(e, o) for e, o in zip(ends, box.offsets)]), box.strides)


def _sweep(
    access: KernelAccess, box: View, argument: View, summary: Summary, bindings: dict[Symbol, Scalar]
) -> tuple[View, View | None]:
    """Union over the block index and the device loops, dimension by dimension."""
    assert box.shape is not None and argument.shape is not None
    counts = {s: substitute(n, bindings) for s, n in summary.trips.items()}
    offsets: list[Scalar] = []
    extents: list[Scalar] = []
    exact = not access.minimum
    seen: set[Symbol] = set()
    for d, (offset, extent) in enumerate(zip(box.offsets, box.shape)):
        if type(extent) is Poly and _inner(extent, summary):
            offsets.append(argument.offsets[d])
            extents.append(argument.shape[d])
            exact = False
            continue
        moving = _inner(offset, summary) if type(offset) is Poly else []
        swept = _sweep_dimension(offset, extent, moving, counts)
        if swept is None or access.minimum:
            offsets.append(argument.offsets[d])
            extents.append(argument.shape[d])
            exact = False
            continue
        exact = exact and swept[2] and not (seen & set(moving))
        seen |= set(moving)
        offsets.append(swept[0])
        extents.append(swept[1])
    hull = View(box.buffer, tuple(offsets), tuple(extents), box.strides)
    if not access.certain:
        return hull, None
    if exact:
        return hull, hull
    return hull, _first(box, counts, summary)


def _sweep_dimension(
    offset: Scalar, extent: Scalar, moving: list[Symbol], counts: dict[Symbol, Scalar]
) -> tuple[Scalar, Scalar, bool] | None:
    """(offset, extent, without gaps) of the union over ``moving``; None when it cannot be expressed."""
    steps: list[tuple[int, Symbol]] = []
    for symbol in moving:
        factor = coefficient(offset, symbol) if isinstance(offset, Poly) else None
        if factor is None or symbol not in counts:
            return None
        steps.append((factor, symbol))
    steps.sort(key=lambda item: abs(item[0]))
    dense = True
    zero: dict[Symbol, Scalar] = {}
    for factor, symbol in steps:
        count = counts[symbol]
        zero[symbol] = 0
        if not isinstance(extent, int) or abs(factor) > extent:
            dense = dense and count == 1
        reach = multiply(subtract(count, 1), factor)
        if factor < 0:
            offset = add(offset, reach)
            reach = multiply(reach, -1)
        extent = add(extent, reach)
    return substitute(offset, zero), extent, dense


def _first(box: View, counts: dict[Symbol, Scalar], summary: Summary) -> View | None:
    """The first block's, first trip's box: touched in any case."""
    zero: dict[Symbol, Scalar] = {symbol: 0 for symbol in counts}
    assert box.shape is not None
    offsets = tuple([substitute(o, zero) for o in box.offsets])
    if any(type(value) is Poly and _inner(value, summary) for value in (*offsets, *box.shape)):
        return None
    return View(box.buffer, offsets, box.shape, box.strides)
