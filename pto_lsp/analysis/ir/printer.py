"""IR as PyPTO source text."""

from __future__ import annotations

from pto_lsp.analysis.ir.expression_printer import print_expr, print_type

__all__ = ["print_expr", "print_type"]
