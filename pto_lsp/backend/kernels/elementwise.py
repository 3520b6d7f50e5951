"""Element by element: tensor with tensor, tensor with number, one tensor; broadcasts of a row or a column; casts."""

from __future__ import annotations

from pto_lsp.analysis.replay.dtypes import is_float
from pto_lsp.backend.kernels.dtypes import element, promoted
from pto_lsp.backend.kernels.frame import Frame
from pto_lsp.backend.kernels.memory import fixed
from pto_lsp.backend.kernels.regions import intersected
from pto_lsp.backend.kernels.scalars import as_element
from pto_lsp.backend.kernels.tiles import Layout, Space, Tile, flat
from pto_lsp.backend.kernels.values import Number, Tensor
from pto_lsp.backend.orchestration.errors import NotEmitted

BINARY = {"add": "TADD", "sub": "TSUB", "mul": "TMUL", "div": "TDIV", "maximum": "TMAX", "minimum": "TMIN"}
UNARY = {
    "neg": "TNEG",
    "abs": "TABS",
    "exp": "TEXP",
    "log": "TLOG",
    "sqrt": "TSQRT",
    "rsqrt": "TRSQRT",
    "recip": "TRECIP",
    "relu": "TRELU",
}
_EXPANDED = {"maximum": "MAX", "minimum": "MIN"}
_COMMUTATIVE = frozenset({"add", "mul", "maximum", "minimum"})
_INTEGERS_TOO = frozenset({"neg", "abs", "relu"})
_MODES = ("none", "rint", "round", "floor", "ceil", "trunc")


VECTOR_WORK = "vector work in a kernel with matrix products; give it a kernel of its own"


def tile_of(value: Tensor) -> Tile:
    """The vector tile that holds ``value``."""
    assert value.tile is not None
    if value.tile.buffer.space is not Space.VEC:
        raise NotEmitted(VECTOR_WORK)
    return value.tile


def binary(frame: Frame, operation: str, left: Tensor, right: Tensor | Number) -> Tensor:
    """``left operation right``; a row or a column is repeated over the other operand."""
    if isinstance(right, Number):
        return _with_number(frame, operation, left, right)
    dtype = promoted(left.dtype, right.dtype)
    shape, other = fixed(left.shape), fixed(right.shape)
    _check_division(operation, dtype)
    if shape == other or flat(shape) == flat(other):
        shape = shape if len(shape) >= len(other) else other
        a, b = _jointly_valid(frame, _operand(frame, left, dtype), _operand(frame, right, dtype), flat(shape))
        result = frame.vector_tile(shape, a.dtype, valid=a.valid)
        frame.vector(BINARY[operation], frame.rows_of(result), frame.rows_of(a), frame.rows_of(b))
        return _finished(frame, result, shape, dtype)
    if _is_part(other, shape):
        return broadcast(frame, operation, left, right)
    if _is_part(shape, other):
        if operation in _COMMUTATIVE:
            return broadcast(frame, operation, right, left)
        return binary(frame, operation, expanded(frame, right, left), right)
    raise NotEmitted(f"operands of shapes {list(shape)} and {list(other)}")


def _check_division(operation: str, dtype: str) -> None:
    if operation == "div" and not is_float(dtype):
        raise NotEmitted(f"a division of {dtype or 'integers'}: the vector core only divides floating-point numbers")


def _jointly_valid(frame: Frame, a: Tile, b: Tile, extents: tuple[int, int]) -> tuple[Tile, Tile]:
    """Both with what is valid of both."""
    valid = intersected(frame, a.valid, b.valid, extents)
    return frame.limited(a, valid), frame.limited(b, valid)


def _is_part(vector: tuple[int, ...], shape: tuple[int, ...]) -> bool:
    """Whether ``vector`` is a row, a column or an element that can be repeated to fill ``shape``."""
    rows, cols = flat(shape)
    return flat(vector) in ((1, cols), (rows, 1), (1, 1)) and len(vector) <= len(shape)


def broadcast(frame: Frame, operation: str, whole: Tensor, vector: Tensor) -> Tensor:
    """``whole operation vector`` with ``vector`` a column or a row."""
    dtype = promoted(whole.dtype, vector.dtype)
    shape = fixed(whole.shape)
    rows, cols = flat(shape)
    _check_division(operation, dtype)
    a, b = _operand(frame, whole, dtype), _operand(frame, vector, dtype)
    extents = flat(fixed(vector.shape))
    if extents != (1, 1):
        b = frame.limited(b, (1 if extents[0] == 1 else a.valid[0], 1 if extents[1] == 1 else a.valid[1]))
    word = _EXPANDED.get(operation, operation.upper())
    if a.layout is Layout.COLUMN or (extents == (1, 1) and rows > 1):
        # A column of columns, or a single element for all: the plain operation on the element repeated.
        spread = frame.limited(_repeated(frame, b, extents, shape, a.dtype), a.valid)
        result = frame.vector_tile(shape, a.dtype, valid=a.valid)
        frame.vector(BINARY[operation], frame.rows_of(result), frame.rows_of(a), frame.rows_of(spread))
    elif extents == (1, cols):
        result = frame.vector_tile(shape, a.dtype, valid=a.valid)
        frame.vector(f"TCOLEXPAND{word}", result, a, frame.rows_of(b))
    elif extents == (rows, 1):
        result = frame.vector_tile(shape, a.dtype, valid=a.valid)
        frame.vector(f"TROWEXPAND{word}", result, a, _as_column(frame, b, rows))
    else:
        raise NotEmitted(f"operands of shapes {list(shape)} and {list(vector.shape)}")
    return _finished(frame, result, shape, dtype)


def expanded(frame: Frame, like: Tensor, vector: Tensor) -> Tensor:
    """``vector`` repeated to the shape of ``like``, in the type of ``like``."""
    shape = fixed(like.shape)
    source = frame.converted(tile_of(vector), fixed(vector.shape), like.dtype)
    result = _repeated(frame, source, flat(fixed(vector.shape)), shape, like.dtype)
    return frame.value(result, shape)


def _repeated(frame: Frame, vector: Tile, extents: tuple[int, int], shape: tuple[int, ...], dtype: str) -> Tile:
    rows, cols = flat(shape)
    valid = tuple(
        [given if extent != 1 else whole for given, extent, whole in zip(vector.valid, extents, (rows, cols))]
    )
    result = frame.vector_tile(shape, dtype, valid=(valid[0], valid[1]))
    if result.layout is Layout.COLUMN:
        if extents != (1, 1):
            raise NotEmitted(f"a vector {list(extents)} repeated to {list(shape)}")
        frame.vector("TROWEXPAND", frame.rows_of(result), _as_column(frame, vector, 1))
    elif extents == (1, 1):
        row = result if rows == 1 else frame.vector_tile((1, cols), dtype, f"{frame.label}_row")
        frame.vector("TROWEXPAND", row, _as_column(frame, vector, 1))
        if rows > 1:
            frame.vector("TCOLEXPAND", result, row)
    elif extents == (1, cols):
        frame.vector("TCOLEXPAND", result, frame.rows_of(vector))
    elif extents == (rows, 1):
        frame.vector("TROWEXPAND", result, _as_column(frame, vector, rows))
    else:
        raise NotEmitted(f"a vector {list(extents)} repeated to {list(shape)}")
    return result


def _as_column(frame: Frame, tile: Tile, rows: int) -> Tile:
    if tile.layout is Layout.COLUMN:
        return tile
    assert rows == 1
    unit = tile.cols
    return frame.alias(tile, f"{tile.name}_column", tile.dtype, Layout.COLUMN, unit, 1, (1, 1))


def _with_number(frame: Frame, operation: str, left: Tensor, right: Number) -> Tensor:
    shape = fixed(left.shape)
    dtype = "FP32" if is_float(right.dtype) and not is_float(left.dtype) else left.dtype
    _check_division(operation, dtype)
    source = _operand(frame, left, dtype)
    result = frame.vector_tile(shape, source.dtype, valid=source.valid)
    scalar = as_element(right, element(source.dtype))
    frame.vector(f"{BINARY[operation]}S", frame.rows_of(result), frame.rows_of(source), scalar)
    return _finished(frame, result, shape, dtype)


def number_first(frame: Frame, operation: str, left: Number, right: Tensor) -> Tensor:
    """``left operation right`` with a number on the left, which takes the tensor's type."""
    if operation in _COMMUTATIVE:
        return _with_number(frame, operation, right, Number(left.text, right.dtype, left.constant))
    _check_division(operation, right.dtype)
    shape = fixed(right.shape)
    source = _operand(frame, right, right.dtype)
    scalar = as_element(left, element(source.dtype))
    result = frame.vector_tile(shape, source.dtype, valid=source.valid)
    target, operand = frame.rows_of(result), frame.rows_of(source)
    if operation == "sub":
        frame.vector("TMULS", target, operand, as_element(Number("-1", "INDEX", -1), element(source.dtype)))
        frame.vector("TADDS", target, target, scalar)
    else:
        frame.vector("TDIVS", target, scalar, operand)
    return _finished(frame, result, shape, right.dtype)


def unary(frame: Frame, operation: str, operand: Tensor) -> Tensor:
    shape = fixed(operand.shape)
    dtype = operand.dtype if is_float(operand.dtype) or operation in _INTEGERS_TOO else "FP32"
    given = _operand(frame, operand, dtype)
    result = frame.vector_tile(shape, given.dtype, valid=given.valid)
    source, target = frame.rows_of(given), frame.rows_of(result)
    if operation == "abs" and source.dtype == "INT32":
        frame.vector("TMULS", target, source, "-1")
        frame.vector("TMAX", target, target, source)
    elif operation == "neg":
        frame.vector("TMULS", target, source, as_element(Number("-1", "INDEX", -1), element(source.dtype)))
    else:
        frame.vector(UNARY[operation], target, source)
    return _finished(frame, result, shape, dtype)


def filled(frame: Frame, shape: tuple[int, ...], dtype: str, content: Number) -> Tensor:
    if frame.cube:
        raise NotEmitted(VECTOR_WORK)
    tile = frame.vector_tile(shape, dtype)
    frame.vector("TEXPANDS", frame.rows_of(tile), as_element(content, element(dtype)))
    return frame.value(tile, shape)


def padded_out(frame: Frame, operand: Tensor, content: Number) -> Tensor:
    """``operand`` with ``content`` in the place of what is not valid."""
    shape, source = fixed(operand.shape), tile_of(operand)
    if source.valid == flat(shape):
        return operand
    result = frame.vector_tile(shape, source.dtype)
    frame.vector("TEXPANDS", frame.rows_of(result), as_element(content, element(source.dtype)))
    frame.copy(frame.limited(result, source.valid), source)
    return frame.value(result, shape)


def cast(frame: Frame, operand: Tensor, dtype: str, mode: object) -> Tensor:
    element(dtype)
    name = _MODES[mode] if isinstance(mode, int) and 0 <= mode < len(_MODES) else str(mode).lower()
    name = name.rpartition(".")[2]
    if name not in _MODES:
        raise NotEmitted(f"the rounding mode {mode}")
    # Between floats there is one rounding: to nearest even.
    to_integer = is_float(operand.dtype) and not is_float(dtype) and name != "none"
    shape = fixed(operand.shape)
    tile = frame.converted(tile_of(operand), shape, dtype, f"CAST_{name.upper()}" if to_integer else "CAST_RINT")
    return Tensor(shape, dtype, tile, shared=tile is operand.tile)


def _operand(frame: Frame, value: Tensor, dtype: str) -> Tile:
    """``value`` in the type in which an operation with results of ``dtype`` is computed."""
    shape = fixed(value.shape)
    tile = frame.converted(tile_of(value), shape, dtype) if dtype != "BF16" else tile_of(value)
    return frame.computable(tile, shape, "arithmetic")


def _finished(frame: Frame, tile: Tile, shape: tuple[int, ...], dtype: str) -> Tensor:
    return frame.value(frame.converted(tile, shape, dtype), shape)
