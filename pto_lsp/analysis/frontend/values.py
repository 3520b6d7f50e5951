"""Between constant values and IR expressions."""

from __future__ import annotations

from pto_lsp.analysis.frontend.constants.expressions import evaluate
from pto_lsp.analysis.frontend.constants.values import UNKNOWN, DType, DynamicSymbol, PlAttribute, Value
from pto_lsp.analysis.frontend.context import Context
from pto_lsp.analysis.ir import expressions as ir
from pto_lsp.analysis.source import syntax
from pto_lsp.diagnostics import Span


def expression_of(value: Value, span: Span = ir.NO_SPAN, written: str = "") -> ir.Expr | None:
    """The expression a closure value becomes (surface.md §4); None when the DSL has none for it."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return ir.Const(value, span, written)
    if isinstance(value, DynamicSymbol):
        return ir.Symbol(value.name, span)
    if isinstance(value, DType):
        return ir.DType(value.name, span)
    if isinstance(value, PlAttribute):
        return ir.Enumerator(value.dotted, span)
    if isinstance(value, (list, tuple)):
        items = [expression_of(item, span) for item in value]
        known = tuple(item for item in items if item is not None)
        if len(known) < len(items):
            return None
        return ir.ListExpr(known, span) if isinstance(value, list) else ir.TupleExpr(known, span)
    return None


def evaluate_in(ctx: Context, expr: syntax.Expr) -> Value:
    """Value of ``expr`` as Python would see it from the decorating frame; UNKNOWN where DSL variables take part."""

    def lookup(name: str) -> Value:
        return UNKNOWN if name in ctx.scope else ctx.value(name)

    return evaluate(expr, lookup, ctx.names.env)
