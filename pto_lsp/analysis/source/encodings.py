"""Columns in the units an editor counts in (Language Server Protocol, ``PositionEncodingKind``).

Everything inside the project counts code points; these two functions stand at the border. They take the text of the
line, without its terminator, because the answer depends on the characters before the column. A lone surrogate, which
JSON can smuggle into a text, counts as one UTF-16 unit and three UTF-8 units.
"""

from __future__ import annotations

from enum import Enum


class PositionEncoding(Enum):
    """Values are the protocol's names."""

    UTF8 = "utf-8"
    UTF16 = "utf-16"
    UTF32 = "utf-32"


def column_from_units(line: str, units: int, encoding: PositionEncoding) -> int:
    """Code-point column of a column counted in ``encoding`` units.

    Clamps to the line; inside a surrogate pair or a UTF-8 sequence rounds down to the character it belongs to.
    """
    if units <= 0:
        return 0
    if encoding is PositionEncoding.UTF32 or line.isascii():
        return min(units, len(line))
    if units < len(line) and line[:units].isascii():
        return units
    if encoding is PositionEncoding.UTF16:
        column = 0
        for char in line:
            units -= 2 if char > "\uffff" else 1
            if units < 0:
                break
            column += 1
        return column
    column = 0
    for char in line:
        units -= 1 if char < "\x80" else 2 if char < "\u0800" else 3 if char <= "\uffff" else 4
        if units < 0:
            break
        column += 1
    return column


def column_to_units(line: str, column: int, encoding: PositionEncoding) -> int:
    """Column in ``encoding`` units of a code-point column; clamps to the line."""
    column = min(max(column, 0), len(line))
    if encoding is PositionEncoding.UTF32 or line.isascii():
        return column
    head = line[:column]
    if encoding is PositionEncoding.UTF8:
        return len(head.encode("utf-8", "surrogatepass"))
    return len(head.encode("utf-16-le", "surrogatepass")) // 2
