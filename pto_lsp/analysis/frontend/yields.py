"""The trailing ``pl.yield_`` of a loop body or branch (surface.md §6)."""

from __future__ import annotations

from dataclasses import replace

from pto_lsp.analysis.ir.expressions import Expr, Var
from pto_lsp.analysis.ir.statements import Assign, Block, Scope, Stmt, Yield


def split_yield(block: Block) -> tuple[Yield | None, Block]:
    """The yield that ends ``block``, also when runtime scopes are around it, and the block without it.

    What it yields is a variable afterwards: an expression keeps its place as a binding where the yield stood.
    """
    last = block[-1] if block else None
    if isinstance(last, Scope):
        found, inner = split_yield(last.body)
        return (found, block) if found is None else (found, (*block[:-1], replace(last, body=inner)))
    if not isinstance(last, Yield):
        return None, block
    bindings: list[Stmt] = []
    values: list[Expr] = []
    for index, value in enumerate(last.values):
        if not isinstance(value, Var) and index < len(last.targets):
            target = last.targets[index]
            bindings.append(Assign(target, value, last.at, last.span))
            value = Var(target.name, target.label, target.type, value.span)
        values.append(value)
    return replace(last, values=tuple(values)), (*block[:-1], *bindings)
