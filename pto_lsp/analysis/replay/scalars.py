"""Scalar arithmetic of the host code. Anything unknown or undefined gives ``UNKNOWN``, never an exception."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from pto_lsp.analysis.replay.dtypes import is_float
from pto_lsp.analysis.replay.values import UNKNOWN, Scalar, UnknownValue, Value

# Larger powers and shifts are absurd in host code and would only cost memory here.
_LARGEST_EXPONENT = 64


def _power(left: Any, right: Any) -> Any:
    return left**right if abs(right) <= _LARGEST_EXPONENT else UNKNOWN


def _shift_left(left: int, right: int) -> Any:
    return left << right if 0 <= right <= _LARGEST_EXPONENT else UNKNOWN


_BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
    "**": _power,
    "<<": _shift_left,
    ">>": operator.rshift,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "min": min,
    "max": max,
    "and": lambda left, right: bool(left) and bool(right),
    "or": lambda left, right: bool(left) or bool(right),
}

_UNARY: dict[str, Callable[[Any], Any]] = {
    "-": operator.neg,
    "~": operator.invert,
    "abs": abs,
    "not": operator.not_,
}


def binary(op: str, left: Value, right: Value) -> Scalar:
    """``left op right``; integer division floors, which is what C++ gives for the non-negative values of host code."""
    if not isinstance(left, (int, float)) or not isinstance(right, (int, float)):
        return UNKNOWN
    function = _BINARY.get(op)
    if function is None:
        return UNKNOWN
    try:
        return _plain(function(left, right))
    except (ArithmeticError, ValueError, TypeError):
        return UNKNOWN


def unary(op: str, operand: Value) -> Scalar:
    if not isinstance(operand, (int, float)) or op not in _UNARY:
        return UNKNOWN
    try:
        return _plain(_UNARY[op](operand))
    except (ArithmeticError, TypeError):
        return UNKNOWN


def convert(operand: Value, dtype: str) -> Scalar:
    """``pl.cast`` of a scalar: truncation towards zero for integers."""
    if not isinstance(operand, (int, float)):
        return UNKNOWN
    if is_float(dtype):
        return float(operand)
    if dtype == "BOOL":
        return bool(operand)
    try:
        return int(operand)
    except (ValueError, OverflowError):
        return UNKNOWN


def _plain(value: Any) -> Scalar:
    if isinstance(value, (int, float, UnknownValue)):
        return value
    return UNKNOWN
