"""Bodies of the user's functions, parsed when they are first called."""

from __future__ import annotations

import ast
from typing import Union

from pto_lsp.analysis.frontend.constants.effects import number_functions

FunctionNode = Union[ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda]


class FunctionCode:
    """A function to interpret, made from a node or from the text of a module-level ``def``, parsed on demand."""

    __slots__ = ("_node", "text")

    def __init__(self, text: str, node: FunctionNode | None = None) -> None:
        self.text = text
        self._node = node

    def node(self) -> FunctionNode | None:
        """None when the text has an error."""
        if self._node is None and self.text:
            try:
                body = ast.parse(self.text).body
            except (SyntaxError, ValueError, RecursionError, MemoryError):
                self.text = ""
                return None
            found = body[0] if len(body) == 1 else None
            if isinstance(found, (ast.FunctionDef, ast.AsyncFunctionDef)):
                number_functions(body, "", {})
                self._node = found
        return self._node
