"""Operators that take or write a part of a tensor: slices, loads, stores and assemblies."""

from __future__ import annotations

from dataclasses import replace
from math import prod
from typing import TYPE_CHECKING

from pto_lsp.analysis.ir.expressions import Expr, Op
from pto_lsp.backend.kernels import elementwise
from pto_lsp.backend.kernels.frame import Frame
from pto_lsp.backend.kernels.memory import (
    fixed,
    flat_extents,
    load,
    store,
    window,
    without_axes,
)
from pto_lsp.backend.kernels.operands import (
    dropped_axes,
    extents_of,
    flag,
    keyword_value,
    required,
    tensor_operand,
)
from pto_lsp.backend.kernels.regions import Region, intersected, move, part_valid, regions_of, same_extents
from pto_lsp.backend.kernels.scalars import binary, number
from pto_lsp.backend.kernels.tiles import Extent, Space, Tile, flat
from pto_lsp.backend.kernels.values import KernelText, Number, Tensor
from pto_lsp.backend.operands import argument
from pto_lsp.backend.orchestration.errors import NotEmitted, surface_name

if TYPE_CHECKING:
    from pto_lsp.backend.kernels.expressions import ExpressionLowering


def _valid(
    kernel: ExpressionLowering,
    op: Op,
    source: Tensor,
    sizes: tuple[Extent, ...],
    offsets: tuple[Number, ...],
    position: int,
) -> tuple[Extent, ...]:
    """Of how much of a window of ``source`` there are elements, by dimension."""
    if flag(kernel, op, "transpose"):
        raise NotEmitted(f"'{surface_name(op.name)}' with transpose=True")
    valid = argument(op, position, "valid_shape", "valid_shapes")
    found = sizes
    if valid is not None:
        found = tuple([named_extent(kernel, extent) for extent in extents_of(kernel, valid)])
        if len(found) != len(sizes):
            raise NotEmitted(f"a valid shape of {len(found)} dimensions for a window of {len(sizes)}")
    if flag(kernel, op, "clamp"):
        # What lies beyond the end of the tensor is not valid.
        held = [binary("-", _as_number(extent), offset) for extent, offset in zip(source.shape, offsets)]
        cut = [binary("max", binary("min", _as_number(given), left), number(0)) for given, left in zip(found, held)]
        found = tuple([named_extent(kernel, n.text if n.constant is None else int(n.constant)) for n in cut])
    return found


def _as_number(extent: Extent) -> Number:
    return number(extent) if isinstance(extent, int) else Number(extent, "INDEX")


def named_extent(kernel: ExpressionLowering, extent: Extent) -> Extent:
    """An extent that is computed gets a name, so that equal ones are seen to be."""
    return extent if isinstance(extent, int) or extent.isidentifier() else kernel.named(extent, "valid")


def slice_(kernel: ExpressionLowering, op: Op) -> KernelText:
    source = tensor_operand(kernel, op, 0)
    sizes = extents_of(kernel, required(op, 1, "shape"))
    offsets = kernel.numbers(required(op, 2, "offset"))
    # Of a tile whose rank nobody declared, a subscript may leave out the last dimensions.
    sizes = (*sizes, *source.shape[len(sizes) :])
    offsets = (*offsets, *[number(0)] * (len(sizes) - len(offsets)))
    valid = _valid(kernel, op, source, sizes, offsets, 3)
    return taken(kernel, source, sizes, offsets, valid, dropped_axes(kernel, op))


def taken(
    kernel: ExpressionLowering,
    source: Tensor,
    sizes: tuple[Extent, ...],
    offsets: tuple[Number, ...],
    valid: tuple[Extent, ...],
    dropped: tuple[int, ...],
) -> Tensor:
    """A window of ``source`` of which ``valid`` holds elements; the axes ``dropped`` have extent 1 and are left out."""
    shape = tuple([extent for axis, extent in enumerate(sizes) if axis not in dropped])
    if source.view is not None:
        view = without_axes(window(source.view, valid, offsets), dropped)
        if valid == sizes:
            return Tensor(shape, source.dtype, None, view)
        return load(kernel.frame, view, kernel.frame.label, fixed(shape))
    if len(sizes) != len(source.shape) or len(offsets) != len(source.shape):
        raise NotEmitted(f"a window of {len(sizes)} dimensions of a tile of {len(source.shape)}")
    frame, tile = kernel.frame, elementwise.tile_of(source)
    extents = fixed(sizes)
    parts = regions_of(tile, fixed(source.shape), extents, offsets)
    held = [part_valid(frame, part, flat(fixed(source.shape))) for part in parts]
    if len(parts) > 1:
        if valid != sizes or any(part.extents != whole_.extents for part, whole_ in zip(held, parts)):
            raise NotEmitted(f"a partly valid part {list(extents)} of a tile {list(source.shape)}")
    elif valid != sizes:
        asked = intersected(frame, held[0].extents, flat_extents(valid, extents), flat(extents))
        held = [Region(held[0].tile, held[0].row, held[0].column, asked)]
    result = frame.vector_tile(fixed(shape), source.dtype, valid=_seen_as(held, flat(extents), flat(fixed(shape))))
    into = same_extents(frame, result, flat(extents), fixed(shape))
    if into is None:
        raise NotEmitted(f"a part {list(extents)} of a tile without its dimensions {list(dropped)}")
    for position, part in enumerate(held):
        move(frame, Region(into, number(position * rows_of(parts)), number(0), part.extents), part)
    return Tensor(shape, source.dtype, result)


def _seen_as(parts: list[Region], extents: tuple[int, int], target: tuple[int, int]) -> tuple[Extent, Extent]:
    """What is valid of the tile that the parts, of ``extents`` together, are moved to, seen with extents ``target``."""
    if len(parts) > 1:
        return target
    rows, cols = parts[0].extents
    return (rows, cols) if extents == target else (cols, rows)


def rows_of(parts: list[Region]) -> int:
    """How many rows each of the parts has."""
    rows = parts[0].extents[0]
    assert isinstance(rows, int)
    return rows


def load_operator(kernel: ExpressionLowering, op: Op) -> KernelText:
    source = tensor_operand(kernel, op, 0, "tensor")
    offsets = kernel.numbers(required(op, 1, "offsets"))
    sizes = extents_of(kernel, required(op, 2, "shapes"))
    valid = _valid(kernel, op, source, sizes, offsets, 3)
    if source.view is None:
        raise NotEmitted("a load from a tile")
    found = load(kernel.frame, window(source.view, valid, offsets), kernel.frame.label, fixed(sizes))
    return Tensor(found.shape, found.dtype, found.tile, shared=True)


def store_operator(kernel: ExpressionLowering, op: Op) -> KernelText:
    target = tensor_operand(kernel, op, 2, "output_tensor")
    return _write_window(kernel, op, target, required(op, 0), kernel.numbers(required(op, 1, "offsets")), ())


def assemble(kernel: ExpressionLowering, op: Op) -> KernelText:
    target = tensor_operand(kernel, op, 0)
    extents = next((k.value for k in op.keywords if k.name == "size"), None)
    sizes = () if extents is None else extents_of(kernel, extents)
    offsets = kernel.numbers(required(op, 2, "offset"))
    return _write_window(kernel, op, target, required(op, 1, "source"), offsets, sizes)


def _write_window(
    kernel: ExpressionLowering,
    op: Op,
    target: Tensor,
    content: Expr,
    offsets: tuple[Number, ...],
    sizes: tuple[Extent, ...],
) -> Tensor:
    found = kernel.value(content)
    if not isinstance(found, Tensor):
        raise NotEmitted(f"'pl.{op.name}' of something that is no tensor")
    value = kernel.on_chip(found)
    shape = fixed(value.shape)
    rank = len(target.shape)
    if not sizes:
        if len(shape) > rank:
            shape = shape[len(shape) - rank :] if all(extent == 1 for extent in shape[: len(shape) - rank]) else shape
        # A store of a lower rank writes the last dimensions.
        sizes = (*(1,) * (rank - len(shape)), *shape)
    sizes = _as_large_as(shape, sizes, dropped_axes(kernel, op))
    extents = fixed(sizes)
    if prod(extents) != prod(shape):
        if not _is_valid_part(value, extents):
            raise NotEmitted(f"a value {list(shape)} written to a window {list(extents)}")
        # What goes to memory of a tile is what is valid of it.
        value = replace(value, shape=extents)
    atomic = str(keyword_value(kernel, op, "atomic") or "")
    if atomic and not atomic.endswith(("None_", "Add")):
        raise NotEmitted(f"'pl.{op.name}' with atomic={atomic}")
    if target.view is not None:
        if value.dtype != target.dtype and value.tile is not None and value.tile.buffer.space is Space.VEC:
            value = elementwise.cast(kernel.frame, value, target.dtype, "rint")
        store(kernel.frame, window(target.view, sizes, offsets), value, atomic.endswith("Add"))
        return Tensor(target.shape, target.dtype, None, target.view)
    return _into_tile(kernel, op, target, value, offsets, extents)


def _as_large_as(shape: tuple[int, ...], sizes: tuple[Extent, ...], dropped: tuple[int, ...]) -> tuple[Extent, ...]:
    """``sizes`` of a window, those that the program computes taken from the ``shape`` of what is written to it."""
    kept = [axis for axis in range(len(sizes)) if axis not in dropped]
    if len(kept) != len(shape):
        return sizes
    found = list(sizes)
    for axis, extent in zip(kept, shape):
        if not isinstance(found[axis], int):
            found[axis] = extent
    return tuple(found)


def _is_valid_part(value: Tensor, extents: tuple[int, ...]) -> bool:
    """Whether the elements of ``value``, which is larger, are what a window of ``extents`` has room for."""
    assert value.tile is not None
    return all(isinstance(valid, str) or valid == extent for valid, extent in zip(value.tile.valid, flat(extents)))


def _into_tile(
    kernel: ExpressionLowering,
    op: Op,
    target: Tensor,
    value: Tensor,
    offsets: tuple[Number, ...],
    extents: tuple[int, ...],
) -> Tensor:
    """A new value: in the tile of the old one where nobody looks at that any more."""
    frame = kernel.frame
    shape = fixed(target.shape)
    source = frame.converted(elementwise.tile_of(value), fixed(value.shape), target.dtype)
    tile = elementwise.tile_of(target)
    if not kernel.may_overwrite(required(op, 0), target):
        copied = frame.vector_tile(shape, target.dtype, valid=tile.valid)
        frame.copy(copied, tile)
        tile = copied
    held = same_extents(frame, source, flat(extents), fixed(value.shape))
    if held is None:
        raise NotEmitted(f"a value {list(value.shape)} written to a part {list(extents)} of a tile")
    parts = regions_of(tile, shape, extents, offsets)
    for position, part in enumerate(parts):
        valid = held.valid if len(parts) == 1 else part.extents
        row = number(position * rows_of(parts))
        move(frame, Region(part.tile, part.row, part.column, valid), Region(held, row, number(0), valid))
    if tile.valid != flat(shape):
        tile = _grown(frame, tile, parts, flat(shape))
    return Tensor(shape, target.dtype, tile)


def _grown(frame: Frame, tile: Tile, parts: list[Region], extents: tuple[int, int]) -> Tile:
    """``tile`` with what was written to it: the parts have to lie in what was valid, or be all there is."""
    if len(parts) == 1 and parts[0].extents == extents:
        return frame.limited(tile, extents)
    for part in parts:
        for start, size, valid, full in zip((part.row, part.column), part.extents, tile.valid, extents):
            if valid != full and (start.constant, size) != (0, full) and not _inside(start, size, valid):
                raise NotEmitted("a write to what is not valid of a tile")
    return tile


def _inside(start: Number, size: Extent, valid: Extent) -> bool:
    """Whether ``size`` elements from ``start`` on certainly lie in what is valid."""
    if isinstance(start.constant, int) and isinstance(size, int) and isinstance(valid, int):
        return start.constant + size <= valid
    return False
