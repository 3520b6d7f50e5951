"""Numbers inside kernels, in C++."""

from __future__ import annotations

from math import gcd

from pto_lsp.analysis.replay import scalars
from pto_lsp.analysis.replay.dtypes import is_float
from pto_lsp.backend.kernels.values import Number
from pto_lsp.backend.orchestration.errors import NotEmitted
from pto_lsp.backend.orchestration.scalars import bare

_TYPES = {
    "INDEX": "int64_t",
    "BOOL": "bool",
    "FP32": "float",
    "FP16": "half",
    "BF16": "bfloat16_t",
    **{f"{sign}INT{bits}": f"{sign.lower()}int{bits}_t" for sign in ("", "U") for bits in (8, 16, 32, 64)},
}
_COMPARISONS = frozenset({"==", "!=", "<", "<=", ">", ">="})
_WORDS = {"and": "&&", "or": "||"}
_PLAIN = frozenset({"+", "-", "*", "<<", ">>", "&", "|", "^"}) | _COMPARISONS


def scalar_type(dtype: str) -> str:
    """Raises `NotEmitted`."""
    found = _TYPES.get(dtype)
    if found is None:
        raise NotEmitted(f"a number of type {dtype or 'unknown'}")
    return found


def number(value: int | float | bool) -> Number:
    """A constant."""
    if isinstance(value, bool):
        return Number("true" if value else "false", "BOOL", int(value))
    if isinstance(value, int):
        text = str(value) if -(2**31) < value < 2**31 else f"INT64_C({value})"
        return Number(f"({text})" if value < 0 else text, "INDEX", value, abs(value))
    return Number(_float_text(value), "FP32", value)


def _float_text(value: float) -> str:
    text = repr(value)
    if text == "nan":
        return '__builtin_nanf("")'
    if text.endswith("inf"):
        return "(-__builtin_inff())" if value < 0 else "__builtin_inff()"
    text = f"{text if any(c in text for c in '.e') else text + '.0'}f"
    return f"({text})" if value < 0 else text


def binary(op: str, left: Number, right: Number) -> Number:
    """Raises `NotEmitted` for what has no C++ of the same meaning."""
    left, right = _single(left), _single(right)
    if left.constant is not None and right.constant is not None and "BOOL" not in (left.dtype, right.dtype):
        known = scalars.binary(op, left.constant, right.constant)
        if isinstance(known, (int, float)):
            return number(known)
    real = is_float(left.dtype) or is_float(right.dtype)
    dtype = "FP32" if real else left.dtype if left.dtype == right.dtype else "INDEX"
    a, b = left.text, right.text
    if op in _WORDS:
        return Number(f"({a} {_WORDS[op]} {b})", "BOOL")
    if op in ("min", "max"):
        if left.dtype != right.dtype:
            kind = scalar_type(dtype)
            a, b = f"static_cast<{kind}>({bare(a)})", f"static_cast<{kind}>({bare(b)})"
        return Number(f"({a} {'<' if op == 'min' else '>'} {b} ? {a} : {b})", dtype)
    if op in ("//", "%") and not real:
        # Offsets and extents are not negative, and there truncation and floor agree.
        return Number(f"({a} {'/' if op == '//' else op} {b})", dtype)
    if op == "/" and real:
        return Number(f"({a} / {b})", dtype)
    if op == "+" and right.constant == 0 and not real:
        return left
    if op == "+" and left.constant == 0 and not real:
        return right
    if op in _PLAIN:
        multiple = gcd(left.multiple, right.multiple) if op in "+-" else 1
        multiple = left.multiple * right.multiple if op == "*" else multiple
        return Number(f"({a} {op} {b})", "BOOL" if op in _COMPARISONS else dtype, None, multiple)
    raise NotEmitted(f"'{op}' of numbers in a kernel")


def _single(operand: Number) -> Number:
    """Half-precision numbers are computed with in single precision."""
    return cast(operand, "FP32") if operand.dtype in ("FP16", "BF16") else operand


def unary(op: str, operand: Number) -> Number:
    operand = _single(operand)
    if operand.constant is not None and operand.dtype != "BOOL":
        known = scalars.unary(op, operand.constant)
        if isinstance(known, (int, float)):
            return number(known)
    if op == "abs":
        return Number(f"({operand.text} < 0 ? -{operand.text} : {operand.text})", operand.dtype)
    return Number(f"({'!' if op == 'not' else op}{operand.text})", "BOOL" if op == "not" else operand.dtype)


def cast(operand: Number, dtype: str) -> Number:
    return Number(f"static_cast<{scalar_type(dtype)}>({bare(operand.text)})", dtype)


def as_element(operand: Number, cpp: str) -> str:
    """``operand`` as an argument of type ``cpp`` of an instruction."""
    if cpp == "float" and operand.dtype == "FP32":
        return bare(operand.text)
    if operand.constant is not None:
        if cpp == "float":
            return bare(_float_text(float(operand.constant)))
        if cpp == "int32_t":
            return str(int(operand.constant))
    return f"static_cast<{cpp}>({bare(operand.text)})"
