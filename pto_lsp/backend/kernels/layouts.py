"""Operators that give elements another place or shape, or ask for one."""

from __future__ import annotations

from dataclasses import replace
from math import prod
from typing import TYPE_CHECKING

from pto_lsp.analysis.ir.expressions import Op
from pto_lsp.backend.kernels import elementwise, matmul, rearranging
from pto_lsp.backend.kernels.memory import fixed
from pto_lsp.backend.kernels.operands import (
    ONE_OPERAND,
    dtype_operand,
    elements_operand,
    extents_of,
    flag,
    number_operand,
    required,
    tensor_operand,
)
from pto_lsp.backend.kernels.regions import reshaped
from pto_lsp.backend.kernels.scalars import number
from pto_lsp.backend.kernels.tiles import Space, flat, vector_extents
from pto_lsp.backend.kernels.values import KernelText, Number, Tensor
from pto_lsp.backend.kernels.windows import taken
from pto_lsp.backend.operands import argument
from pto_lsp.backend.orchestration.errors import NotEmitted

if TYPE_CHECKING:
    from pto_lsp.backend.kernels.expressions import ExpressionLowering


def reshape(kernel: ExpressionLowering, op: Op) -> KernelText:
    source = elements_operand(kernel, op, 0)
    shape = fixed(extents_of(kernel, required(op, 1, "shape")))
    if kernel.frame.cube and flat(shape) == flat(fixed(source.shape)):
        return replace(source, shape=shape, shared=True)
    tile = elementwise.tile_of(source)
    held = fixed(source.shape)
    if prod(shape) != prod(held):
        raise NotEmitted(f"a reshape of {list(held)} to {list(shape)}")
    if tile.valid == flat(held):
        return Tensor(shape, source.dtype, reshaped(kernel.frame, tile, held, shape), shared=True)
    if flat(shape) == flat(held):
        return Tensor(shape, source.dtype, tile, shared=True)
    # A vector that turns keeps its elements in order.
    if flat(shape) != flat(held)[::-1] or 1 not in flat(shape):
        raise NotEmitted("a reshape of a partly valid tile")
    layout, rows, cols = vector_extents(shape, source.dtype)
    valid = (tile.valid[1], tile.valid[0])
    turned = kernel.frame.alias(tile, kernel.frame.label, source.dtype, layout, rows, cols, valid)
    return Tensor(shape, source.dtype, turned, shared=True)


def transpose_view(kernel: ExpressionLowering, op: Op) -> KernelText:
    source = elements_operand(kernel, op, 0)
    shape = fixed(source.shape)
    if source.tile is None or source.tile.buffer.space is not Space.MAT or len(shape) != 2:
        raise NotEmitted("a transposed look at a tile of the vector core")
    return Tensor((shape[1], shape[0]), source.dtype, matmul.turned_tile(kernel.frame, source.tile), shared=True)


def gather(kernel: ExpressionLowering, op: Op) -> KernelText:
    if op.name == "tile.gather" or argument(op, 2, "index") is None:
        raise NotEmitted("a gather that is not pl.gather(tensor, dim, index)")
    source = elements_operand(kernel, op, 0, "input")
    axis = argument(op, 1, "dim")
    position = None if axis is None else kernel.as_number(kernel.value(axis)).constant
    if position not in (-1, len(source.shape) - 1):
        raise NotEmitted("a gather that is not along the last dimension")
    return rearranging.gathered(kernel.frame, source, elements_operand(kernel, op, 2, "index"))


def transpose(kernel: ExpressionLowering, op: Op) -> KernelText:
    source = elements_operand(kernel, op, 0, *ONE_OPERAND)
    axes = [number_operand(kernel, op, at, name).constant for at, name in ((1, "axis1"), (2, "axis2"))]
    rank = len(source.shape)
    if sorted(int(axis) % rank for axis in axes if axis is not None) != [0, 1] or rank != 2:
        raise NotEmitted(f"a transpose of the dimensions {axes} of {list(source.shape)}")
    if source.tile is not None and source.tile.buffer.space is Space.MAT:
        return transpose_view(kernel, op)
    return rearranging.transposed(kernel.frame, source)


def concat(kernel: ExpressionLowering, op: Op) -> KernelText:
    count = max(len(op.args), 2)
    parts = [elements_operand(kernel, op, position, f"src{position}") for position in range(count)]
    return rearranging.joined(kernel.frame, parts)


def arange(kernel: ExpressionLowering, op: Op) -> KernelText:
    start = number_operand(kernel, op, 0, "start")
    shape = fixed(extents_of(kernel, required(op, 1, "shape")))
    dtype = dtype_operand(kernel, op, 2, "dtype") or "INT32"
    return rearranging.counted(kernel.frame, start, shape, dtype, flag(kernel, op, "descending", 3))


def dim(kernel: ExpressionLowering, op: Op) -> KernelText:
    source, axis = tensor_operand(kernel, op, 0), number_operand(kernel, op, 1, "axis").constant
    if not isinstance(axis, int) or not -len(source.shape) <= axis < len(source.shape):
        raise NotEmitted(f"axis {axis} of a tensor of {len(source.shape)} dimensions")
    extent = source.shape[axis]
    return number(extent) if isinstance(extent, int) else Number(extent, "INDEX")


def extract(kernel: ExpressionLowering, op: Op) -> KernelText:
    source = tensor_operand(kernel, op, 0, "src")
    offsets = tuple([number_operand(kernel, op, at, name) for at, name in ((1, "index_row"), (2, "index_col"))])
    sizes = extents_of(kernel, required(op, 3, "shape"))
    return taken(kernel, source, sizes, offsets, sizes, ())
