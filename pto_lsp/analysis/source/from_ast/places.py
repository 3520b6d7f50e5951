"""Where the nodes of Python's tree stand in the text of a unit, and what its nodes leave out."""

from __future__ import annotations

import ast
import re
from typing import Union

from pto_lsp.analysis.source.nesting import STRING
from pto_lsp.analysis.source.wrapping import Wrapped
from pto_lsp.diagnostics import Span

Placed = Union[ast.expr, ast.stmt, ast.keyword, ast.arg]

_BLANKS = " \t\f\r\n\\"
_GAP = r"(?:[ \t\f\r\n\\]|#[^\r\n]*)*"
_CLOSING = re.compile(rf"{_GAP}\)")
_COLON = re.compile(rf"(?:{_GAP}\))*{_GAP}:")
_LINE_END = re.compile(r"\r\n?|\n")
_TEXT = re.compile(rf"(?:{STRING})|#[^\r\n]*")


class Unsupported(Exception):
    """What this package has no rule for."""


class Places:
    """Offsets into the text of the unit, from the tree of ``wrapped.source``."""

    __slots__ = ("_commented", "_starts", "_text")

    def __init__(self, wrapped: Wrapped, tree: ast.AST) -> None:
        """Takes over ``tree``. Raises ``Unsupported`` for names that are not ASCII, which Python normalizes."""
        code = wrapped.code
        self._text = " " * wrapped.start + code
        self._commented = "#" in code
        lines_before = wrapped.prefix.count("\n")
        on_first_line = len(wrapped.prefix) - (wrapped.prefix.rfind("\n") + 1)
        # Nobody asks for a place in the lines before.
        self._starts = [*[0] * lines_before, wrapped.start - on_first_line]
        if "\n" in code or "\r" in code:
            self._starts += [match.end() for match in _LINE_END.finditer(self._text, wrapped.start)]
        if not code.isascii():
            if not _TEXT.sub("", code).isascii():
                raise Unsupported
            _count_characters(tree, _LINE_END.split(wrapped.source))

    def match(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        return pattern.match(self._text)

    def start(self, node: Placed) -> int:
        return self._starts[node.lineno - 1] + node.col_offset

    def end(self, node: Placed) -> int:
        # Trees that were parsed have them all.
        return self._starts[node.end_lineno - 1] + node.end_col_offset  # type: ignore[operator]

    def span(self, node: Placed) -> Span:
        starts = self._starts
        return Span(
            starts[node.lineno - 1] + node.col_offset,
            starts[node.end_lineno - 1] + node.end_col_offset,  # type: ignore[operator]
        )

    def begins_with(self, node: Placed, character: str) -> bool:
        return self._text.startswith(character, self.start(node))

    def closing(self, node: ast.expr) -> bool:
        """Whether a closing parenthesis follows ``node``."""
        return _CLOSING.match(self._text, self.end(node)) is not None

    def grouped(self, node: ast.expr, limit: int | None = None) -> Span:
        """The span of ``node`` with the parentheses around it, none of which closes behind ``limit``.

        Raises ``Unsupported`` where comments may stand in between.
        """
        text = self._text
        limit = len(text) if limit is None else limit
        start, end = self.span(node)
        while end < limit and text[end] != ",":
            closing = _CLOSING.match(text, end, limit)
            if closing is None:
                break
            end = closing.end()
            start -= 1
            while text[start] in _BLANKS:
                start -= 1
            if self._commented or text[start] != "(":
                raise Unsupported
        return Span(start, end)

    def behind_colon(self, offset: int) -> int:
        """Behind the colon of a header whose last expression ends at ``offset``."""
        colon = _COLON.match(self._text, offset)
        if colon is None:
            raise Unsupported
        return colon.end()


def _count_characters(tree: ast.AST, lines: list[str]) -> None:
    """Make the columns of ``tree``, which count bytes, those of the text."""
    encoded = [line.encode() for line in lines]
    for node in ast.walk(tree):
        if isinstance(node, (ast.expr, ast.stmt, ast.keyword, ast.arg)):
            node.col_offset = len(encoded[node.lineno - 1][: node.col_offset].decode())
            assert node.end_lineno is not None and node.end_col_offset is not None
            node.end_col_offset = len(encoded[node.end_lineno - 1][: node.end_col_offset].decode())
