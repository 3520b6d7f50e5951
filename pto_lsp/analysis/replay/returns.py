"""Which argument a call's result stands for (rules.md R10)."""

from __future__ import annotations

from pto_lsp.analysis.ir.expressions import TupleExpr, Var
from pto_lsp.analysis.ir.program import Direction, Function
from pto_lsp.analysis.ir.statements import Return
from pto_lsp.analysis.ir.types import is_scalar
from pto_lsp.analysis.ir.visitor import walk_block


def returned_params(function: Function) -> tuple[int | None, ...]:
    """For every result the index of the parameter it is, None for any other value.

    A function without a known body returns its Out and InOut parameters in order, when there are as many as results.
    """
    if function.body is None:
        written = [
            index
            for index, param in enumerate(function.params)
            if param.direction is not Direction.IN and not is_scalar(param.type)
        ]
        count = len(function.returns)
        return tuple(written) if len(written) == count else (None,) * count
    for stmt in walk_block(function.body):
        if isinstance(stmt, Return):
            values = stmt.values
            if len(values) == 1 and isinstance(values[0], TupleExpr):
                values = values[0].items
            return tuple([function.param_index(v.name) if isinstance(v, Var) else None for v in values])
    return ()
