"""Which argument a call's result stands for (rules.md R10)."""

from __future__ import annotations

from pto_lsp.analysis.ir.program import Direction, Function, Program
from pto_lsp.analysis.ir.types import is_scalar
from pto_lsp.analysis.passes.return_lineage import body_lineage, explicit_returned_params, first_return


def returned_params(function: Function, program: Program) -> tuple[int | None, ...]:
    """For every result of a function of ``program`` the index of the parameter it is, None for any other value.

    A kernel may write a parameter in each arm of a condition and return what comes of it. A function without a known
    body returns its Out and InOut parameters in order, when there are as many as results.
    """
    explicit = explicit_returned_params(function)
    if explicit is not None:
        returned = first_return(function)
        if returned is None or None not in explicit or not function.kind.is_kernel:
            return explicit
        joined = body_lineage(function, program)
        return tuple(
            [joined.value(value).param if index is None else index for value, index in zip(returned.values, explicit)]
        )
    written = [
        index
        for index, param in enumerate(function.params)
        if param.direction is not Direction.IN and not is_scalar(param.type)
    ]
    count = len(function.returns)
    return tuple(written) if len(written) == count else (None,) * count
