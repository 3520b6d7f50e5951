"""The operators of kernels: their operands and keywords, and which tile code they become.

``pl.tile.add``, ``pl.tensor.add`` and ``pl.add`` are one operation. What is missing here is refused by name.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from pto_lsp.analysis.ir.expressions import Expr, Op
from pto_lsp.backend.kernels import elementwise, epilogue, matmul, reductions
from pto_lsp.backend.kernels.dtypes import memory_element, size
from pto_lsp.backend.kernels.frame import is_linear
from pto_lsp.backend.kernels.memory import (
    fixed,
    flat_extents,
    load,
    part_of_tile,
    read_element,
    store,
    window,
    without_axes,
    write_element,
)
from pto_lsp.backend.kernels.scalars import as_element, number
from pto_lsp.backend.kernels.tiles import Extent, Space, flat, vector_extents
from pto_lsp.backend.kernels.uses import short_name
from pto_lsp.backend.kernels.values import KernelText, Number, Tensor
from pto_lsp.backend.orchestration.errors import NotEmitted, surface_name

if TYPE_CHECKING:
    from pto_lsp.backend.kernels.lowering import KernelLowering

Operator = Callable[["KernelLowering", Op], KernelText]

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


def operate(kernel: KernelLowering, op: Op) -> KernelText:
    """The value of one operator, its code written. Raises `NotEmitted`."""
    function = _OPERATORS.get(short_name(op))
    if function is None:
        raise NotEmitted(f"the operation '{surface_name(op.name)}'")
    return function(kernel, op)


def _argument(op: Op, position: int, *names: str) -> Expr | None:
    if position < len(op.args):
        return op.args[position]
    return next((keyword.value for keyword in op.keywords if keyword.name in names), None)


def _required(op: Op, position: int, *names: str) -> Expr:
    found = _argument(op, position, *names)
    if found is None:
        raise NotEmitted(f"'pl.{op.name}' without {names[0] if names else f'operand {position + 1}'}")
    return found


def _tensor(kernel: KernelLowering, op: Op, position: int, *names: str) -> Tensor:
    """The operand as a place or a value, nothing loaded for it."""
    value = kernel.value(_required(op, position, *names))
    if not isinstance(value, Tensor):
        raise NotEmitted(f"operand {position + 1} of 'pl.{op.name}', which is no tensor")
    return value


def _elements(kernel: KernelLowering, op: Op, position: int, *names: str) -> Tensor:
    """The operand with its elements on chip."""
    return kernel.on_chip(_tensor(kernel, op, position, *names))


def _number(kernel: KernelLowering, op: Op, position: int, *names: str) -> Number:
    value = kernel.value(_required(op, position, *names))
    if not isinstance(value, Number):
        raise NotEmitted(f"operand {position + 1} of 'pl.{op.name}', which is no number")
    return value


def _keyword(kernel: KernelLowering, op: Op, name: str) -> KernelText:
    return next((kernel.value(keyword.value) for keyword in op.keywords if keyword.name == name), None)


def _flag(kernel: KernelLowering, op: Op, name: str) -> bool:
    value = _keyword(kernel, op, name)
    if value is None:
        return False
    if not isinstance(value, Number) or value.constant is None:
        raise NotEmitted(f"'pl.{op.name}' with a computed {name}")
    return bool(value.constant)


def _dtype(kernel: KernelLowering, op: Op, position: int, *names: str) -> str:
    found = _argument(op, position, *names)
    value = None if found is None else kernel.value(found)
    return value if isinstance(value, str) else ""


def _extents(kernel: KernelLowering, expr: Expr) -> tuple[Extent, ...]:
    return tuple([
        int(each.constant) if each.constant is not None else each.text for each in kernel.numbers(expr)
    ])  # fmt: skip


def _dropped(kernel: KernelLowering, op: Op) -> tuple[int, ...]:
    found = next((k.value for k in op.keywords if k.name in ("drop", "drop_dims")), None)
    return () if found is None else tuple([int(n.constant or 0) for n in kernel.numbers(found)])


def _valid(kernel: KernelLowering, op: Op, sizes: tuple[Extent, ...], position: int) -> tuple[Extent, ...]:
    """Of how much of a window there are elements, by dimension."""
    for name in ("clamp", "transpose"):
        if _flag(kernel, op, name):
            raise NotEmitted(f"'{surface_name(op.name)}' with {name}=True")
    valid = _argument(op, position, "valid_shape", "valid_shapes")
    if valid is None:
        return sizes
    found = tuple([_named(kernel, extent) for extent in _extents(kernel, valid)])
    if len(found) != len(sizes):
        raise NotEmitted(f"a valid shape of {len(found)} dimensions of {len(sizes)}")
    return found


def _named(kernel: KernelLowering, extent: Extent) -> Extent:
    """An extent that is computed gets a name, so that equal ones are seen to be."""
    return extent if isinstance(extent, int) or extent.isidentifier() else kernel.named(extent, "valid")


def _slice(kernel: KernelLowering, op: Op) -> KernelText:
    source = _tensor(kernel, op, 0)
    sizes = _extents(kernel, _required(op, 1, "shape"))
    offsets = kernel.numbers(_required(op, 2, "offset"))
    valid = _valid(kernel, op, sizes, 3)
    dropped = _dropped(kernel, op)
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


def _load(kernel: KernelLowering, op: Op) -> KernelText:
    source = _tensor(kernel, op, 0, "tensor")
    offsets = kernel.numbers(_required(op, 1, "offsets"))
    sizes = _extents(kernel, _required(op, 2, "shapes"))
    valid = _valid(kernel, op, sizes, 3)
    if source.view is None:
        raise NotEmitted("a load from a tile")
    found = load(kernel.frame, window(source.view, valid, offsets), kernel.frame.label, fixed(sizes))
    return Tensor(found.shape, found.dtype, found.tile, shared=True)


def _store(kernel: KernelLowering, op: Op) -> KernelText:
    target = _tensor(kernel, op, 2, "output_tensor")
    return _write_window(kernel, op, target, _required(op, 0), kernel.numbers(_required(op, 1, "offsets")), ())


def _assemble(kernel: KernelLowering, op: Op) -> KernelText:
    target = _tensor(kernel, op, 0)
    extents = next((k.value for k in op.keywords if k.name == "size"), None)
    sizes = () if extents is None else _extents(kernel, extents)
    offsets = kernel.numbers(_required(op, 2, "offset"))
    return _write_window(kernel, op, target, _required(op, 1, "source"), offsets, sizes)


def _write_window(
    kernel: KernelLowering,
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
    atomic = str(_keyword(kernel, op, "atomic") or "")
    if atomic and not atomic.endswith(("None_", "Add")):
        raise NotEmitted(f"'pl.{op.name}' with atomic={atomic}")
    if target.view is not None:
        if value.dtype != target.dtype and value.tile is not None and value.tile.buffer.space is Space.VEC:
            value = elementwise.cast(kernel.frame, value, target.dtype, "rint")
        store(kernel.frame, window(target.view, sizes, offsets), value, atomic.endswith("Add"))
        return Tensor(target.shape, target.dtype, None, target.view)
    return _into_tile(kernel, op, target, value, offsets, extents)


def _into_tile(
    kernel: KernelLowering, op: Op, target: Tensor, value: Tensor, offsets: tuple[Number, ...], extents: tuple[int, ...]
) -> Tensor:
    """A new value: in the tile of the old one where nobody looks at that any more."""
    frame = kernel.frame
    shape = fixed(target.shape)
    source = frame.converted(elementwise.tile_of(value), fixed(value.shape), target.dtype)
    tile = elementwise.tile_of(target)
    if not kernel.may_overwrite(_required(op, 0), target):
        copied = frame.vector_tile(shape, target.dtype)
        frame.copy(copied, tile)
        tile = copied
    part = part_of_tile(frame, tile, shape, extents, offsets)
    if flat(fixed(value.shape)) != part.valid:
        raise NotEmitted(f"a value {list(value.shape)} written to a part {list(extents)} of a tile")
    frame.copy(part, source)
    return Tensor(shape, target.dtype, tile)


def _read(kernel: KernelLowering, op: Op) -> KernelText:
    return read_element(kernel.frame, _tensor(kernel, op, 0), kernel.numbers(_required(op, 1, "indices")))


def _write(kernel: KernelLowering, op: Op) -> KernelText:
    target = _tensor(kernel, op, 0)
    content = as_element(_number(kernel, op, 2, "value"), memory_element(target.dtype))
    write_element(kernel.frame, target, kernel.numbers(_required(op, 1, "indices")), content)
    return target


def _full(kernel: KernelLowering, op: Op) -> KernelText:
    shape = fixed(_extents(kernel, _required(op, 0, "shape")))
    dtype = _dtype(kernel, op, 1, "dtype")
    return elementwise.filled(kernel.frame, shape, dtype, _number(kernel, op, 2, "value"))


def _zeros(kernel: KernelLowering, op: Op) -> KernelText:
    shape = fixed(_extents(kernel, _required(op, 0, "shape")))
    return elementwise.filled(kernel.frame, shape, _dtype(kernel, op, 1, "dtype") or "FP32", number(0))


def _create(kernel: KernelLowering, op: Op) -> KernelText:
    shape = fixed(_extents(kernel, _required(op, 0, "shape")))
    dtype = _dtype(kernel, op, 1, "dtype")
    content = _keyword(kernel, op, "init_value")
    if isinstance(content, Number):
        return elementwise.filled(kernel.frame, shape, dtype, content)
    if kernel.frame.cube:
        tile = matmul.accumulator_tile(kernel.frame, shape, dtype)
    else:
        tile = kernel.frame.vector_tile(shape, dtype)
    kernel.frame.touch(tile)
    return Tensor(shape, dtype, tile, undefined=True)


def _reshape(kernel: KernelLowering, op: Op) -> KernelText:
    source = _elements(kernel, op, 0)
    shape = fixed(_extents(kernel, _required(op, 1, "shape")))
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


def _transpose_view(kernel: KernelLowering, op: Op) -> KernelText:
    source = _elements(kernel, op, 0)
    shape = fixed(source.shape)
    if source.tile is None or source.tile.buffer.space is not Space.MAT or len(shape) != 2:
        raise NotEmitted("a transposed look at a tile of the vector core")
    return Tensor((shape[1], shape[0]), source.dtype, matmul.turned_tile(kernel.frame, source.tile), shared=True)


def _dim(kernel: KernelLowering, op: Op) -> KernelText:
    source, axis = _tensor(kernel, op, 0), _number(kernel, op, 1, "axis").constant
    if not isinstance(axis, int) or not -len(source.shape) <= axis < len(source.shape):
        raise NotEmitted(f"axis {axis} of a tensor of {len(source.shape)} dimensions")
    extent = source.shape[axis]
    return number(extent) if isinstance(extent, int) else Number(extent, "INDEX")


def _move(kernel: KernelLowering, op: Op) -> KernelText:
    return _elements(kernel, op, 0)


def _arithmetic(name: str) -> Operator:
    def lower(kernel: KernelLowering, op: Op) -> KernelText:
        if kernel.frame.cube and name == "add" and len(op.args) == 2:
            return _sum_with_product(kernel, op)
        left = _elements(kernel, op, 0, "lhs")
        right = kernel.value(_required(op, 1, "rhs"))
        if isinstance(right, Tensor):
            return elementwise.binary(kernel.frame, name, left, kernel.on_chip(right))
        if not isinstance(right, Number):
            raise NotEmitted(f"operand 2 of 'pl.{op.name}', which is neither a tensor nor a number")
        return elementwise.binary(kernel.frame, name, left, right)

    return lower


def _sum_with_product(kernel: KernelLowering, op: Op) -> Tensor:
    """Operands are evaluated once: what is no sum with a product has no code on the cube core anyway."""
    left, right = kernel.value(op.args[0]), kernel.value(op.args[1])
    if isinstance(left, (Tensor, Number)) and isinstance(right, (Tensor, Number)):
        total = epilogue.added(kernel.frame, left, right)
        if total is not None:
            return total
    raise NotEmitted(elementwise.VECTOR_WORK)


def _unary(name: str) -> Operator:
    def lower(kernel: KernelLowering, op: Op) -> KernelText:
        operand = _elements(kernel, op, 0)
        if name == "relu" and epilogue.is_product(operand):
            return epilogue.clipped(operand)
        return elementwise.unary(kernel.frame, name, operand)

    return lower


def _reduction(name: str, along_row: bool) -> Operator:
    return lambda kernel, op: reductions.reduce(kernel.frame, name, _elements(kernel, op, 0), along_row)


def _expansion(name: str, row: bool) -> Operator:
    """``row``: the vector is a column, one element for each row."""

    def lower(kernel: KernelLowering, op: Op) -> KernelText:
        whole, vector = _tensor(kernel, op, 0), _elements(kernel, op, 1)
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


def _expand_number(kernel: KernelLowering, op: Op) -> KernelText:
    target = _tensor(kernel, op, 0)
    return elementwise.filled(kernel.frame, fixed(target.shape), target.dtype, _number(kernel, op, 1))


def _matmul(kernel: KernelLowering, op: Op) -> KernelText:
    left, right = _elements(kernel, op, 0), _elements(kernel, op, 1)
    turned = _flag(kernel, op, "a_trans"), _flag(kernel, op, "b_trans")
    out_dtype = _dtype(kernel, op, 2, "out_dtype")
    return matmul.product(kernel.frame, left, right, out_dtype, turned, None, kernel.wanted_tile)


def _matmul_acc(kernel: KernelLowering, op: Op) -> KernelText:
    accumulator = _tensor(kernel, op, 0)
    left, right = _elements(kernel, op, 1), _elements(kernel, op, 2)
    turned = _flag(kernel, op, "a_trans"), _flag(kernel, op, "b_trans")
    if _flag(kernel, op, "init_cond"):
        return matmul.product(kernel.frame, left, right, accumulator.dtype, turned, None, accumulator.tile)
    if not kernel.may_overwrite(_required(op, 0), accumulator):
        raise NotEmitted("an accumulator that is used again")
    return matmul.product(kernel.frame, left, right, "", turned, accumulator)


def _cast(kernel: KernelLowering, op: Op) -> KernelText:
    given = _keyword(kernel, op, "mode")
    mode = given.constant if isinstance(given, Number) else "round" if given is None else given
    dtype = _dtype(kernel, op, 1, "target_type", "dtype")
    operand = _elements(kernel, op, 0)
    if epilogue.is_product(operand):
        return epilogue.rounded(operand, dtype)
    return elementwise.cast(kernel.frame, operand, dtype, mode)


def _set_valid(kernel: KernelLowering, op: Op) -> KernelText:
    source = _elements(kernel, op, 0)
    if len(op.args) == 2:
        numbers = kernel.numbers(op.args[1])
    else:
        numbers = (_number(kernel, op, 1), _number(kernel, op, 2))
    extents = tuple([
        _named(kernel, int(each.constant) if each.constant is not None else each.text) for each in numbers
    ])  # fmt: skip
    shape = fixed(source.shape)
    if len(extents) != len(shape):
        raise NotEmitted(f"a valid shape of {len(extents)} dimensions of {len(shape)}")
    assert source.tile is not None
    tile = kernel.frame.limited(source.tile, flat_extents(extents, shape))
    return Tensor(shape, source.dtype, tile, shared=True)


_PADDINGS = {"zero": number(0), "min": number(float("-inf")), "max": number(float("inf"))}


def _fillpad(kernel: KernelLowering, op: Op) -> KernelText:
    source = _elements(kernel, op, 0)
    given = _keyword(kernel, op, "pad_value")
    content = given if isinstance(given, Number) else _PADDINGS.get(str(given or "zero").rpartition(".")[2])
    if content is None or (source.dtype == "INT32" and content.dtype == "FP32"):
        raise NotEmitted(f"'{surface_name(op.name)}' with this value for {source.dtype}")
    return elementwise.padded_out(kernel.frame, source, content)


def _topology(function: str) -> Operator:
    def lower(kernel: KernelLowering, op: Op) -> KernelText:
        kernel.frame.topology = True
        return Number(f"{function}(args)", "INDEX")

    return lower


_OPERATORS: dict[str, Operator] = {
    "slice": _slice,
    "load": _load,
    "store": _store,
    "assemble": _assemble,
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
