"""Element sizes and runtime names of PyPTO's data types."""

from __future__ import annotations

_BITS = {
    "BOOL": 8,
    "INT4": 4,
    "UINT4": 4,
    "INT8": 8,
    "UINT8": 8,
    "INT16": 16,
    "UINT16": 16,
    "INT32": 32,
    "UINT32": 32,
    "INT64": 64,
    "UINT64": 64,
    "INDEX": 64,
    "FP4": 4,
    "HF4": 4,
    "HF8": 8,
    "FP8E4M3FN": 8,
    "FP8E5M2": 8,
    "FP8E8M0": 8,
    "FP16": 16,
    "BF16": 16,
    "FP32": 32,
}

_RUNTIME_NAME = {"FP32": "FLOAT32", "FP16": "FLOAT16", "BF16": "BFLOAT16", "INDEX": "INT64"}

_FLOATS = frozenset({"FP4", "HF4", "HF8", "FP8E4M3FN", "FP8E5M2", "FP8E8M0", "FP16", "BF16", "FP32"})


def element_bits(dtype: str) -> int:
    """Bits of one element; an unknown type counts as four bytes."""
    return _BITS.get(dtype, 32)


def runtime_name(dtype: str) -> str:
    """The runtime's name of a data type: "FLOAT32" for "FP32"."""
    return _RUNTIME_NAME.get(dtype, dtype)


def is_float(dtype: str) -> bool:
    return dtype in _FLOATS
