"""The operators of kernels, and which tile code they become.

``pl.tile.add``, ``pl.tensor.add`` and ``pl.add`` are one operation. What is missing here is refused by name.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from pto_lsp.analysis.ir.expressions import Op
from pto_lsp.backend.kernels import elementwise, epilogue, layouts, matmul, reductions
from pto_lsp.backend.kernels.dtypes import memory_element
from pto_lsp.backend.kernels.memory import (
    fixed,
    flat_extents,
    read_element,
    write_element,
)
from pto_lsp.backend.kernels.operands import (
    ONE_OPERAND,
    dtype_operand,
    elements_operand,
    extents_of,
    flag,
    keyword_value,
    number_operand,
    required,
    tensor_operand,
)
from pto_lsp.backend.kernels.scalars import as_element, binary, number
from pto_lsp.backend.kernels.tiles import flat
from pto_lsp.backend.kernels.uses import short_name
from pto_lsp.backend.kernels.values import KernelText, Number, Tensor
from pto_lsp.backend.kernels.windows import assemble, load_operator, named_extent, slice_, store_operator, taken
from pto_lsp.backend.operands import argument
from pto_lsp.backend.orchestration.errors import NotEmitted, surface_name
from pto_lsp.backend.orchestration.scalars import bare

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
    source = tensor_operand(kernel, op, 0, "src", "tile", "tensor")
    index = kernel.numbers(required(op, 1, "indices", "offset"))
    rank = len(source.shape)
    if op.sugar and len(index) < rank:
        # Of a tile whose rank nobody declared, this is a row.
        sizes = (*(1,) * len(index), *source.shape[len(index) :])
        offsets = (*index, *(number(0),) * (rank - len(index)))
        return taken(kernel, source, sizes, offsets, sizes, tuple(range(len(index))))
    return read_element(kernel.frame, source, _split(source, index))


def _write(kernel: ExpressionLowering, op: Op) -> KernelText:
    target = tensor_operand(kernel, op, 0, "dst", "tile", "tensor")
    content = as_element(number_operand(kernel, op, 2, "value"), memory_element(target.dtype))
    index = kernel.numbers(required(op, 1, "indices", "offset"))
    write_element(kernel.frame, target, _split(target, index), content)
    return target


def _split(value: Tensor, index: tuple[Number, ...]) -> tuple[Number, ...]:
    """An index for each dimension, of a single one that counts elements."""
    if len(index) != 1 or len(value.shape) < 2:
        return index
    found: list[Number] = []
    rest = index[0]
    for extent in reversed(fixed(value.shape[1:])):
        found.append(binary("%", rest, number(extent)))
        rest = binary("//", rest, number(extent))
    return (rest, *reversed(found))


def _full(kernel: ExpressionLowering, op: Op) -> KernelText:
    shape = fixed(extents_of(kernel, required(op, 0, "shape")))
    dtype = dtype_operand(kernel, op, 1, "dtype")
    return _filled(kernel, shape, dtype, number_operand(kernel, op, 2, "value"))


def _zeros(kernel: ExpressionLowering, op: Op) -> KernelText:
    shape = fixed(extents_of(kernel, required(op, 0, "shape")))
    return _filled(kernel, shape, dtype_operand(kernel, op, 1, "dtype") or "FP32", number(0))


def _filled(kernel: ExpressionLowering, shape: tuple[int, ...], dtype: str, content: Number) -> Tensor:
    if kernel.frame.cube and content.constant == 0 and dtype in ("FP32", "INT32"):
        return matmul.zeros(kernel.frame, shape, dtype)
    return elementwise.filled(kernel.frame, shape, dtype, content)


def _create(kernel: ExpressionLowering, op: Op) -> KernelText:
    shape = fixed(extents_of(kernel, required(op, 0, "shape")))
    dtype = dtype_operand(kernel, op, 1, "dtype")
    content = keyword_value(kernel, op, "init_value")
    if isinstance(content, Number):
        return _filled(kernel, shape, dtype, content)
    if kernel.frame.cube:
        tile = matmul.accumulator_tile(kernel.frame, shape, dtype)
    else:
        tile = kernel.frame.vector_tile(shape, dtype)
    kernel.frame.touch(tile)
    return Tensor(shape, dtype, tile, undefined=True)


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
        operand = elements_operand(kernel, op, 0, *ONE_OPERAND)
        if name == "relu" and epilogue.is_product(operand):
            return epilogue.clipped(operand)
        return elementwise.unary(kernel.frame, name, operand)

    return lower


def _reduction(name: str, along_row: bool) -> Operator:
    return lambda kernel, op: reductions.reduce(
        kernel.frame, name, elements_operand(kernel, op, 0, *ONE_OPERAND), along_row
    )


def _expansion(name: str, row: bool) -> Operator:
    """``row``: the vector is a column, one element for each row."""

    def lower(kernel: ExpressionLowering, op: Op) -> KernelText:
        whole = tensor_operand(kernel, op, 0, "lhs", "target", "tile", "tensor")
        vector = elements_operand(kernel, op, 1, "rhs", "row_vec", "col_vec")
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


def _exponential_of_difference(row: bool) -> Operator:
    difference = _expansion("sub", row)

    def lower(kernel: ExpressionLowering, op: Op) -> KernelText:
        found = difference(kernel, op)
        assert isinstance(found, Tensor)
        return elementwise.unary(kernel.frame, "exp", found)

    return lower


def _expand_clone(kernel: ExpressionLowering, op: Op) -> KernelText:
    vector, whole = elements_operand(kernel, op, 0, "src"), tensor_operand(kernel, op, 1, "target")
    return elementwise.expanded(kernel.frame, whole, vector)


def _expand_number(kernel: ExpressionLowering, op: Op) -> KernelText:
    target = tensor_operand(kernel, op, 0, "target")
    content = number_operand(kernel, op, 1, "scalar")
    return elementwise.filled(kernel.frame, fixed(target.shape), target.dtype, content)


def _matmul(kernel: ExpressionLowering, op: Op) -> KernelText:
    left, right = elements_operand(kernel, op, 0, "lhs"), elements_operand(kernel, op, 1, "rhs")
    turned = flag(kernel, op, "a_trans", 3), flag(kernel, op, "b_trans", 4)
    out_dtype = dtype_operand(kernel, op, 2, "out_dtype")
    return matmul.product(kernel.frame, left, right, out_dtype, turned, None, kernel.wanted_tile)


def _matmul_acc(kernel: ExpressionLowering, op: Op) -> KernelText:
    accumulator = tensor_operand(kernel, op, 0, "acc")
    left, right = elements_operand(kernel, op, 1, "lhs"), elements_operand(kernel, op, 2, "rhs")
    on_tiles = op.name.startswith("tile.")
    turned = (False, False) if on_tiles else (flag(kernel, op, "a_trans", 3), flag(kernel, op, "b_trans", 4))
    condition = argument(op, 3 if on_tiles else 5, "init_cond")
    first = number(False) if condition is None else kernel.as_number(kernel.value(condition))
    if first.constant:
        return matmul.product(kernel.frame, left, right, accumulator.dtype, turned, None, accumulator.tile)
    if not kernel.may_overwrite(required(op, 0, "acc"), accumulator):
        raise NotEmitted("an accumulator that is used again")
    when = "" if first.constant is not None else bare(first.text)
    return matmul.product(kernel.frame, left, right, "", turned, accumulator, first=when)


def _cast(kernel: ExpressionLowering, op: Op) -> KernelText:
    written = argument(op, 2, "mode")
    given = None if written is None else kernel.value(written)
    mode = given.constant if isinstance(given, Number) else "round" if given is None else given
    dtype = dtype_operand(kernel, op, 1, "target_type", "dtype")
    operand = elements_operand(kernel, op, 0, *ONE_OPERAND)
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
        raise NotEmitted(f"a valid shape of {len(extents)} dimensions for a tile of {len(shape)}")
    assert source.tile is not None
    tile = kernel.frame.limited(source.tile, flat_extents(extents, shape))
    return Tensor(shape, source.dtype, tile, shared=True)


_PADDINGS = {"zero": number(0), "min": number(float("-inf")), "max": number(float("inf"))}
_LIMITS = {"min": number(-(2**31)), "max": number(2**31 - 1)}


def _fillpad(kernel: ExpressionLowering, op: Op) -> KernelText:
    source = elements_operand(kernel, op, 0)
    written = argument(op, 1, "pad_value")
    given = None if written is None else kernel.value(written)
    name = str(given or "zero").rpartition(".")[2]
    content = given if isinstance(given, Number) else _PADDINGS.get(name)
    if source.dtype == "INT32" and not isinstance(given, Number):
        content = _LIMITS.get(name, content)
    if content is None:
        raise NotEmitted(f"'{surface_name(op.name)}' with {name}")
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
    "reshape": layouts.reshape,
    "transpose_view": layouts.transpose_view,
    "transpose": layouts.transpose,
    "concat": layouts.concat,
    "gather": layouts.gather,
    "arange": layouts.arange,
    "ci": layouts.arange,
    "dim": layouts.dim,
    "move": _move,
    "extract": layouts.extract,
    "matmul": _matmul,
    "matmul_acc": _matmul_acc,
    "cast": _cast,
    "set_validshape": _set_valid,
    "fillpad": _fillpad,
    "fillpad_inplace": _fillpad,
    "row_expand": _expansion("", True),
    "col_expand": _expansion("", False),
    "expands": _expand_number,
    "expand_clone": _expand_clone,
    "row_expand_expdif": _exponential_of_difference(True),
    "col_expand_expdif": _exponential_of_difference(False),
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
