"""Which argument a call's result stands for (rules.md R10)."""

from __future__ import annotations

from pto_lsp.analysis.ir.program import Direction, Function
from pto_lsp.analysis.ir.types import is_scalar
from pto_lsp.analysis.passes.return_lineage import explicit_returned_params


def returned_params(function: Function) -> tuple[int | None, ...]:
    """For every result the index of the parameter it is, None for any other value.

    A function without a known body returns its Out and InOut parameters in order, when there are as many as results.
    """
    explicit = explicit_returned_params(function)
    if explicit is not None:
        return explicit
    written = [
        index
        for index, param in enumerate(function.params)
        if param.direction is not Direction.IN and not is_scalar(param.type)
    ]
    count = len(function.returns)
    return tuple(written) if len(written) == count else (None,) * count
