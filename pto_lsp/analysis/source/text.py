r"""Text with a line table.

Offsets and columns count code points of the ``str``; lines and columns are 0-based. A line ends at ``\n``, ``\r\n`` or
``\r`` only, as the Language Server Protocol and Python have it; form feed, vertical tab, NEL and the Unicode separators
are ordinary characters. A byte order mark is an ordinary character of the first line.
"""

from __future__ import annotations

import re
from itertools import accumulate

from pto_lsp.analysis.source.offsets import OffsetTable
from pto_lsp.diagnostics import Position

_TERMINATOR = re.compile(r"\r\n?|\n")


class LineTable:
    """A text and where its lines begin. ``edit`` is the only thing that changes it."""

    __slots__ = ("_starts", "_text")

    def __init__(self, text: str) -> None:
        self._text = text
        self._starts = OffsetTable(_line_starts(text))

    @property
    def text(self) -> str:
        return self._text

    @property
    def line_count(self) -> int:
        """At least 1: text that ends with a terminator has an empty last line."""
        return len(self._starts)

    def line_start(self, line: int) -> int:
        return self._starts[line]

    def line_end(self, line: int) -> int:
        """Offset of the terminator of ``line``, or the end of the text."""
        if line + 1 >= len(self._starts):
            return len(self._text)
        end = self._starts[line + 1] - 1
        return end - 1 if self._text.startswith("\r\n", end - 1) else end

    def line_text(self, line: int) -> str:
        """The line without its terminator."""
        return self._text[self._starts[line] : self.line_end(line)]

    def line_starts(self) -> list[int]:
        return self._starts.to_list()

    def offset(self, line: int, column: int) -> int:
        """Clamps: a column behind the line to its end, a line behind the text to the end of the text."""
        if line < 0:
            return 0
        if line >= len(self._starts):
            return len(self._text)
        return min(self._starts[line] + max(column, 0), self.line_end(line))

    def position(self, offset: int) -> Position:
        r"""Clamps to the text. An offset inside ``\r\n`` is the end of that line."""
        offset = min(max(offset, 0), len(self._text))
        line = self._starts.count_up_to(offset) - 1
        return Position(line, min(offset, self.line_end(line)) - self._starts[line])

    def edit(self, start: int, end: int, replacement: str) -> None:
        """Replace the text between the offsets ``start`` and ``end`` (exclusive; ``0 <= start <= end <= length``)."""
        text = self._text[:start] + replacement + self._text[end:]
        starts = self._starts
        shift = len(replacement) - (end - start)
        # The character before the edit may be a "\r" that gains or loses its "\n": begin at that character's line.
        # Behind the edit, the first line start that is > end keeps its terminator whole, the one at == end may not.
        first = starts.count_up_to(max(start - 1, 0))
        last = starts.count_up_to(end)
        region_start = starts[first - 1]
        region_end = starts[last] + shift if last < len(starts) else len(text)
        found = [match.end() for match in _TERMINATOR.finditer(text, region_start, region_end)]
        if last < len(starts):
            found.pop()
        starts.splice(first, last, found, shift)
        self._text = text


def _line_starts(text: str) -> list[int]:
    if "\r" in text:
        return [0, *(match.end() for match in _TERMINATOR.finditer(text))]
    lengths = [len(line) + 1 for line in text.split("\n")]
    lengths.pop()
    return list(accumulate(lengths, initial=0))
