"""Host scalars in C++: types, values and expressions that compute what the simulator computes."""

from __future__ import annotations

from collections.abc import Callable

from pto_lsp.analysis.ir.expressions import Binary, Cast, Const, Expr, Op, Symbol, Unary, Unknown, Var
from pto_lsp.analysis.ir.types import ScalarType
from pto_lsp.analysis.replay.dtypes import is_float
from pto_lsp.backend.orchestration.errors import NotEmitted
from pto_lsp.backend.unknowns import shown_unknown

_TYPES = {
    "INDEX": "int64_t",
    "FP32": "float",
    "BOOL": "bool",
    **{f"INT{bits}": f"int{bits}_t" for bits in (8, 16, 32, 64)},
    **{f"UINT{bits}": f"uint{bits}_t" for bits in (8, 16, 32, 64)},
}
_PLAIN = frozenset({"+", "-", "*", "<<", ">>", "&", "|", "^", "==", "!=", "<", "<=", ">", ">="})
_WORDS = {"and": "&&", "or": "||"}


def cpp_type(dtype: str) -> str:
    """Raises `NotEmitted` for a type that no host variable can have."""
    found = _TYPES.get(dtype)
    if found is None:
        raise NotEmitted(f"a host scalar of type {dtype or 'unknown'}")
    return found


def literal(value: int | float | bool) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        text = repr(value)
        if text in ("inf", "-inf", "nan"):
            raise NotEmitted(f"the number {text}")
        return f"{text if any(c in text for c in '.e') else text + '.0'}f"
    return str(value) if -(2**31) <= value < 2**31 else f"INT64_C({value})"


class ScalarExpressions:
    """``variable`` gives the C++ of a name, ``operator`` of an operator that yields a number."""

    def __init__(self, variable: Callable[[Var], str], operator: Callable[[Op], str]) -> None:
        self._variable = variable
        self._operator = operator

    def text(self, expr: Expr) -> str:
        """A C++ expression that may stand as an operand: parenthesised unless it is simple."""
        if isinstance(expr, Var):
            return self._variable(expr)
        if isinstance(expr, Const) and isinstance(expr.value, (bool, int, float)):
            found = literal(expr.value)
            return f"({found})" if found.startswith("-") else found
        if isinstance(expr, Binary):
            return self._binary(expr)
        if isinstance(expr, Unary):
            operand = self.text(expr.operand)
            if expr.op == "abs":
                return f"std::abs({operand})"
            return f"({'!' if expr.op == 'not' else expr.op}{operand})"
        if isinstance(expr, Cast):
            return f"static_cast<{cpp_type(expr.dtype)}>({bare(self.text(expr.operand))})"
        if isinstance(expr, Op):
            return self._operator(expr)
        if isinstance(expr, Symbol):
            return self._variable(Var(f"symbol {expr.name}", expr.name, ScalarType("INDEX")))
        if isinstance(expr, Unknown):
            raise NotEmitted(shown_unknown(expr))
        raise NotEmitted("this expression in host code")

    def _binary(self, expr: Binary) -> str:
        left, right = self.text(expr.left), self.text(expr.right)
        op = expr.op
        if op in _WORDS:
            return f"({left} {_WORDS[op]} {right})"
        if op in ("min", "max"):
            return f"std::{op}<{scalar_type(expr)}>({bare(left)}, {bare(right)})"
        if op in ("//", "%"):
            if is_float(dtype_of(expr.left)) or is_float(dtype_of(expr.right)):
                raise NotEmitted(f"'{op}' of floating-point numbers in host code")
            # Host code divides non-negative numbers, where truncation and floor agree.
            return f"({left} {'/' if op == '//' else op} {right})"
        if op == "/" and (is_float(dtype_of(expr.left)) or is_float(dtype_of(expr.right))):
            return f"({left} / {right})"
        if op in _PLAIN:
            return f"({left} {op} {right})"
        raise NotEmitted(f"'{op}' in host code")


def bare(text: str) -> str:
    """``text`` without the parentheses around all of it."""
    if not (text.startswith("(") and text.endswith(")")):
        return text
    depth = 0
    for index, char in enumerate(text):
        depth += {"(": 1, ")": -1}.get(char, 0)
        if not depth and index < len(text) - 1:
            return text
    return text[1:-1]


def dtype_of(expr: Expr) -> str:
    """PyPTO's type of a host expression; INDEX for plain integers."""
    if isinstance(expr, (Var, Op)):
        return expr.type.dtype if isinstance(expr.type, ScalarType) else ""
    if isinstance(expr, Const):
        return "BOOL" if isinstance(expr.value, bool) else "FP32" if isinstance(expr.value, float) else "INDEX"
    if isinstance(expr, Cast):
        return expr.dtype
    if isinstance(expr, Unary):
        return "BOOL" if expr.op == "not" else dtype_of(expr.operand)
    if isinstance(expr, Binary):
        if expr.op in ("==", "!=", "<", "<=", ">", ">=", "and", "or"):
            return "BOOL"
        left, right = dtype_of(expr.left), dtype_of(expr.right)
        if is_float(left) or is_float(right):
            return "FP32"
        return left if left == right else "INDEX"
    return "INDEX"


def scalar_type(expr: Expr) -> str:
    return cpp_type(dtype_of(expr))
