"""Where an operator's operands stand: in order, or by name."""

from __future__ import annotations

from pto_lsp.analysis.ir.expressions import Expr, Op

NOWHERE = 1 << 16
"""The position of what can only be given by name."""


def argument(op: Op, position: int, *names: str) -> Expr | None:
    """The operand at ``position``, or given as a keyword of one of these names."""
    if position < len(op.args):
        return op.args[position]
    return next((keyword.value for keyword in op.keywords if keyword.name in names), None)
