"""How often, and for what, a kernel uses each name."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from pto_lsp.analysis.ir.expressions import Call, Expr, Op, Submit, Var
from pto_lsp.analysis.ir.statements import Block, For, If, Return, While
from pto_lsp.analysis.ir.visitor import children, statement_exprs, walk_block

_PLACE_OPERAND = {"assemble": 0, "write": 0, "store": 2, "slice": 0, "read": 0}
"""Operand that is only a place in memory, by the operator's name without its prefix."""


@dataclass(frozen=True, slots=True)
class Uses:
    """``counts``: uses of a name. ``values``: names of which the elements are wanted, not just the place."""

    counts: Counter[str]
    values: frozenset[str]


def short_name(op: Op) -> str:
    """The operator without ``tile.`` or ``tensor.``."""
    return op.name.removeprefix("tile.").removeprefix("tensor.")


def uses_in(body: Block) -> Uses:
    counts: Counter[str] = Counter()
    values: set[str] = set()
    for stmt in walk_block(body):
        exprs = list(statement_exprs(stmt))
        joins: list[Expr] = []
        if isinstance(stmt, (For, While)):
            joins = [carry.update for carry in stmt.carries]
        elif isinstance(stmt, If):
            joins = [end for phi in stmt.phis for end in (phi.then, phi.orelse)]
        for expr in (*exprs, *joins):
            _collect(expr, counts, values)
            if isinstance(expr, Var) and not isinstance(stmt, Return):
                values.add(expr.name)
    return Uses(counts, frozenset(values))


def _collect(expr: Expr, counts: Counter[str], values: set[str]) -> None:
    for position, child in enumerate(children(expr)):
        if not isinstance(child, Var) or (isinstance(expr, Op) and short_name(expr) == "dim"):
            continue
        counts[child.name] += 1
        if isinstance(expr, Op):
            if _PLACE_OPERAND.get(short_name(expr)) != position:
                values.add(child.name)
        elif not isinstance(expr, (Call, Submit)):
            values.add(child.name)
    for child in children(expr):
        if not isinstance(child, Var):
            _collect(child, counts, values)
    if isinstance(expr, Var):
        counts[expr.name] += 1
