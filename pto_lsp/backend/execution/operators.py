"""The operators of kernels: access to tensors here, arithmetic in ``arithmetic``.

``pl.tile.add``, ``pl.tensor.add`` and ``pl.add`` are one operation. An operator that is missing here is refused by
name, never approximated.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from pto_lsp.analysis.ir.expressions import Expr, Op
from pto_lsp.backend.execution import arithmetic
from pto_lsp.backend.execution.errors import NotExecutable
from pto_lsp.backend.execution.values import Array, Operand, converted, in_memory, undefined
from pto_lsp.backend.operands import NOWHERE, argument

if TYPE_CHECKING:
    from pto_lsp.backend.execution.kernel import KernelFrame, KernelValue

_PREFIXES = ("tile.", "tensor.")
_LAST, _FIRST = -1, -2
_ONE_OPERAND = ("input", "tile", "tensor")
"""What the operand of an operator with only one tensor is called."""
_SCALAR_FORMS = {
    "adds": "add",
    "subs": "sub",
    "muls": "mul",
    "divs": "div",
    "fmods": "fmod",
    "maxs": "maximum",
    "mins": "minimum",
    "maximums": "maximum",
    "minimums": "minimum",
}
_EXPANDED = {"max": "maximum", "min": "minimum"}


def operate(frame: KernelFrame, op: Op) -> KernelValue:
    """The value of one operator; its writes go to device memory. Raises `NotExecutable`."""
    function = _OPERATORS.get(_short(op.name))
    if function is None:
        raise NotExecutable(f"the operation 'pl.{op.name}' is not executed")
    try:
        return function(frame, op)
    except (ValueError, IndexError) as fault:
        raise NotExecutable(f"'pl.{op.name}' of these shapes: {fault}") from fault


def _short(name: str) -> str:
    return next((name[len(prefix) :] for prefix in _PREFIXES if name.startswith(prefix)), name)


def _required(op: Op, position: int, *names: str) -> Expr:
    found = argument(op, position, *names)
    if found is None:
        raise NotExecutable(f"'pl.{op.name}' without {names[0] if names else f'operand {position + 1}'}")
    return found


def _operand(frame: KernelFrame, op: Op, position: int, *names: str) -> Operand:
    value = frame.value(_required(op, position, *names))
    if not isinstance(value, Operand):
        raise NotExecutable(f"operand {position + 1} of 'pl.{op.name}' is not a tensor")
    return value


def _number(frame: KernelFrame, op: Op, position: int, *names: str) -> int | float:
    value = frame.value(_required(op, position, *names))
    if not isinstance(value, (int, float)):
        raise NotExecutable(f"operand {position + 1} of 'pl.{op.name}' is not a number")
    return value


def _flag(frame: KernelFrame, op: Op, name: str, position: int = NOWHERE) -> bool:
    given = argument(op, position, name)
    return given is not None and bool(frame.value(given))


def _dtype(frame: KernelFrame, op: Op, position: int, *names: str) -> str:
    found = argument(op, position, *names)
    value = None if found is None else frame.value(found)
    return value if isinstance(value, str) else ""


def _window(shape: tuple[int, ...], sizes: tuple[int, ...], offsets: tuple[int, ...], what: str) -> tuple[slice, ...]:
    """The index of a window, which has to lie inside."""
    if len(sizes) != len(shape) or len(offsets) != len(shape):
        raise NotExecutable(f"{what} with {len(sizes)} extents and {len(offsets)} offsets of a tensor {list(shape)}")
    if any(o < 0 or o + s > full for o, s, full in zip(offsets, sizes, shape)):
        raise NotExecutable(f"{what} of {list(sizes)} at {list(offsets)} is outside the tensor {list(shape)}")
    return tuple([slice(offset, offset + size) for offset, size in zip(offsets, sizes)])


def _dropped(frame: KernelFrame, op: Op) -> tuple[int, ...]:
    found = next((k.value for k in op.keywords if k.name in ("drop", "drop_dims")), None)
    return () if found is None else frame.integers(found)


def _refuse_partial(frame: KernelFrame, op: Op, sizes: tuple[int, ...], position: int) -> None:
    """Tiles that are only partly valid, and moving windows that are clamped, are not modelled."""
    valid = argument(op, position, "valid_shape", "valid_shapes")
    if valid is not None and frame.integers(valid) != sizes:
        raise NotExecutable(f"'pl.{op.name}' with a valid shape smaller than the tile is not executed")
    for name in ("clamp", "transpose"):
        if _flag(frame, op, name):
            raise NotExecutable(f"'pl.{op.name}' with {name}=True is not executed")


def _slice(frame: KernelFrame, op: Op) -> KernelValue:
    source = _operand(frame, op, 0)
    sizes, offsets = frame.integers(_required(op, 1, "shape")), frame.integers(_required(op, 2, "offset"))
    # Of a tile whose rank nobody declared, a subscript may leave out the last dimensions.
    sizes = (*sizes, *source.array.shape[len(sizes) :])
    offsets = (*offsets, *(0,) * (len(sizes) - len(offsets)))
    _refuse_partial(frame, op, sizes, 3)
    index = _window(source.array.shape, sizes, offsets, "a slice")
    dropped = _dropped(frame, op)

    def part(array: Array) -> Array:
        window = array[index]
        return window.squeeze(axis=dropped) if dropped and len(dropped) < window.ndim else window

    memory = None if source.memory is None else part(source.memory)
    return Operand(part(source.array).copy(), source.dtype, memory, source.tile)


def _load(frame: KernelFrame, op: Op) -> KernelValue:
    source = _operand(frame, op, 0, "tensor")
    offsets, sizes = frame.integers(_required(op, 1, "offsets")), frame.integers(_required(op, 2, "shapes"))
    _refuse_partial(frame, op, sizes, 3)
    index = _window(source.array.shape, sizes, offsets, "a load")
    return Operand(source.array[index].copy(), source.dtype, None, True)


def _store(frame: KernelFrame, op: Op) -> KernelValue:
    value, target = _operand(frame, op, 0), _operand(frame, op, 2, "output_tensor")
    offsets = frame.integers(_required(op, 1, "offsets"))
    return _write_window(frame, op, target, value, offsets, ())


def _assemble(frame: KernelFrame, op: Op) -> KernelValue:
    target, value = _operand(frame, op, 0), _operand(frame, op, 1, "source")
    offsets = frame.integers(_required(op, 2, "offset"))
    extents = next((k.value for k in op.keywords if k.name == "size"), None)
    return _write_window(frame, op, target, value, offsets, () if extents is None else frame.integers(extents))


def _write_window(
    frame: KernelFrame, op: Op, target: Operand, value: Operand, offsets: tuple[int, ...], sizes: tuple[int, ...]
) -> Operand:
    """Into device memory in place; a value of the kernel's own is replaced by a new one."""
    source = value.array
    rank = target.array.ndim
    if not sizes:
        # A store of a lower rank writes the last dimensions.
        sizes = (*(1,) * (rank - source.ndim), *source.shape)
    if source.size != np.prod(sizes):
        raise NotExecutable(f"a value {list(source.shape)} written to a window {list(sizes)}")
    index = _window(target.array.shape, sizes, offsets, "a write")
    content = converted(source.reshape(sizes), target.dtype)
    atomic = next((str(frame.value(k.value)) for k in op.keywords if k.name == "atomic"), "")
    if atomic and not atomic.endswith(("None_", "Add")):
        raise NotExecutable(f"'pl.{op.name}' with atomic={atomic} is not executed")
    array = target.array.copy() if target.memory is None else target.memory
    if atomic.endswith("Add"):
        content = converted(array[index] + content, target.dtype)
    array[index] = content
    return Operand(array, target.dtype, None, target.tile) if target.memory is None else in_memory(array, target.dtype)


def _read(frame: KernelFrame, op: Op) -> KernelValue:
    source = _operand(frame, op, 0)
    given = frame.integers(_required(op, 1, "indices"))
    if op.sugar and len(given) < source.array.ndim:
        # Of a tile whose rank nobody declared, this is a row.
        memory = None if source.memory is None else source.memory[given]
        return Operand(source.array[given].copy(), source.dtype, memory, source.tile)
    value: int | float | bool = source.array[_element(frame, op, source)].item()
    return value


def _write(frame: KernelFrame, op: Op) -> KernelValue:
    target = _operand(frame, op, 0)
    index = _element(frame, op, target)
    content = converted(np.asarray(_number(frame, op, 2, "value")), target.dtype)
    if target.memory is not None:
        target.memory[index] = content
        return in_memory(target.memory, target.dtype)
    # Written as a statement, the tile is changed in place: nothing but its own names can see that.
    target.array[index] = content
    return target


def _element(frame: KernelFrame, op: Op, source: Operand) -> tuple[int, ...]:
    index = frame.integers(_required(op, 1, "indices"))
    shape = source.array.shape
    if len(index) == 1 and len(shape) > 1:
        index = tuple([int(i) for i in np.unravel_index(index[0], shape)])
    if len(index) != len(shape) or any(not 0 <= i < extent for i, extent in zip(index, shape)):
        raise NotExecutable(f"element {list(index)} of a tensor {list(shape)}")
    return index


def _full(frame: KernelFrame, op: Op) -> KernelValue:
    dtype = _dtype(frame, op, 1, "dtype")
    array = undefined(frame.integers(_required(op, 0, "shape")), dtype)
    array[...] = converted(np.asarray(_number(frame, op, 2, "value")), dtype)
    return Operand(array, dtype, None, op.name.startswith("tile."))


def _create(frame: KernelFrame, op: Op) -> KernelValue:
    dtype = _dtype(frame, op, 1, "dtype")
    array = undefined(frame.integers(_required(op, 0, "shape")), dtype)
    content = next((frame.value(k.value) for k in op.keywords if k.name == "init_value"), None)
    if isinstance(content, (int, float)):
        array[...] = converted(np.asarray(content), dtype)
    return Operand(array, dtype, None, op.name != "tensor.create")


def _arange(frame: KernelFrame, op: Op) -> KernelValue:
    start, shape = _number(frame, op, 0, "start"), frame.integers(_required(op, 1, "shape"))
    dtype = _dtype(frame, op, 2, "dtype") or "INT32"
    steps = np.arange(int(np.prod(shape))).reshape(shape)
    array = start - steps if _flag(frame, op, "descending") else start + steps
    return Operand(converted(array, dtype), dtype, None, op.name.startswith("tile."))


def _reshape(frame: KernelFrame, op: Op) -> KernelValue:
    source = _operand(frame, op, 0)
    shape = frame.integers(_required(op, 1, "shape"))
    array = source.array.reshape(shape)
    if source.memory is None:
        return Operand(array, source.dtype, None, source.tile)
    memory = source.memory.reshape(shape)
    # A copy is no view: reading it is right, and a write has nowhere to go.
    shares = np.shares_memory(memory, source.memory)
    return Operand(array.copy(), source.dtype, memory if shares else None, source.tile)


def _transpose(frame: KernelFrame, op: Op) -> KernelValue:
    source = _operand(frame, op, 0)
    axes = [int(_number(frame, op, position, f"axis{position}")) for position in (1, 2)]
    array = source.array.swapaxes(axes[0], axes[1])
    memory = None if source.memory is None else source.memory.swapaxes(axes[0], axes[1])
    return Operand(array.copy(), source.dtype, memory, source.tile)


def _gather(frame: KernelFrame, op: Op) -> KernelValue:
    axis = argument(op, 1, "dim")
    if op.name == "tile.gather" or axis is None:
        raise NotExecutable("a gather by mask or comparison is not executed")
    source, index = _operand(frame, op, 0, "input"), _operand(frame, op, 2, "index")
    places = index.array.astype(np.int64)
    along = int(_number(frame, op, 1, "dim"))
    if places.ndim != source.array.ndim or (places < 0).any() or (places >= source.array.shape[along]).any():
        raise NotExecutable("a gather outside of its tensor")
    return Operand(np.take_along_axis(source.array, places, along), source.dtype, None, source.tile)


def _concat(frame: KernelFrame, op: Op) -> KernelValue:
    parts = [_operand(frame, op, position) for position in range(len(op.args))]
    array = np.concatenate([part.array for part in parts], axis=_LAST)
    return Operand(converted(array, parts[0].dtype), parts[0].dtype, None, parts[0].tile)


def _dim(frame: KernelFrame, op: Op) -> KernelValue:
    extent: int = _operand(frame, op, 0).array.shape[int(_number(frame, op, 1, "axis"))]
    return extent


def _move(frame: KernelFrame, op: Op) -> KernelValue:
    source = _operand(frame, op, 0)
    return Operand(source.array.copy(), source.dtype, None, True)


def _elementwise(name: str) -> Callable[[KernelFrame, Op], KernelValue]:
    def run(frame: KernelFrame, op: Op) -> KernelValue:
        right = frame.value(_required(op, 1, "rhs"))
        if not isinstance(right, (Operand, int, float)):
            raise NotExecutable(f"operand 2 of 'pl.{op.name}' is neither a tensor nor a number")
        return arithmetic.binary(name, _operand(frame, op, 0, "lhs"), right)

    return run


def _unary(name: str) -> Callable[[KernelFrame, Op], KernelValue]:
    return lambda frame, op: arithmetic.unary(name, _operand(frame, op, 0, *_ONE_OPERAND))


def _reduction(name: str, axis: int) -> Callable[[KernelFrame, Op], KernelValue]:
    return lambda frame, op: arithmetic.reduce(name, _operand(frame, op, 0, *_ONE_OPERAND), axis)


def _extreme(largest: bool, axis: int) -> Callable[[KernelFrame, Op], KernelValue]:
    return lambda frame, op: arithmetic.position_of(largest, _operand(frame, op, 0), axis)


def _expansion(name: str, axis: int) -> Callable[[KernelFrame, Op], KernelValue]:
    """A vector with extent 1 along ``axis`` against a whole tensor; without ``name`` the vector itself, spread out."""

    def run(frame: KernelFrame, op: Op) -> KernelValue:
        target, vector = _operand(frame, op, 0), _operand(frame, op, 1)
        if vector.array.ndim < 2 or vector.array.shape[axis] != 1:
            raise NotExecutable(f"'pl.{op.name}' with a vector {list(vector.array.shape)}")
        if not name:
            spread = np.broadcast_to(vector.array, target.array.shape).copy()
            return Operand(converted(spread, target.dtype), target.dtype, None, target.tile)
        return arithmetic.binary(name, target, vector)

    return run


def _expand_clone(frame: KernelFrame, op: Op) -> KernelValue:
    vector, target = _operand(frame, op, 0, "src"), _operand(frame, op, 1, "target")
    spread = np.broadcast_to(vector.array, target.array.shape).copy()
    return Operand(converted(spread, target.dtype), target.dtype, None, target.tile)


def _expand_number(frame: KernelFrame, op: Op) -> KernelValue:
    target = _operand(frame, op, 0)
    array = undefined(target.array.shape, target.dtype)
    array[...] = converted(np.asarray(_number(frame, op, 1)), target.dtype)
    return Operand(array, target.dtype, None, target.tile)


def _turned(frame: KernelFrame, op: Op, first: int) -> tuple[Operand, Operand]:
    """The factors of a product, transposed as the flags say."""
    found: list[Operand] = []
    on_tiles = op.name.startswith("tile.")
    for position, name, flag, at in ((first, "lhs", "a_trans", 3), (first + 1, "rhs", "b_trans", 4)):
        factor = _operand(frame, op, position, name)
        given = _flag(frame, op, flag, NOWHERE if on_tiles else at)
        turned = factor.array.swapaxes(-1, -2) if given else factor.array
        found.append(Operand(turned, factor.dtype, None, factor.tile))
    return found[0], found[1]


def _matmul(frame: KernelFrame, op: Op) -> KernelValue:
    left, right = _turned(frame, op, 0)
    return arithmetic.matmul(left, right, _dtype(frame, op, 2, "out_dtype"))


def _matmul_acc(frame: KernelFrame, op: Op) -> KernelValue:
    accumulator = _operand(frame, op, 0)
    left, right = _turned(frame, op, 1)
    if _flag(frame, op, "init_cond", 3 if op.name.startswith("tile.") else 5):
        return arithmetic.matmul(left, right, accumulator.dtype)
    return arithmetic.matmul(left, right, "", accumulator)


def _cast(frame: KernelFrame, op: Op) -> KernelValue:
    written = argument(op, 2, "mode")
    mode = "round" if written is None else frame.value(written)
    return arithmetic.cast(_operand(frame, op, 0), _dtype(frame, op, 1, "target_type", "dtype"), mode)


_OPERATORS: dict[str, Callable[[KernelFrame, Op], KernelValue]] = {
    "slice": _slice,
    "load": _load,
    "store": _store,
    "assemble": _assemble,
    "read": _read,
    "write": _write,
    "full": _full,
    "create": _create,
    "create_tile": _create,
    "arange": _arange,
    "ci": _arange,
    "reshape": _reshape,
    "transpose": _transpose,
    "concat": _concat,
    "gather": _gather,
    "dim": _dim,
    "move": _move,
    "matmul": _matmul,
    "batch_matmul": _matmul,
    "matmul_acc": _matmul_acc,
    "cast": _cast,
    "row_expand": _expansion("", _LAST),
    "col_expand": _expansion("", _FIRST),
    "expands": _expand_number,
    "expand_clone": _expand_clone,
    "row_argmax": _extreme(True, _LAST),
    "row_argmin": _extreme(False, _LAST),
    "col_argmax": _extreme(True, _FIRST),
    "col_argmin": _extreme(False, _FIRST),
    "get_block_idx": lambda frame, op: frame.position.index,
    "get_block_num": lambda frame, op: frame.position.count,
    "get_subblock_idx": lambda frame, op: 0,
    **{name: _elementwise(name) for name in arithmetic.BINARY if name != "expdif"},
    **{name: _elementwise(plain) for name, plain in _SCALAR_FORMS.items()},
    **{name: _unary(name) for name in arithmetic.UNARY},
    **{f"row_{name}": _reduction(name, _LAST) for name in arithmetic.REDUCTIONS},
    **{f"col_{name}": _reduction(name, _FIRST) for name in arithmetic.REDUCTIONS},
    **{
        f"{side}_expand_{name}": _expansion(_EXPANDED.get(name, name), axis)
        for side, axis in (("row", _LAST), ("col", _FIRST))
        for name in ("add", "sub", "mul", "div", "max", "min", "expdif")
    },
}
"""By name without ``tile.`` or ``tensor.``."""
