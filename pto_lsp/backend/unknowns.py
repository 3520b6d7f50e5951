"""How messages name what nobody knows."""

from __future__ import annotations

from pto_lsp.analysis.ir.expressions import Unknown


def shown_unknown(expr: Unknown) -> str:
    """To stand after "no C++ code for", or before "is not executed"."""
    if expr.python:
        return f"'{expr.python}', a value of Python that nothing says"
    return f"what is not understood here ({expr.what})"
