"""Union of a kernel access over the block index and the device loops, once per kernel.

What is left are boxes over the kernel's scalar parameters, which every launch only has to fill in.
"""

from __future__ import annotations

from pto_lsp.analysis.node import node
from pto_lsp.analysis.task_graph.accesses import KernelAccess, Summary
from pto_lsp.analysis.task_graph.regions import View, whole
from pto_lsp.analysis.task_graph.scalars import (
    Poly,
    Scalar,
    Symbol,
    add,
    coefficient,
    multiply,
    substitute,
    subtract,
    symbols,
)


@node
class Region:
    """One access of parameter ``param`` in all its repetitions, in the parameter's coordinates. ``hull`` holds
    everything it touches; ``least`` is surely touched, the same object when it is exactly that, None when nothing is
    sure. Both are known only where every symbol in ``needs`` has a value; without, any part may be touched.
    """

    access: KernelAccess
    hull: View
    least: View | None
    needs: frozenset[Symbol]

    @property
    def param(self) -> int:
        return self.access.param


def regions_of(summary: Summary) -> tuple[Region, ...]:
    """The accesses of ``summary`` with their repetitions joined, without repeats."""
    found: dict[tuple[object, ...], Region] = {}
    for access in summary.accesses:
        region = _region(access, summary)
        key = (access.param, access.write, access.atomic, _key(region.hull), _key(region.least))
        found.setdefault(key, region)
    return tuple(found.values())


def _key(view: View | None) -> object:
    return None if view is None else (view.offsets, view.shape, view.strides)


def _region(access: KernelAccess, summary: Summary) -> Region:
    box = access.view
    target = whole(box.buffer)
    if box.shape is None or target.shape is None or box.strides != target.strides:
        return Region(access, target if box.shape is None else box, None, frozenset())
    hull, least = _sweep(access, box, target, summary)
    needs: set[Symbol] = set()
    for view in (hull, least):
        if view is not None and view.shape is not None:
            for value in (*view.offsets, *view.shape):
                if type(value) is Poly:
                    needs.update(s for s in symbols(value) if s in summary.internal)
    return Region(access, hull, least, frozenset(needs))


def _sweep(access: KernelAccess, box: View, target: View, summary: Summary) -> tuple[View, View | None]:
    assert box.shape is not None and target.shape is not None
    offsets: list[Scalar] = []
    extents: list[Scalar] = []
    exact, moved = True, False
    seen: set[Symbol] = set()
    for d, (offset, extent) in enumerate(zip(box.offsets, box.shape)):
        moving = _moving(offset, summary)
        if moving or _moving(extent, summary):
            moved = True
            swept = None if _moving(extent, summary) else _dimension(offset, extent, moving, summary)
            if swept is None:
                offsets.append(0)
                extents.append(target.shape[d])
                exact = False
                continue
            exact = exact and swept[2] and not seen.intersection(moving)
            seen.update(moving)
            offset, extent = swept[0], swept[1]
        offsets.append(offset)
        extents.append(extent)
    if access.minimum:
        # Of a write of unknown extent the first element is sure, and everything behind it possible.
        ends = [subtract(n, o) for n, o in zip(target.shape, offsets)]
        least = _first(box, summary) if access.certain else None
        return View(box.buffer, tuple(offsets), tuple(ends), box.strides), least
    if not moved:
        return box, box if access.certain else None
    hull = View(box.buffer, tuple(offsets), tuple(extents), box.strides)
    if not access.certain:
        return hull, None
    return hull, hull if exact else _first(box, summary)


def _moving(value: Scalar, summary: Summary) -> list[Symbol]:
    """Symbols that differ between repetitions of one task, or that nothing outside the kernel determines."""
    if type(value) is not Poly:
        return []
    return [s for s in symbols(value) if s in summary.internal and not _given(s, summary)]


def _given(symbol: Symbol, summary: Summary, depth: int = 8) -> bool:
    """The launch determines the symbol: a scalar parameter, an extent, the number of blocks, or computed from those."""
    if symbol in summary.given:
        return True
    definition = summary.definitions.get(symbol)
    if definition is None or depth == 0:
        return False
    inner = [s for value in definition[1:] if isinstance(value, Poly) for s in symbols(value)]
    return all(_given(s, summary, depth - 1) for s in inner)


def _dimension(
    offset: Scalar, extent: Scalar, moving: list[Symbol], summary: Summary
) -> tuple[Scalar, Scalar, bool] | None:
    """(offset, extent, without gaps) of the union over ``moving``; None when it cannot be expressed."""
    steps: list[tuple[int, Symbol]] = []
    for symbol in moving:
        factor = coefficient(offset, symbol) if isinstance(offset, Poly) else None
        if factor is None or symbol not in summary.trips or _moving(summary.trips[symbol], summary):
            return None
        steps.append((factor, symbol))
    steps.sort(key=lambda item: abs(item[0]))
    dense = True
    zero: dict[Symbol, Scalar] = {}
    for factor, symbol in steps:
        count = summary.trips[symbol]
        zero[symbol] = 0
        if not isinstance(extent, int) or abs(factor) > extent:
            dense = dense and count == 1
        reach = multiply(subtract(count, 1), factor)
        if factor < 0:
            offset = add(offset, reach)
            reach = multiply(reach, -1)
        extent = add(extent, reach)
    return substitute(offset, zero), extent, dense


def _first(box: View, summary: Summary) -> View | None:
    """The first block's, first trip's box: touched in any case."""
    zero: dict[Symbol, Scalar] = {symbol: 0 for symbol in summary.trips}
    assert box.shape is not None
    offsets = tuple([substitute(o, zero) for o in box.offsets])
    if any(_moving(value, summary) for value in (*offsets, *box.shape)):
        return None
    return View(box.buffer, offsets, box.shape, box.strides)
