"""Data types of tile elements: names in C++, sizes, and what the vector core computes with."""

from __future__ import annotations

from pto_lsp.analysis.replay.dtypes import element_bits, is_float
from pto_lsp.backend.orchestration.errors import NotEmitted

BLOCK_BYTES = 32
"""The unit in which on-chip memory is addressed: rows of a tile are whole blocks."""

_CPP = {
    "FP32": "float",
    "FP16": "half",
    "BF16": "bfloat16_t",
    **{f"INT{bits}": f"int{bits}_t" for bits in (8, 16, 32)},
    **{f"UINT{bits}": f"uint{bits}_t" for bits in (8, 16, 32)},
}
_SINGLE = {"INT64": "int64_t", "UINT64": "uint64_t", "INDEX": "int64_t", "BOOL": "uint8_t"}
"""Elements that can be read and written one by one, but are not held in tiles."""
COMPUTED = frozenset({"FP32", "FP16", "INT32"})
"""Types that vector instructions take as they are; BF16 is computed in FP32."""
_BITS = {1: "INT8", 2: "INT16", 4: "INT32"}


def element(dtype: str) -> str:
    """The C++ type of an element. Raises `NotEmitted`."""
    found = _CPP.get(dtype)
    if found is None:
        raise NotEmitted(f"tensors of {dtype}" if dtype else "a tensor whose data type is not known")
    return found


def memory_element(dtype: str) -> str:
    """The C++ type of an element in global memory. Raises `NotEmitted`."""
    return _SINGLE.get(dtype) or element(dtype)


def size(dtype: str) -> int:
    """Bytes of an element."""
    return element_bits(dtype) // 8


def bits_of(dtype: str) -> str:
    """The integer type of the same size, for moving elements without looking at them."""
    return _BITS[size(dtype)]


def computed(dtype: str, what: str) -> str:
    """The type in which the vector core computes on elements of ``dtype``. Raises `NotEmitted`."""
    if dtype == "BF16":
        return "FP32"
    if dtype not in COMPUTED:
        raise NotEmitted(f"{what} of {dtype or 'an unknown data type'}")
    return dtype


def promoted(left: str, right: str) -> str:
    """Data type of ``left op right``: a float beats an integer, of two different floats both become FP32."""
    if left == right:
        return left
    if is_float(left) != is_float(right):
        return left if is_float(left) else right
    if is_float(left):
        return "FP32"
    return left if size(left) > size(right) else right


def padded(count: int, dtype: str) -> int:
    """The least number of elements, not below ``count``, that fills whole blocks."""
    unit = BLOCK_BYTES // size(dtype)
    return -(-count // unit) * unit
