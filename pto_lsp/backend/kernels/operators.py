"""The operators of kernels, and which tile code they become.

``pl.tile.add``, ``pl.tensor.add`` and ``pl.add`` are one operation. What is missing here is refused by name.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from pto_lsp.analysis.ir.expressions import Op
from pto_lsp.backend.kernels import elementwise, epilogue, matmul, reductions
from pto_lsp.backend.kernels.dtypes import memory_element, size
from pto_lsp.backend.kernels.frame import is_linear
from pto_lsp.backend.kernels.memory import (
    fixed,
    flat_extents,
    read_element,
    write_element,
)
from pto_lsp.backend.kernels.operands import (
    dtype_operand,
    elements_operand,
    extents_of,
    flag,
    keyword_value,
    number_operand,
    required,
    tensor_operand,
)
from pto_lsp.backend.kernels.scalars import as_element, number
from pto_lsp.backend.kernels.tiles import Extent, Space, flat, vector_extents
from pto_lsp.backend.kernels.uses import short_name
from pto_lsp.backend.kernels.values import KernelText, Number, Tensor
from pto_lsp.backend.kernels.windows import assemble, load_operator, named_extent, slice_, store_operator
from pto_lsp.backend.orchestration.errors import NotEmitted, surface_name

if TYPE_CHECKING:
    from pto_lsp.backend.kernels.expressions import ExpressionLowering

Operator = Callable[["ExpressionLowering", Op], KernelText]

SCALAR_FORMS = {
    "adds": "add",
    "subs": "sub",
    "muls": "mul",
    "divs": "div",
    "maxs": "maximum",
    "mins": "minimum",
    "maximums": "maximum",
    "minimums": "minimum",
}
_EXPANDED = {"max": "maximum", "min": "minimum"}


def operate(kernel: ExpressionLowering, op: Op) -> KernelText:
    """The value of one operator, its code written. Raises `NotEmitted`."""
    function = _OPERATORS.get(short_name(op))
    if function is None:
        raise NotEmitted(f"the operation '{surface_name(op.name)}'")
    return function(kernel, op)


def _read(kernel: ExpressionLowering, op: Op) -> KernelText:
    return read_element(kernel.frame, tensor_operand(kernel, op, 0), kernel.numbers(required(op, 1, "indices")))


def _write(kernel: ExpressionLowering, op: Op) -> KernelText:
    target = tensor_operand(kernel, op, 0)
    content = as_element(number_operand(kernel, op, 2, "value"), memory_element(target.dtype))
    write_element(kernel.frame, target, kernel.numbers(required(op, 1, "indices")), content)
    return target


def _full(kernel: ExpressionLowering, op: Op) -> KernelText:
    shape = fixed(extents_of(kernel, required(op, 0, "shape")))
    dtype = dtype_operand(kernel, op, 1, "dtype")
    return elementwise.filled(kernel.frame, shape, dtype, number_operand(kernel, op, 2, "value"))


def _zeros(kernel: ExpressionLowering, op: Op) -> KernelText:
    shape = fixed(extents_of(kernel, required(op, 0, "shape")))
    return elementwise.filled(kernel.frame, shape, dtype_operand(kernel, op, 1, "dtype") or "FP32", number(0))


def _create(kernel: ExpressionLowering, op: Op) -> KernelText:
    shape = fixed(extents_of(kernel, required(op, 0, "shape")))
    dtype = dtype_operand(kernel, op, 1, "dtype")
    content = keyword_value(kernel, op, "init_value")
    if isinstance(content, Number):
        return elementwise.filled(kernel.frame, shape, dtype, content)
    if kernel.frame.cube:
        tile = matmul.accumulator_tile(kernel.frame, shape, dtype)
    else:
        tile = kernel.frame.vector_tile(shape, dtype)
    kernel.frame.touch(tile)
    return Tensor(shape, dtype, tile, undefined=True)


def _reshape(kernel: ExpressionLowering, op: Op) -> KernelText:
    source = elements_operand(kernel, op, 0)
    shape = fixed(extents_of(kernel, required(op, 1, "shape")))
    tile = elementwise.tile_of(source)
    before, count = 1, 1
    for extent in fixed(source.shape):
        before *= extent
    for extent in shape:
        count *= extent
    if count != before:
        raise NotEmitted(f"a reshape of {list(source.shape)} to {list(shape)}")
    same = flat(shape) == flat(fixed(source.shape))
    if same and vector_extents(shape, source.dtype) == (tile.layout, tile.rows, tile.cols):
        return Tensor(shape, source.dtype, tile, shared=True)
    layout, rows, cols = vector_extents(shape, source.dtype)
    frame = kernel.frame
    valid: tuple[Extent, Extent] = flat(shape)
    if tile.valid != flat(fixed(source.shape)):
        # A vector that turns keeps its elements in order.
        if valid != (flat(fixed(source.shape))[1], flat(fixed(source.shape))[0]) or 1 not in valid:
            raise NotEmitted("a reshape of a partly valid tile")
        valid = (tile.valid[1], tile.valid[0])
    result = frame.alias(tile, frame.label, source.dtype, layout, rows, cols, valid)
    if not is_linear(tile) or not is_linear(result) or rows * cols * size(source.dtype) > tile.buffer.bytes:
        raise NotEmitted(f"a reshape of {list(source.shape)} to {list(shape)}, whose rows are no whole blocks")
    return Tensor(shape, source.dtype, result, shared=True)


def _transpose_view(kernel: ExpressionLowering, op: Op) -> KernelText:
    source = elements_operand(kernel, op, 0)
    shape = fixed(source.shape)
    if source.tile is None or source.tile.buffer.space is not Space.MAT or len(shape) != 2:
        raise NotEmitted("a transposed look at a tile of the vector core")
    return Tensor((shape[1], shape[0]), source.dtype, matmul.turned_tile(kernel.frame, source.tile), shared=True)


def _dim(kernel: ExpressionLowering, op: Op) -> KernelText:
    source, axis = tensor_operand(kernel, op, 0), number_operand(kernel, op, 1, "axis").constant
    if not isinstance(axis, int) or not -len(source.shape) <= axis < len(source.shape):
        raise NotEmitted(f"axis {axis} of a tensor of {len(source.shape)} dimensions")
    extent = source.shape[axis]
    return number(extent) if isinstance(extent, int) else Number(extent, "INDEX")


def _move(kernel: ExpressionLowering, op: Op) -> KernelText:
    return elements_operand(kernel, op, 0)


def _arithmetic(name: str) -> Operator:
    def lower(kernel: ExpressionLowering, op: Op) -> KernelText:
        if kernel.frame.cube and name == "add" and len(op.args) == 2:
            return _sum_with_product(kernel, op)
        left = elements_operand(kernel, op, 0, "lhs")
        right = kernel.value(required(op, 1, "rhs"))
        if isinstance(right, Tensor):
            return elementwise.binary(kernel.frame, name, left, kernel.on_chip(right))
        if not isinstance(right, Number):
            raise NotEmitted(f"operand 2 of 'pl.{op.name}', which is neither a tensor nor a number")
        return elementwise.binary(kernel.frame, name, left, right)

    return lower


def _sum_with_product(kernel: ExpressionLowering, op: Op) -> Tensor:
    """Operands are evaluated once: what is no sum with a product has no code on the cube core anyway."""
    left, right = kernel.value(op.args[0]), kernel.value(op.args[1])
    if isinstance(left, (Tensor, Number)) and isinstance(right, (Tensor, Number)):
        total = epilogue.added(kernel.frame, left, right)
        if total is not None:
            return total
    raise NotEmitted(elementwise.VECTOR_WORK)


def _unary(name: str) -> Operator:
    def lower(kernel: ExpressionLowering, op: Op) -> KernelText:
        operand = elements_operand(kernel, op, 0)
        if name == "relu" and epilogue.is_product(operand):
            return epilogue.clipped(operand)
        return elementwise.unary(kernel.frame, name, operand)

    return lower


def _reduction(name: str, along_row: bool) -> Operator:
    return lambda kernel, op: reductions.reduce(kernel.frame, name, elements_operand(kernel, op, 0), along_row)


def _expansion(name: str, row: bool) -> Operator:
    """``row``: the vector is a column, one element for each row."""

    def lower(kernel: ExpressionLowering, op: Op) -> KernelText:
        whole, vector = tensor_operand(kernel, op, 0), elements_operand(kernel, op, 1)
        extents, target = flat(fixed(vector.shape)), flat(fixed(whole.shape))
        if extents != ((target[0], 1) if row else (1, target[1])):
            raise NotEmitted(f"'pl.{op.name}' of {list(whole.shape)} and {list(vector.shape)}")
        if not name:
            return elementwise.expanded(kernel.frame, whole, vector)
        whole = kernel.on_chip(whole)
        if extents == target:
            return elementwise.binary(kernel.frame, name, whole, vector)
        return elementwise.broadcast(kernel.frame, name, whole, vector)

    return lower


def _expand_number(kernel: ExpressionLowering, op: Op) -> KernelText:
    target = tensor_operand(kernel, op, 0)
    return elementwise.filled(kernel.frame, fixed(target.shape), target.dtype, number_operand(kernel, op, 1))


def _matmul(kernel: ExpressionLowering, op: Op) -> KernelText:
    left, right = elements_operand(kernel, op, 0), elements_operand(kernel, op, 1)
    turned = flag(kernel, op, "a_trans"), flag(kernel, op, "b_trans")
    out_dtype = dtype_operand(kernel, op, 2, "out_dtype")
    return matmul.product(kernel.frame, left, right, out_dtype, turned, None, kernel.wanted_tile)


def _matmul_acc(kernel: ExpressionLowering, op: Op) -> KernelText:
    accumulator = tensor_operand(kernel, op, 0)
    left, right = elements_operand(kernel, op, 1), elements_operand(kernel, op, 2)
    turned = flag(kernel, op, "a_trans"), flag(kernel, op, "b_trans")
    if flag(kernel, op, "init_cond"):
        return matmul.product(kernel.frame, left, right, accumulator.dtype, turned, None, accumulator.tile)
    if not kernel.may_overwrite(required(op, 0), accumulator):
        raise NotEmitted("an accumulator that is used again")
    return matmul.product(kernel.frame, left, right, "", turned, accumulator)


def _cast(kernel: ExpressionLowering, op: Op) -> KernelText:
    given = keyword_value(kernel, op, "mode")
    mode = given.constant if isinstance(given, Number) else "round" if given is None else given
    dtype = dtype_operand(kernel, op, 1, "target_type", "dtype")
    operand = elements_operand(kernel, op, 0)
    if epilogue.is_product(operand):
        return epilogue.rounded(operand, dtype)
    return elementwise.cast(kernel.frame, operand, dtype, mode)


def _set_valid(kernel: ExpressionLowering, op: Op) -> KernelText:
    source = elements_operand(kernel, op, 0)
    if len(op.args) == 2:
        numbers = kernel.numbers(op.args[1])
    else:
        numbers = (number_operand(kernel, op, 1), number_operand(kernel, op, 2))
    extents = tuple([
        named_extent(kernel, int(each.constant) if each.constant is not None else each.text) for each in numbers
    ])  # fmt: skip
    shape = fixed(source.shape)
    if len(extents) != len(shape):
        raise NotEmitted(f"a valid shape of {len(extents)} dimensions of {len(shape)}")
    assert source.tile is not None
    tile = kernel.frame.limited(source.tile, flat_extents(extents, shape))
    return Tensor(shape, source.dtype, tile, shared=True)


_PADDINGS = {"zero": number(0), "min": number(float("-inf")), "max": number(float("inf"))}


def _fillpad(kernel: ExpressionLowering, op: Op) -> KernelText:
    source = elements_operand(kernel, op, 0)
    given = keyword_value(kernel, op, "pad_value")
    content = given if isinstance(given, Number) else _PADDINGS.get(str(given or "zero").rpartition(".")[2])
    if content is None or (source.dtype == "INT32" and content.dtype == "FP32"):
        raise NotEmitted(f"'{surface_name(op.name)}' with this value for {source.dtype}")
    return elementwise.padded_out(kernel.frame, source, content)


def _topology(function: str) -> Operator:
    def lower(kernel: ExpressionLowering, op: Op) -> KernelText:
        kernel.frame.topology = True
        return Number(f"{function}(args)", "INDEX")

    return lower


_OPERATORS: dict[str, Operator] = {
    "slice": slice_,
    "load": load_operator,
    "store": store_operator,
    "assemble": assemble,
    "read": _read,
    "write": _write,
    "full": _full,
    "zeros": _zeros,
    "create": _create,
    "create_tile": _create,
    "reshape": _reshape,
    "transpose_view": _transpose_view,
    "dim": _dim,
    "move": _move,
    "matmul": _matmul,
    "matmul_acc": _matmul_acc,
    "cast": _cast,
    "set_validshape": _set_valid,
    "fillpad": _fillpad,
    "row_expand": _expansion("", True),
    "col_expand": _expansion("", False),
    "expands": _expand_number,
    "get_block_idx": _topology("get_block_idx"),
    "get_block_num": _topology("get_block_num"),
    "get_subblock_idx": _topology("get_sub_block_id"),
    **{name: _arithmetic(name) for name in elementwise.BINARY},
    **{name: _arithmetic(plain) for name, plain in SCALAR_FORMS.items()},
    **{name: _unary(name) for name in elementwise.UNARY},
    **{f"row_{name}": _reduction(name, True) for name in reductions.REDUCTIONS},
    **{f"col_{name}": _reduction(name, False) for name in reductions.REDUCTIONS},
    **{
        f"{side}_expand_{name}": _expansion(_EXPANDED.get(name, name), side == "row")
        for side in ("row", "col")
        for name in ("add", "sub", "mul", "div", "max", "min")
    },
}
"""By name without ``tile.`` or ``tensor.``."""
