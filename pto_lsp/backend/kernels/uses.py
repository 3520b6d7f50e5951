"""How often, and for what, a kernel uses each name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from pto_lsp.analysis.ir.expressions import Call, Expr, Op, Submit, Var
from pto_lsp.analysis.ir.statements import Block, For, If, Return, While
from pto_lsp.analysis.ir.uses import bound_in
from pto_lsp.analysis.ir.visitor import blocks, children, statement_exprs

_PLACE_OPERAND = {"assemble": 0, "write": 0, "store": 2, "slice": 0, "read": 0}
"""Operand that is only a place in memory, by the operator's name without its prefix."""


@dataclass(frozen=True, slots=True)
class Uses:
    """``counts``: how often a name is used on the way that uses it most, and more than once where a loop that does not
    bind it uses it. ``values``: names of which the elements are wanted, not just the place.
    """

    counts: Counter[str]
    values: frozenset[str]


def short_name(op: Op) -> str:
    """The operator without ``tile.`` or ``tensor.``."""
    return op.name.removeprefix("tile.").removeprefix("tensor.")


def uses_in(body: Block) -> Uses:
    values: set[str] = set()
    return Uses(_counts(body, values), frozenset(values))


def _counts(block: Block, values: set[str]) -> Counter[str]:
    counts: Counter[str] = Counter()
    for stmt in block:
        counts += _evaluated(statement_exprs(stmt), values, isinstance(stmt, Return))
        if isinstance(stmt, If):
            then = _counts(stmt.then, values) + _evaluated([phi.then for phi in stmt.phis], values)
            orelse = _counts(stmt.orelse, values) + _evaluated([phi.orelse for phi in stmt.phis], values)
            counts += then | orelse
        elif isinstance(stmt, (For, While)):
            trip = _counts(stmt.body, values) + _evaluated([carry.update for carry in stmt.carries], values)
            own = {*bound_in(stmt.body), *[carry.inner.name for carry in stmt.carries]}
            counts += Counter({name: count if name in own else 2 * count for name, count in trip.items()})
        else:
            for inner in blocks(stmt):
                counts += _counts(inner, values)
    return counts


def _evaluated(exprs: Sequence[Expr], values: set[str], returned: bool = False) -> Counter[str]:
    counts: Counter[str] = Counter()
    for expr in exprs:
        _collect(expr, counts, values)
        if isinstance(expr, Var) and not returned:
            values.add(expr.name)
    return counts


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
