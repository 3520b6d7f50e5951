"""Operators that take or write a part of a tensor: slices, loads, stores and assemblies."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pto_lsp.analysis.ir.expressions import Expr, Op
from pto_lsp.backend.kernels import elementwise
from pto_lsp.backend.kernels.memory import (
    fixed,
    load,
    part_of_tile,
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
from pto_lsp.backend.kernels.tiles import Extent, Space, flat
from pto_lsp.backend.kernels.values import KernelText, Number, Tensor
from pto_lsp.backend.operands import argument
from pto_lsp.backend.orchestration.errors import NotEmitted, surface_name

if TYPE_CHECKING:
    from pto_lsp.backend.kernels.expressions import ExpressionLowering


def _valid(kernel: ExpressionLowering, op: Op, sizes: tuple[Extent, ...], position: int) -> tuple[Extent, ...]:
    """Of how much of a window there are elements, by dimension."""
    for name in ("clamp", "transpose"):
        if flag(kernel, op, name):
            raise NotEmitted(f"'{surface_name(op.name)}' with {name}=True")
    valid = argument(op, position, "valid_shape", "valid_shapes")
    if valid is None:
        return sizes
    found = tuple([named_extent(kernel, extent) for extent in extents_of(kernel, valid)])
    if len(found) != len(sizes):
        raise NotEmitted(f"a valid shape of {len(found)} dimensions of {len(sizes)}")
    return found


def named_extent(kernel: ExpressionLowering, extent: Extent) -> Extent:
    """An extent that is computed gets a name, so that equal ones are seen to be."""
    return extent if isinstance(extent, int) or extent.isidentifier() else kernel.named(extent, "valid")


def slice_(kernel: ExpressionLowering, op: Op) -> KernelText:
    source = tensor_operand(kernel, op, 0)
    sizes = extents_of(kernel, required(op, 1, "shape"))
    offsets = kernel.numbers(required(op, 2, "offset"))
    valid = _valid(kernel, op, sizes, 3)
    dropped = dropped_axes(kernel, op)
    shape = tuple([extent for axis, extent in enumerate(sizes) if axis not in dropped])
    if source.view is not None:
        view = without_axes(window(source.view, valid, offsets), dropped)
        if valid == sizes:
            return Tensor(shape, source.dtype, None, view)
        return load(kernel.frame, view, kernel.frame.label, fixed(shape))
    assert source.tile is not None
    if valid != sizes:
        raise NotEmitted("a partly valid slice of a tile")
    part = part_of_tile(kernel.frame, source.tile, fixed(source.shape), fixed(sizes), offsets)
    result = kernel.frame.vector_tile(fixed(shape), source.dtype)
    if flat(fixed(shape)) != part.valid:
        raise NotEmitted("a slice of a tile that drops a dimension")
    kernel.frame.copy(result, part)
    return Tensor(shape, source.dtype, result)


def load_operator(kernel: ExpressionLowering, op: Op) -> KernelText:
    source = tensor_operand(kernel, op, 0, "tensor")
    offsets = kernel.numbers(required(op, 1, "offsets"))
    sizes = extents_of(kernel, required(op, 2, "shapes"))
    valid = _valid(kernel, op, sizes, 3)
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
    extents = fixed(sizes)
    count, held = 1, 1
    for extent in extents:
        count *= extent
    for extent in shape:
        held *= extent
    if count != held:
        raise NotEmitted(f"a value {list(shape)} written to a window {list(extents)}")
    atomic = str(keyword_value(kernel, op, "atomic") or "")
    if atomic and not atomic.endswith(("None_", "Add")):
        raise NotEmitted(f"'pl.{op.name}' with atomic={atomic}")
    if target.view is not None:
        if value.dtype != target.dtype and value.tile is not None and value.tile.buffer.space is Space.VEC:
            value = elementwise.cast(kernel.frame, value, target.dtype, "rint")
        store(kernel.frame, window(target.view, sizes, offsets), value, atomic.endswith("Add"))
        return Tensor(target.shape, target.dtype, None, target.view)
    return _into_tile(kernel, op, target, value, offsets, extents)


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
        copied = frame.vector_tile(shape, target.dtype)
        frame.copy(copied, tile)
        tile = copied
    part = part_of_tile(frame, tile, shape, extents, offsets)
    if flat(fixed(value.shape)) != part.valid:
        raise NotEmitted(f"a value {list(value.shape)} written to a part {list(extents)} of a tile")
    frame.copy(part, source)
    return Tensor(shape, target.dtype, tile)
