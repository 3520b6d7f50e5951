"""The statements of a function as the front end reads them: parsed lines in a tree."""

from __future__ import annotations

from pto_lsp.analysis.node import node
from pto_lsp.analysis.source.syntax import Unit


@node
class Line:
    """One logical line. ``start`` is its code-point offset from the start of its function's text."""

    unit: Unit
    start: int
    body: tuple[Line, ...]
