"""Scalar arithmetic made simpler: constants computed, identities removed, comparisons decided where that is possible.

The author's spelling stays wherever nothing gets simpler: messages and fixes quote these expressions.
"""

from __future__ import annotations

import operator
from collections.abc import Callable

from pto_lsp.analysis.ir.affine import affine
from pto_lsp.analysis.ir.bounds import Bounds
from pto_lsp.analysis.ir.expressions import Binary, Cast, Const, Expr, Op, Unary, Var
from pto_lsp.analysis.ir.types import TensorType, TileType
from pto_lsp.analysis.ir.visitor import left_spine, variables

_ARITHMETIC = frozenset({"+", "-", "*", "//", "%", "min", "max"})
_COMPARISONS: dict[str, Callable[[int | float, int | float], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_CONSTANT: dict[str, Callable[[int, int], int]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "//": operator.floordiv,
    "%": operator.mod,
    "min": min,
    "max": max,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
}


def fold(expr: Expr, bounds: Bounds) -> Expr:
    """``expr`` at its simplest; the same object when nothing changed, or when it is no scalar arithmetic."""
    if not isinstance(expr, (Binary, Unary, Cast)) or not _is_scalar(expr):
        return expr
    result = _fold(expr, bounds)
    if isinstance(result, Binary) and result.op in _ARITHMETIC:
        form = affine(result)
        if form is not None:
            if form.is_constant:
                return Const(form.const, expr.span)
            if form.const == 0 and len(form.terms) == 1 and form.terms[0][1] == 1:
                name = form.terms[0][0]
                for var in variables(result):
                    if var.name == name:
                        return Var(var.name, var.label, var.type, expr.span)
    return result


def _is_scalar(expr: Expr) -> bool:
    """False for arithmetic on tensors or tiles, where 0 and ``x - x`` are not scalars."""
    stack = [expr]
    while stack:
        current = stack.pop()
        if isinstance(current, Binary):
            stack += (current.left, current.right)
        elif isinstance(current, (Unary, Cast)):
            stack.append(current.operand)
        elif isinstance(current, (Var, Op)) and isinstance(current.type, (TensorType, TileType)):
            return False
    return True


def _fold(expr: Expr, bounds: Bounds) -> Expr:
    if isinstance(expr, Binary):
        spine = left_spine(expr)
        result = _fold(spine[0].left, bounds)
        for step in spine:
            right = _fold(step.right, bounds)
            unchanged = result is step.left and right is step.right
            result = _binary(step if unchanged else Binary(step.op, result, right, step.span), bounds)
        return result
    if isinstance(expr, Unary):
        return _unary(expr, _fold(expr.operand, bounds))
    if isinstance(expr, Cast):
        operand = _fold(expr.operand, bounds)
        return expr if operand is expr.operand else Cast(operand, expr.dtype, expr.span)
    return expr


def _unary(expr: Unary, operand: Expr) -> Expr:
    if isinstance(operand, Const):
        value = operand.value
        if expr.op == "not" and isinstance(value, bool):
            return Const(not value, expr.span)
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            if expr.op == "-":
                return Const(-value, expr.span)
            if expr.op == "abs":
                return Const(abs(value), expr.span)
    return expr if operand is expr.operand else Unary(expr.op, operand, expr.span)


def _binary(expr: Binary, bounds: Bounds) -> Expr:
    left, right, op = expr.left, expr.right, expr.op
    if op in ("and", "or"):
        return _connective(expr)
    if op in _COMPARISONS:
        if isinstance(left, Const) and isinstance(right, Const):
            return _compared(expr, left.value, right.value)
        proof = bounds.proves(expr)
        return expr if proof is None else Const(proof, expr.span)
    if isinstance(left, Const) and isinstance(right, Const):
        return _computed(expr, left.value, right.value)
    if op in ("min", "max"):
        smaller, larger = (left, right) if op == "min" else (right, left)
        if bounds.proves(Binary("<=", smaller, larger)):
            return left
        if bounds.proves(Binary("<=", larger, smaller)):
            return right
        return expr
    return _identity(expr, bounds)


def _connective(expr: Binary) -> Expr:
    decisive = expr.op == "or"
    for one, other in ((expr.left, expr.right), (expr.right, expr.left)):
        if isinstance(one, Const) and isinstance(one.value, bool):
            return Const(decisive, expr.span) if one.value is decisive else other
    return expr


def _compared(expr: Binary, left: object, right: object) -> Expr:
    if isinstance(left, (int, float)) and isinstance(right, (int, float)):
        return Const(_COMPARISONS[expr.op](left, right), expr.span)
    if expr.op in ("==", "!=") and type(left) is type(right):
        return Const((left == right) == (expr.op == "=="), expr.span)
    return expr


def _computed(expr: Binary, left: object, right: object) -> Expr:
    if type(left) is not int or type(right) is not int:
        return expr
    if expr.op in ("//", "%") and right == 0:
        return expr
    compute = _CONSTANT.get(expr.op)
    return expr if compute is None else Const(compute(left, right), expr.span)


def _identity(expr: Binary, bounds: Bounds) -> Expr:
    left, right, op = expr.left, expr.right, expr.op
    by = right.value if isinstance(right, Const) and type(right.value) is int else None
    if by is not None:
        if (by == 0 and op in ("+", "-")) or (by == 1 and op in ("*", "//")):
            return left
        if (by == 0 and op == "*") or (by == 1 and op == "%"):
            return Const(0, expr.span)
        if op in ("//", "%") and by > 1:
            low, high = bounds.of(left)
            if low is not None and low >= 0 and high is not None and high < by:
                return left if op == "%" else Const(0, expr.span)
    if isinstance(left, Const) and type(left.value) is int:
        if (left.value == 0 and op == "+") or (left.value == 1 and op == "*"):
            return right
        if left.value == 0 and op == "*":
            return Const(0, expr.span)
    return expr
