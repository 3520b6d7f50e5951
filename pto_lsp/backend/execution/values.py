"""Tensor values inside kernels, and data types in numpy's terms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from pto_lsp.analysis.replay.dtypes import is_float
from pto_lsp.backend.execution.errors import NotExecutable

Array = npt.NDArray[Any]

_NUMPY: dict[str, Any] = {
    "FP32": np.float32,
    "FP16": np.float16,
    # numpy has no bfloat16: its values are kept in four bytes, rounded to it.
    "BF16": np.float32,
    "INT8": np.int8,
    "INT16": np.int16,
    "INT32": np.int32,
    "INT64": np.int64,
    "UINT8": np.uint8,
    "UINT16": np.uint16,
    "UINT32": np.uint32,
    "UINT64": np.uint64,
    "INDEX": np.int64,
    "BOOL": np.bool_,
}
_RANK = {name: rank for rank, name in enumerate(_NUMPY)}


@dataclass(frozen=True, slots=True, eq=False)
class Operand:
    """A tensor as a kernel sees it.

    ``array`` is what an operation reads and is never written through; ``memory`` is the part of device memory that a
    write goes to, None for a value of the kernel's own. A parameter reads its memory live (``array is memory``), a
    slice of it keeps what it read when it was taken. ``tile``: on-chip by its type, not just a tensor.
    """

    array: Array
    dtype: str
    memory: Array | None = None
    tile: bool = False


def in_memory(view: Array, dtype: str) -> Operand:
    return Operand(view, dtype, view)


def numpy_dtype(dtype: str) -> Any:
    """The numpy type that holds elements of ``dtype``. Raises `NotExecutable` where there is none."""
    found = _NUMPY.get(dtype)
    if found is None:
        raise NotExecutable(f"arrays of {dtype or 'an unknown data type'} are not executed")
    return found


def converted(array: Array, dtype: str) -> Array:
    """``array`` in the representation of ``dtype``; floats round to nearest even."""
    result = np.asarray(array).astype(numpy_dtype(dtype))
    return _to_bfloat16(result) if dtype == "BF16" else result


def undefined(shape: tuple[int, ...], dtype: str) -> Array:
    """Memory nobody wrote yet: what is read from it should be easy to tell from a result."""
    kind = numpy_dtype(dtype)
    if is_float(dtype):
        return np.full(shape, np.nan, kind)
    return np.zeros(shape, kind) if dtype == "BOOL" else np.full(shape, np.iinfo(kind).max, kind)


def promoted(left: str, right: str) -> str:
    """Data type of ``left op right``: a float beats integers, of two floats or two integers the wider one."""
    if left == right:
        return left
    if is_float(left) != is_float(right):
        return left if is_float(left) else right
    if is_float(left):
        return "FP32"
    sizes = [np.dtype(numpy_dtype(each)).itemsize for each in (left, right)]
    if sizes[0] != sizes[1]:
        return left if sizes[0] > sizes[1] else right
    return min(left, right, key=lambda each: _RANK[each])


def _to_bfloat16(array: Array) -> Array:
    # Of a number without dimensions that would make a list of one.
    bits = np.array(array, order="C").view(np.uint32)
    rounded = bits + (np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1)))
    kept = (rounded & np.uint32(0xFFFF0000)).view(np.float32)
    return np.where(np.isnan(array), array, kept).astype(np.float32)
