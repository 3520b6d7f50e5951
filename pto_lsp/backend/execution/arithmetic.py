"""The arithmetic of kernels: what each operation computes, on arrays alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from pto_lsp.analysis.replay.dtypes import is_float
from pto_lsp.backend.execution.errors import NotExecutable
from pto_lsp.backend.execution.values import Array, Operand, converted, numpy_dtype, promoted


def _divide(left: Array, right: Array) -> Array:
    """Of integers the quotient rounded towards zero, as the vector core's."""
    if left.dtype.kind == "f" or right.dtype.kind == "f":
        return np.asarray(np.divide(left, right))
    quotient = np.floor_divide(left, right)
    inexact = np.not_equal(np.multiply(quotient, right), left)
    return np.asarray(quotient + (inexact & (np.less(left, 0) != np.less(right, 0))))


BINARY: dict[str, Callable[..., Any]] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": _divide,
    "maximum": np.maximum,
    "minimum": np.minimum,
    "fmod": np.fmod,
    "expdif": lambda left, right: np.exp(left - right),
}
"""Operation without the suffix for scalars or the prefix for broadcasts."""

UNARY: dict[str, Callable[..., Any]] = {
    "neg": np.negative,
    "abs": np.abs,
    "exp": np.exp,
    "log": np.log,
    "sqrt": np.sqrt,
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "recip": lambda x: 1 / x,
    "sin": np.sin,
    "cos": np.cos,
    "relu": lambda x: np.maximum(x, 0),
}

REDUCTIONS: dict[str, Callable[..., Any]] = {"sum": np.sum, "max": np.max, "min": np.min, "prod": np.prod}

_TO_INTEGER: dict[object, Callable[..., Any]] = {
    "none": np.rint,
    "rint": np.rint,
    "round": lambda x: np.trunc(x + np.copysign(0.5, x)),
    "floor": np.floor,
    "ceil": np.ceil,
    "trunc": np.trunc,
}
_MODES = ("none", "rint", "round", "floor", "ceil", "trunc")


def binary(operation: str, left: Operand, right: Operand | int | float) -> Operand:
    """``left operation right``; shapes broadcast. A number takes the tensor's type, unless only it is a float."""
    if isinstance(right, Operand):
        dtype = promoted(left.dtype, right.dtype)
        other: Array = right.array
        tile = left.tile or right.tile
    else:
        dtype = "FP32" if isinstance(right, float) and not is_float(left.dtype) else left.dtype
        other = np.asarray(right)
        tile = left.tile
    kind = numpy_dtype(dtype)
    with np.errstate(all="ignore"):
        result = BINARY[operation](left.array.astype(kind), other.astype(kind))
    return Operand(converted(result, dtype), dtype, None, tile)


def unary(operation: str, operand: Operand) -> Operand:
    with np.errstate(all="ignore"):
        result = UNARY[operation](operand.array)
    return Operand(converted(result, operand.dtype), operand.dtype, None, operand.tile)


def reduce(operation: str, operand: Operand, axis: int) -> Operand:
    """Along one axis, which stays with extent 1. Half-precision sums are accumulated in single precision."""
    source = operand.array.astype(np.float32) if is_float(operand.dtype) else operand.array
    result = REDUCTIONS[operation](source, axis=axis, keepdims=True)
    return Operand(converted(result, operand.dtype), operand.dtype, None, operand.tile)


def position_of(largest: bool, operand: Operand, axis: int) -> Operand:
    """Index of the first extreme element along ``axis``."""
    pick = np.argmax if largest else np.argmin
    return Operand(converted(pick(operand.array, axis=axis, keepdims=True), "INT32"), "INT32", None, operand.tile)


def matmul(left: Operand, right: Operand, out_dtype: str, accumulator: Operand | None = None) -> Operand:
    """The product on the cube core: single-precision or INT32 accumulation.

    Tiles keep the accumulator's type; of tensors the result is ``out_dtype``, by default the common type.
    """
    real = is_float(left.dtype) or is_float(right.dtype)
    kind = np.float32 if real else np.int32
    if left.array.shape[-1] != right.array.shape[-2 if right.array.ndim > 1 else 0]:
        raise NotExecutable(f"a product of {list(left.array.shape)} and {list(right.array.shape)}")
    result = np.matmul(left.array.astype(kind), right.array.astype(kind))
    tile = left.tile or right.tile
    if accumulator is not None:
        total = accumulator.array.astype(kind) + result
        return Operand(converted(total, accumulator.dtype), accumulator.dtype, None, accumulator.tile)
    dtype = out_dtype or (("FP32" if real else "INT32") if tile else promoted(left.dtype, right.dtype))
    return Operand(converted(result, dtype), dtype, None, tile)


def cast(operand: Operand, dtype: str, mode: object) -> Operand:
    """Conversion of elements. To integers ``mode`` rounds, and what does not fit becomes the nearest that does."""
    array = operand.array
    if is_float(operand.dtype) and not is_float(dtype) and dtype != "BOOL":
        name = _MODES[mode] if isinstance(mode, int) and 0 <= mode < len(_MODES) else mode
        rounding = _TO_INTEGER.get(name)
        if rounding is None:
            raise NotExecutable(f"rounding mode {mode!r}")
        limits = np.iinfo(numpy_dtype(dtype))
        exact = np.nan_to_num(rounding(array.astype(np.float64)), nan=0.0)
        low, high = exact <= float(limits.min), exact >= float(limits.max)
        inside = np.where(low | high, 0, exact).astype(numpy_dtype(dtype))
        array = np.where(low, limits.min, np.where(high, limits.max, inside)).astype(numpy_dtype(dtype))
    return Operand(converted(array, dtype), dtype, None, operand.tile)
