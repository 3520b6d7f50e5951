"""Conditions of ``if`` and ``while``."""

from __future__ import annotations

from pto_lsp.analysis.frontend.context import Context
from pto_lsp.analysis.frontend.operators import INTEGER_DTYPES
from pto_lsp.analysis.frontend.result_types import type_of
from pto_lsp.analysis.ir import expressions as ir
from pto_lsp.analysis.ir.types import ScalarType
from pto_lsp.analysis.source import syntax


def check_condition(ctx: Context, condition: ir.Expr, head: syntax.Conditional) -> None:
    """An integer is not a condition (surface.md §5): ``if n:`` is refused, ``if n != 0:`` is meant."""
    type_ = type_of(condition)
    is_int = (
        isinstance(condition, ir.Const) and isinstance(condition.value, int) and not isinstance(condition.value, bool)
    )
    if is_int or (isinstance(condition, ir.Var) and isinstance(type_, ScalarType) and type_.dtype in INTEGER_DTYPES):
        name = (
            condition.label if isinstance(condition, ir.Var) else str(getattr(condition, "written", "") or "this value")
        )
        ctx.unsupported(
            name, head.condition.span, f"'{name}' is an integer, and a condition must be a bool: compare it, '!= 0'"
        )
