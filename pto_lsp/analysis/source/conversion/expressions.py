"""Everything there is to convert an expression; to be imported from here, so that no kind of expression is missing."""

from pto_lsp.analysis.source.conversion import displays, operators
from pto_lsp.analysis.source.conversion.atoms import plain_name
from pto_lsp.analysis.source.conversion.dispatch import expression
from pto_lsp.analysis.source.conversion.operators import from_clause
from pto_lsp.analysis.source.conversion.parameters import annotation, parameter, parameters
from pto_lsp.analysis.source.conversion.postfix import arguments

__all__ = [
    "annotation",
    "arguments",
    "displays",
    "expression",
    "from_clause",
    "operators",
    "parameter",
    "parameters",
    "plain_name",
]
