"""Argument expressions as short text for people: the names are the author's."""

from __future__ import annotations

from pto_lsp.analysis.ir.expressions import Binary, Cast, Const, Expr, Item, ListExpr, Op, Symbol, TupleExpr, Unary, Var


def label_of(expr: Expr) -> str:
    """``base``, ``idx * 128``, ``slice(w, …)``: what the author wrote, near enough to be recognised."""
    if isinstance(expr, Var):
        return expr.label
    if isinstance(expr, Const):
        return expr.written or repr(expr.value)
    if isinstance(expr, Symbol):
        return expr.name
    if isinstance(expr, Binary):
        if expr.op in ("min", "max"):
            return f"{expr.op}({label_of(expr.left)}, {label_of(expr.right)})"
        return f"{_operand(expr.left)} {expr.op} {_operand(expr.right)}"
    if isinstance(expr, Unary):
        return f"{expr.op}{' ' if expr.op == 'not' else ''}{_operand(expr.operand)}"
    if isinstance(expr, Cast):
        return label_of(expr.operand)
    if isinstance(expr, Item):
        return f"{label_of(expr.base)}[{expr.index}]"
    if isinstance(expr, (ListExpr, TupleExpr)):
        return ", ".join(label_of(item) for item in expr.items)
    if isinstance(expr, Op):
        return f"{expr.name.rpartition('.')[2]}({', '.join(label_of(arg) for arg in expr.args)})"
    return "…"


def _operand(expr: Expr) -> str:
    text = label_of(expr)
    return f"({text})" if isinstance(expr, Binary) and expr.op not in ("min", "max") else text
