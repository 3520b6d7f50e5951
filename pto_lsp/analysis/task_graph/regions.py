"""Buffers, views of them, and three-valued comparison of regions (semantics.md §4, diagnostics.md "Policy")."""

from __future__ import annotations

from enum import IntEnum

from pto_lsp.analysis.ir.place import Place
from pto_lsp.analysis.ir.program import Direction
from pto_lsp.analysis.node import node
from pto_lsp.analysis.task_graph.scalars import Scalar, add, bounds, multiply, subtract

ALLOCATION = -1


class Overlap(IntEnum):
    """MAY is everything that cannot be decided; it never leads to a finding."""

    MUST_NOT = 0
    MAY = 1
    MUST = 2


@node
class Buffer:
    """Backing storage. ``owner`` is the task whose runtime output it is, ALLOCATION for a ``create_tensor``, None for
    a parameter. ``direction`` is the declared one of a parameter. ``shape`` None: not known. ``known`` is False for a
    value whose storage could not be traced: it may be any buffer at all.
    """

    index: int
    label: str
    shape: tuple[Scalar, ...] | None
    dtype: str
    at: Place | None = None
    owner: int | None = None
    direction: Direction | None = None
    manual_dep: bool = False


@node
class View:
    """A box of a buffer, in elements: index ``o[d] + k`` with ``0 <= k < shape[d]`` along each dimension of
    ``strides``.

    ``strides`` (elements per index step) identifies the coordinate system: only views with equal strides compare
    dimension by dimension. ``shape`` None: some region of the buffer, nothing known. ``manual_dep`` is the
    descriptor's flag, which views of it do not inherit (§6.6).
    """

    buffer: Buffer
    offsets: tuple[Scalar, ...]
    shape: tuple[Scalar, ...] | None
    strides: tuple[Scalar, ...]
    label: str = ""
    manual_dep: bool = False


def dense_strides(shape: tuple[Scalar, ...]) -> tuple[Scalar, ...]:
    strides: list[Scalar] = []
    step: Scalar = 1
    for extent in reversed(shape):
        strides.append(step)
        step = multiply(step, extent)
    strides.reverse()
    return tuple(strides)


def whole(buffer: Buffer, label: str = "") -> View:
    """The buffer's own descriptor."""
    shape = buffer.shape
    if shape is None:
        return View(buffer, (), None, (), label or buffer.label, buffer.manual_dep)
    return View(buffer, (0,) * len(shape), shape, dense_strides(shape), label or buffer.label, buffer.manual_dep)


def sub_view(view: View, offsets: tuple[Scalar, ...], shape: tuple[Scalar, ...], label: str) -> View:
    """The box ``offsets``/``shape`` in the coordinates of ``view``; tracked again whatever ``view`` was."""
    if view.shape is None or len(offsets) != len(view.offsets) or len(shape) != len(view.offsets):
        return unknown_region(view, label)
    return View(view.buffer, tuple([add(a, b) for a, b in zip(view.offsets, offsets)]), shape, view.strides, label)


def unknown_region(view: View, label: str) -> View:
    """Some part of the same buffer."""
    return View(view.buffer, (), None, (), label)


def drop_dimensions(view: View, dropped: tuple[int, ...], label: str) -> View:
    """``x[r, a:b]``: the dimensions ``dropped`` (extent 1) leave the descriptor; where they stood is kept by adding
    their offset to a dimension it is a multiple of, else the region is unknown.
    """
    if view.shape is None:
        return view
    kept = [d for d in range(len(view.shape)) if d not in dropped]
    if not kept:
        return unknown_region(view, label)
    offsets = [view.offsets[d] for d in kept]
    strides = [view.strides[d] for d in kept]
    for d in dropped:
        if view.offsets[d] == 0:
            continue
        stride, first = view.strides[d], strides[0]
        if isinstance(stride, int) and isinstance(first, int) and first and stride % first == 0:
            offsets[0] = add(offsets[0], multiply(view.offsets[d], stride // first))
        else:
            return unknown_region(view, label)
    return View(view.buffer, tuple(offsets), tuple([view.shape[d] for d in kept]), tuple(strides), label)


def reshape_view(view: View, shape: tuple[Scalar, ...], label: str) -> View:
    """A dense view with another shape over the same elements."""
    start = linear_start(view)
    if start is None:
        return unknown_region(view, label)
    strides = dense_strides(shape)
    offsets = split_start(start, strides)
    if offsets is None:
        return unknown_region(view, label)
    return View(view.buffer, offsets, shape, strides, label)


def transpose_view(view: View, first: int, second: int, label: str) -> View:
    if view.shape is None:
        return unknown_region(view, label)
    order = list(range(len(view.shape)))
    if not (-len(order) <= first < len(order) and -len(order) <= second < len(order)):
        return unknown_region(view, label)
    order[first], order[second] = order[second], order[first]
    pick = [(view.offsets[d], view.shape[d], view.strides[d]) for d in order]
    return View(view.buffer, tuple(p[0] for p in pick), tuple(p[1] for p in pick), tuple(p[2] for p in pick), label)


def linear_start(view: View) -> Scalar | None:
    """Element offset of the first element in the buffer."""
    if view.shape is None:
        return None
    start: Scalar = 0
    for offset, stride in zip(view.offsets, view.strides):
        start = add(start, multiply(offset, stride))
    return start


def split_start(start: Scalar, strides: tuple[Scalar, ...]) -> tuple[Scalar, ...] | None:
    """``start`` as one offset per dimension of a dense shape; None where it cannot be split."""
    offsets: list[Scalar] = []
    for stride in strides:
        if stride == 1 or not strides:
            offsets.append(start)
            start = 0
        elif isinstance(start, int):
            if start == 0:
                offsets.append(0)
            elif isinstance(stride, int) and stride > 0:
                offsets.append(start // stride)
                start %= stride
            else:
                return None
        elif isinstance(stride, int) and all(factor % stride == 0 for factor in start.terms.values()):
            offsets.append(_divided(start, stride))
            start = 0
        else:
            return None
    return tuple(offsets) if start == 0 else None


def _divided(value: Scalar, by: int) -> Scalar:
    total: Scalar = 0
    if isinstance(value, int):
        return value // by
    one = type(value)
    for monomial, factor in value.terms.items():
        total = add(total, factor // by if not monomial else one({monomial: factor // by}))
    return total


def is_empty(view: View) -> bool:
    return view.shape is not None and 0 in view.shape


def covers_buffer(view: View) -> bool:
    """Surely every element of the buffer."""
    shape, full = view.shape, view.buffer.shape
    if shape is None or full is None:
        return False
    if len(shape) == len(full) and shape == full and not any(view.offsets):
        return True
    if view.strides != dense_strides(shape) or any(view.offsets):
        return False
    return _product(shape) == _product(full)


def _product(shape: tuple[Scalar, ...]) -> Scalar:
    total: Scalar = 1
    for extent in shape:
        total = multiply(total, extent)
    return total


def compare(a: View, b: View) -> Overlap:
    """Do the two regions share an element? Geometry, exact for boxes of one coordinate system."""
    if a.buffer is not b.buffer:
        return Overlap.MUST_NOT
    if is_empty(a) or is_empty(b):
        return Overlap.MUST_NOT
    if a.shape is None or b.shape is None:
        return Overlap.MUST if _certain_whole(a, b) else Overlap.MAY
    if a.strides == b.strides:
        return _compare_boxes(a, b)
    verdict = _compare_bounds(a, b)
    if verdict is Overlap.MUST_NOT:
        return verdict
    return Overlap.MUST if _certain_whole(a, b) else Overlap.MAY


def runtime_overlap(a: View, b: View) -> Overlap:
    """What the overlap map says: as ``compare``, but views of different strides overlap when their bounding ranges do
    (§4.5).
    """
    if a.buffer is not b.buffer:
        return Overlap.MUST_NOT
    if a.shape is not None and b.shape is not None and a.strides != b.strides:
        if is_empty(a) or is_empty(b):
            return Overlap.MUST_NOT
        verdict = _compare_bounds(a, b)
        return Overlap.MUST if verdict is not Overlap.MUST_NOT and _certain_whole(a, b) else verdict
    return compare(a, b)


def _certain_whole(a: View, b: View) -> bool:
    return covers_buffer(a) or covers_buffer(b)


def _compare_boxes(a: View, b: View) -> Overlap:
    shape_a, shape_b = a.shape, b.shape
    assert shape_a is not None and shape_b is not None
    result = Overlap.MUST
    for d in range(len(shape_a)):
        p, n, q, m = a.offsets[d], shape_a[d], b.offsets[d], shape_b[d]
        if isinstance(p, int) and isinstance(q, int) and isinstance(n, int) and isinstance(m, int):
            if p + n <= q or q + m <= p:
                return Overlap.MUST_NOT
            continue
        if p == q:
            continue
        if _is_whole(a, d) or _is_whole(b, d):
            continue
        verdict = _intervals(p, n, q, m)
        if verdict is Overlap.MUST_NOT:
            return verdict
        if verdict is Overlap.MAY:
            result = Overlap.MAY
    return result


def _is_whole(view: View, d: int) -> bool:
    """The view has all of dimension ``d`` of its buffer, counted as the buffer counts."""
    shape, full = view.shape, view.buffer.shape
    if shape is None or full is None or len(full) != len(shape) or view.offsets[d] != 0 or shape[d] != full[d]:
        return False
    return view.strides == dense_strides(full)


def _intervals(p: Scalar, n: Scalar, q: Scalar, m: Scalar) -> Overlap:
    """[p, p+n) against [q, q+m): gap after a is q - (p + n), gap after b is p - (q + m); overlap when both are
    negative.
    """
    after_a = bounds(subtract(q, add(p, n)))
    after_b = bounds(subtract(p, add(q, m)))
    if (after_a[0] is not None and after_a[0] >= 0) or (after_b[0] is not None and after_b[0] >= 0):
        return Overlap.MUST_NOT
    if after_a[1] is not None and after_a[1] < 0 and after_b[1] is not None and after_b[1] < 0:
        return Overlap.MUST
    return Overlap.MAY


def _span(view: View) -> tuple[Scalar, Scalar] | None:
    """First element and extent of the bounding range."""
    start = linear_start(view)
    if start is None or view.shape is None:
        return None
    length: Scalar = 1
    for extent, stride in zip(view.shape, view.strides):
        length = add(length, multiply(subtract(extent, 1), stride))
    return start, length


def _compare_bounds(a: View, b: View) -> Overlap:
    first, second = _span(a), _span(b)
    if first is None or second is None:
        return Overlap.MAY
    return _intervals(first[0], first[1], second[0], second[1])


def covers(a: View, b: View) -> bool:
    """Surely every element of ``b`` is in ``a``, by the map's own test: one coordinate system, dimension by
    dimension.
    """
    if a.buffer is not b.buffer or a.shape is None or b.shape is None or a.strides != b.strides:
        return False
    for d in range(len(a.shape)):
        p, n, q, m = a.offsets[d], a.shape[d], b.offsets[d], b.shape[d]
        if _is_whole(a, d):
            continue
        below = bounds(subtract(q, p))[0]
        above = bounds(subtract(add(p, n), add(q, m)))[0]
        if below is None or below < 0 or above is None or above < 0:
            return False
    return True
