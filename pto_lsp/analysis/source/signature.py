"""Cuts a ``def`` header into pieces that can be parsed, and cached, one by one.

A header may be hundreds of lines long, and an edit touches one parameter of it. All offsets here are code points into
the text of the header's own logical line; add ``LogicalLine.start`` to get offsets into the chunk.
"""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Piece:
    """``text``, standing at ``start`` of its logical line: an offset into it plus ``start`` is one into the line."""

    text: str
    start: int

    @property
    def end(self) -> int:
        return self.start + len(self.text)


@dataclass(frozen=True, slots=True)
class Signature:
    """``before`` is ``def name(``, ``after`` is ``) -> returns:`` and the body on the same line, if any.

    ``parameters`` are the texts between the depth-1 commas, without the commas and without blanks and comments around
    them; inside a piece there may be line ends and comments, so parse it in parentheses. ``*`` and ``/`` are pieces as
    well. A piece is empty where a parameter is missing (``(a,,b)``); after a trailing comma there is none. ``closed``
    is false when the closing parenthesis is missing; ``after`` is empty then.
    """

    before: Piece
    parameters: tuple[Piece, ...]
    after: Piece
    closed: bool

    @property
    def head_text(self) -> str:
        """``def name() -> returns:``, the header without parameters: itself the text of a unit."""
        return self.before.text + self.after.text

    def from_head(self, offset: int) -> int:
        """The offset into the logical line of an offset into ``head_text``."""
        cut = len(self.before.text)
        return offset if offset < cut else offset - cut + self.after.start


_TOKEN = re.compile(
    r"(#[^\r\n]*)|([(\[{])|([)\]}])|(,)|(:)|\b(lambda)\b"
    r"|\"\"\"(?:[^\"\\]|\\[\s\S]|\"(?!\"\"))*(?:\"\"\"|\Z)|'''(?:[^'\\]|\\[\s\S]|'(?!''))*(?:'''|\Z)"
    r"|\"[^\"\\\r\n]*(?:\\(?:\r\n|[\s\S])[^\"\\\r\n]*)*\"?|'[^'\\\r\n]*(?:\\(?:\r\n|[\s\S])[^'\\\r\n]*)*'?"
)
_COMMENT, _OPEN, _CLOSE, _COMMA, _COLON, _LAMBDA = range(1, 7)
_BLANKS_AND_COMMENTS = re.compile(r"(?:[ \t\f\r\n]+|\\(?=[\r\n])|#[^\r\n]*)*")


def split_signature(text: str) -> Signature | None:
    """The pieces of a ``def`` header, or None when it has no parameter list yet."""
    depth = 0
    cut = -1  # just behind the opening parenthesis
    segment = 0
    pending_lambdas = 0
    comments: list[tuple[int, int]] = []
    pieces: list[Piece] = []
    for match in _TOKEN.finditer(text):
        kind = match.lastindex
        if kind == _OPEN:
            if depth == 0 and cut < 0 and match[_OPEN] == "(":
                cut = segment = match.end()
            depth += 1
        elif kind == _CLOSE:
            depth -= 1
            if depth == 0 and cut >= 0:
                close = match.start()
                pieces.append(_piece(text, segment, close, comments))
                return _signature(text, cut, pieces, close)
        elif depth == 1 and cut >= 0:
            if kind == _COMMENT:
                comments.append(match.span())
            elif kind == _LAMBDA:
                pending_lambdas += 1
            elif kind == _COLON:
                pending_lambdas -= pending_lambdas > 0
            elif kind == _COMMA and not pending_lambdas:
                pieces.append(_piece(text, segment, match.start(), comments))
                segment = match.end()
                comments.clear()
    if cut < 0:
        return None
    pieces.append(_piece(text, segment, len(text), comments))
    return _signature(text, cut, pieces, len(text))


def _signature(text: str, cut: int, pieces: list[Piece], close: int) -> Signature:
    if not pieces[-1].text:
        pieces.pop()
    return Signature(Piece(text[:cut], 0), tuple(pieces), Piece(text[close:], close), close < len(text))


def _piece(text: str, begin: int, end: int, comments: list[tuple[int, int]]) -> Piece:
    """The text between two commas without what surrounds it; ``comments`` are those in between, at depth 1."""
    match = _BLANKS_AND_COMMENTS.match(text, begin, end)
    assert match is not None
    start = match.end()
    kept = len(comments)
    while end > start:
        end = start + len(text[start:end].rstrip(" \t\f\r\n"))
        if kept and comments[kept - 1][1] == end:
            kept -= 1
            end = comments[kept][0]
        elif text.startswith(("\n", "\r"), end) and text[end - 1] == "\\":
            end -= 1
        else:
            break
    return Piece(text[start : max(start, end)], start)
