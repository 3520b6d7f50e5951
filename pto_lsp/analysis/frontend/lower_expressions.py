"""Syntax expressions to IR expressions (surface.md §4, §5)."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from pto_lsp.analysis.frontend.constants.values import MISSING, ClassRef, Instance
from pto_lsp.analysis.frontend.context import Context
from pto_lsp.analysis.frontend.decorators import dotted
from pto_lsp.analysis.frontend.lower_calls import call
from pto_lsp.analysis.frontend.lower_subscripts import shape_item, subscript
from pto_lsp.analysis.frontend.operators import DTYPES, PYTHON_BUILTINS
from pto_lsp.analysis.frontend.values import evaluate_in, expression_of
from pto_lsp.analysis.ir import expressions as ir
from pto_lsp.analysis.ir.types import TensorType
from pto_lsp.analysis.ir.visitor import variables
from pto_lsp.analysis.source import syntax

_RUNTIME_BINARY = frozenset(["+", "-", "*", "/", "//", "%", "<<", ">>"])
_COMPARISONS = frozenset(["==", "!=", "<", "<=", ">", ">="])

_FOLD: dict[str, Callable[[int | float, int | float], int | float]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
}


def lower(ctx: Context, expr: syntax.Expr) -> ir.Expr:
    """The IR of ``expr``; findings go to ``ctx``. What is not understood becomes ``Unknown``."""
    return _DISPATCH[type(expr)](ctx, expr)


def _name(ctx: Context, expr: syntax.Name) -> ir.Expr:
    name = expr.id
    type_ = ctx.scope.get(name)
    if type_ is not None:
        return ir.Var(name, name, type_, expr.span)
    value = ctx.value(name)
    if value is MISSING:
        # A name assigned further down is defined in some other order of execution: leave it to the compiler.
        if name not in PYTHON_BUILTINS and name not in ctx.assigned:
            ctx.report(
                "PTO003", name, expr.span, f"'{name}' is not defined here: neither a DSL value nor a Python name"
            )
        return ir.Unknown(f"undefined name '{name}'", (), expr.span)
    found = expression_of(value, expr.span, name)
    return found if found is not None else ir.Unknown("closure value", (), expr.span, name)


def _literal(ctx: Context, expr: syntax.Literal) -> ir.Expr:
    value = expr.value
    if value is None or isinstance(value, (bool, int, float, str)):
        return ir.Const(value, expr.span)
    return ir.Unknown("literal", (), expr.span)


def _attribute(ctx: Context, expr: syntax.Attribute) -> ir.Expr:
    path = dotted(expr)
    if path is None:
        return ir.Unknown("attribute", tuple(variables(ctx.expr(expr.base))), expr.span)
    if path[0] in ("pl", "pld") and path[0] not in ctx.scope:
        if path[-1] in DTYPES and len(path) == 2:
            return ir.DType(path[-1], expr.span)
        return ir.Enumerator(".".join(path), expr.span)
    base = ctx.scope.get(path[0])
    if base is not None:
        var = ir.Var(path[0], path[0], base, expr.span)
        if isinstance(base, TensorType) and len(path) == 2:
            if path[1] == "dtype" and base.dtype:
                return ir.DType(base.dtype, expr.span)
            if path[1] == "shape" and base.shape is not None:
                return ir.TupleExpr(
                    tuple(shape_item(ctx, var, i, expr.span) for i in range(len(base.shape))), expr.span
                )
        return ir.Unknown("attribute", (var,), expr.span)
    value = ctx.value(path[0])
    if value is MISSING:
        if path[0] not in PYTHON_BUILTINS and path[0] not in ctx.assigned and path[0] != "self":
            ctx.report(
                "PTO003", path[0], expr.span, f"'{path[0]}' is not defined here: neither a DSL value nor a Python name"
            )
        return ir.Unknown("attribute", (), expr.span)
    if isinstance(value, (Instance, ClassRef)):
        written = ".".join(path)
        ctx.unsupported(
            written,
            expr.span,
            f"'{written}' is a Python attribute: bind it to a module-level name and use that name here",
        )
        found = expression_of(evaluate_in(ctx, expr), expr.span, written)
        return found if found is not None else ir.Unknown("python attribute", (), expr.span)
    return ir.Unknown("attribute", (), expr.span)


def _unary(ctx: Context, expr: syntax.Unary) -> ir.Expr:
    operand = ctx.expr(expr.operand)
    if isinstance(operand, ir.Const) and isinstance(operand.value, (int, float)):
        folded = _fold_unary(expr.op, operand.value)
        if folded is not None:
            return ir.Const(folded, expr.span)
    if expr.op == "+":
        ctx.unsupported("+", expr.span, "unary '+' is not part of the DSL")
        return operand
    return ir.Unary(expr.op, operand, expr.span)


def _fold_unary(op: str, value: int | float) -> int | float | bool | None:
    if op == "-":
        return -value
    if op == "+":
        return value
    if op == "not":
        return not value
    return ~value if isinstance(value, int) else None


def _binary(ctx: Context, expr: syntax.Binary) -> ir.Expr:
    # Left-associative chains are the only expressions that get long; walk down their spine without recursion.
    spine: list[syntax.Binary] = [expr]
    while isinstance(spine[-1].left, syntax.Binary):
        spine.append(spine[-1].left)
    left = ctx.expr(spine[-1].left)
    for step in reversed(spine):
        left = _combine(ctx, step, left, ctx.expr(step.right))
    return left


def _combine(ctx: Context, expr: syntax.Binary, left: ir.Expr, right: ir.Expr) -> ir.Expr:
    if isinstance(left, ir.Const) and isinstance(right, ir.Const):
        folded = _fold(expr.op, left.value, right.value)
        if folded is not None:
            return ir.Const(folded, expr.span)
    if expr.op not in _RUNTIME_BINARY and expr.op not in ("and", "or"):
        if not (_python_only(left) and _python_only(right)):
            ctx.unsupported(
                expr.op, expr.span, f"the operator '{expr.op}' is not part of the DSL for values known only at run time"
            )
        return ir.Unknown(f"operator {expr.op}", (*variables(left), *variables(right)), expr.span)
    return ir.Binary(expr.op, left, right, expr.span)


def _python_only(expr: ir.Expr) -> bool:
    """Might be evaluated by Python before the DSL sees it: nothing in it is known to be a DSL variable."""
    return not any(True for _ in variables(expr)) and not isinstance(expr, (ir.Op, ir.Call, ir.Submit))


def _fold(op: str, left: object, right: object) -> int | float | None:
    if not isinstance(left, (int, float)) or not isinstance(right, (int, float)):
        return None
    function = _FOLD.get(op)
    try:
        if function is not None:
            return function(left, right)
        if not isinstance(left, int) or not isinstance(right, int):
            return None
        if op == "**" and 0 <= right <= 64 and abs(left) <= 1 << 32:
            return int(left**right)
        if op in ("<<", ">>") and 0 <= right <= 64:
            return left << right if op == "<<" else left >> right
        if op in ("&", "|", "^"):
            return left & right if op == "&" else left | right if op == "|" else left ^ right
    except (ZeroDivisionError, OverflowError):
        return None
    return None


def _compare(ctx: Context, expr: syntax.Compare) -> ir.Expr:
    operands = [ctx.expr(o) for o in expr.operands]
    used = tuple(v for o in operands for v in variables(o))
    if len(expr.ops) > 1:
        ctx.unsupported(
            "comparison", expr.span, "a chained 'comparison' is not part of the DSL: compare two values at a time"
        )
        return ir.Unknown("chained comparison", used, expr.span)
    op = expr.ops[0]
    if op not in _COMPARISONS:
        if not all(_python_only(o) for o in operands):
            ctx.unsupported(op, expr.span, f"the comparison '{op}' is not part of the DSL")
        return ir.Unknown(f"comparison {op}", used, expr.span)
    return ir.Binary(op, operands[0], operands[1], expr.span)


def _list(ctx: Context, expr: syntax.ListDisplay) -> ir.Expr:
    return ir.ListExpr(tuple([ctx.expr(i) for i in expr.items]), expr.span)


def _tuple(ctx: Context, expr: syntax.TupleDisplay) -> ir.Expr:
    return ir.TupleExpr(tuple([ctx.expr(i) for i in expr.items]), expr.span)


def _comprehension(ctx: Context, expr: syntax.Comprehension) -> ir.Expr:
    ctx.unsupported("comprehension", expr.span, "a list 'comprehension' is only part of the DSL as the value of deps=")
    return ir.Unknown("comprehension", (), expr.span)


def _other(ctx: Context, expr: syntax.Other) -> ir.Expr:
    ctx.unsupported(expr.what, expr.span, f"'{expr.what}' is not part of the DSL")
    return ir.Unknown(expr.what, _names(ctx, expr.children), expr.span)


def _names(ctx: Context, children: tuple[syntax.Expr, ...]) -> tuple[ir.Var, ...]:
    found: list[ir.Var] = []
    stack = list(children)
    while stack:
        child = stack.pop()
        if isinstance(child, syntax.Name):
            if child.id in ctx.scope:
                found.append(ir.Var(child.id, child.id, ctx.scope[child.id], child.span))
        elif isinstance(child, syntax.Binary):
            stack += (child.left, child.right)
        elif isinstance(child, (syntax.ListDisplay, syntax.TupleDisplay)):
            stack += child.items
        elif isinstance(child, syntax.Compare):
            stack += child.operands
        elif isinstance(child, syntax.Other):
            stack += child.children
        elif isinstance(child, (syntax.Attribute, syntax.Subscript)):
            stack.append(child.base)
        elif isinstance(child, syntax.Call):
            stack += [a.value for a in child.args]
        elif isinstance(child, syntax.Unary):
            stack.append(child.operand)
    return tuple(found)


_DISPATCH: dict[type, Callable[[Context, Any], ir.Expr]] = {
    syntax.Name: _name,
    syntax.Literal: _literal,
    syntax.Attribute: _attribute,
    syntax.Call: call,
    syntax.Subscript: subscript,
    syntax.Unary: _unary,
    syntax.Binary: _binary,
    syntax.Compare: _compare,
    syntax.ListDisplay: _list,
    syntax.TupleDisplay: _tuple,
    syntax.Comprehension: _comprehension,
    syntax.Other: _other,
}
