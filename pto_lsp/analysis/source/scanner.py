"""Finds logical lines and top-level statements in Python text, whole or broken, without parsing it.

The scanner knows strings (a triple-quoted one is one token), comments, brackets, line terminators and backslash
continuation; nothing else. On text that Python accepts it finds exactly Python's logical lines. On broken text it has
to decide where the damage ends:

* An unterminated ``'…`` or ``"…`` ends with its line.
* An unterminated triple-quoted string ends before the next line that begins a definition or import outside of the block
  the string stands in. So does one whose terminator must be the beginning of another string, as a word follows it.
* An open bracket ends before a line that begins with a word no expression can begin or continue with (``return``,
  ``def`` …). A line is suspicious when it is indented no deeper than the logical line, or follows a colon at the end of
  a line of a compound header: when the brackets turn out never to be closed properly, the logical line ended before
  the first such line. Brackets that do close make it an ordinary line.
* A closer without its opener is ignored, a closer of an outer bracket closes the inner ones too. A statement does not
  begin with a closer, so a line that does belongs to the statement before.

Some of this makes the scanner look beyond the end of a statement; ``ScannedChunk.reach`` says how far, so that an edit
knows which statements it can influence.
"""

from __future__ import annotations

import re
from typing import NamedTuple

BYTE_ORDER_MARK = "\ufeff"

CLAUSE_KEYWORDS = frozenset({"elif", "else", "except", "finally"})
"""Words that continue the compound statement before them."""

TAB_SIZE = 8


class Comment(NamedTuple):
    """``offset`` of the ``#`` counts from the start of the chunk, or of the text for those before the first chunk."""

    offset: int
    text: str


RawLine = tuple[int, int, int]
"""Logical line: start and end offset (exclusive) relative to the chunk, indentation column."""


class ScannedChunk(NamedTuple):
    """One top-level statement as found by ``Scanner.chunk``; offsets in the text unless said otherwise.

    ``end`` is the end of its last physical line, before the terminator; ``following`` where the next chunk begins, or
    the end of the text. ``comments`` are those up to ``end``, ``gap_comments`` those between ``end`` and ``following``;
    both relative to the chunk. The result depends on no character at or behind ``reach``; the end of the text counts as
    one character. ``far`` says that it depends on more than the first word of the chunk that follows.
    """

    end: int
    lines: tuple[RawLine, ...]
    comments: tuple[Comment, ...]
    gap_comments: tuple[Comment, ...]
    following: int
    reach: int
    far: bool


def _token_pattern() -> re.Pattern[str]:
    """Blanks, then as much as holds no surprise, then one event.

    Strings and brackets that close on the same line, nested at most twice, are no events. The alternatives exclude each
    other by their first character and every special character is some event, so a match never fails and backtracking
    stays linear.
    """
    plain = r"[^()\[\]{}\"'#\\\r\n]*"
    escape = r"\\(?:\r\n|[\s\S])"
    double = rf"[^\"\\\r\n]*(?:{escape}[^\"\\\r\n]*)*"
    single = rf"[^'\\\r\n]*(?:{escape}[^'\\\r\n]*)*"
    string = rf"\"(?!\"\"){double}\"|'(?!''){single}'"
    quiet = string
    for _ in range(2):
        body = rf"{plain}(?:(?:{quiet}){plain})*"
        quiet = rf"{string}|\({body}\)|\[{body}\]|\{{{body}\}}"
    return re.compile(
        rf"([ \t\f]*)({plain}(?:(?:{quiet}){plain})*)"
        r"(?:(\r\n?|\n|\Z)"
        r"|(#[^\r\n]*)(?:\r\n?|\n|\Z)"
        r"|([(\[{])"
        r"|([)\]}])"
        r"|(\"\"\"|\'\'\')"
        rf"|(\"{double}|'{single})"
        r"|(\\(?:\r\n?|\n))"
        r"|(\\))"
    )


_TOKEN = _token_pattern()
_BLANK, _BODY, _EOL, _COMMENT, _OPEN, _CLOSE, _TRIPLE, _LONE_QUOTE, _CONTINUATION, _STRAY = range(1, 11)

_OPENER_OF = {")": "(", "]": "[", "}": "{"}

_NEVER_IN_BRACKETS = re.compile(
    r"(?:assert|break|class|continue|def|del|elif|except|finally|global|import|nonlocal|pass|raise|return|try|while|with)\b"
)
_HEADER = re.compile(r"(?:async|case|class|def|elif|for|if|match|while|with)\b")
_WORD = re.compile(r"\w*")
_DECORATED_KEYWORDS = frozenset({"async", "class", "def"})
_OPERATOR_WORDS = frozenset({"and", "as", "else", "for", "if", "in", "is", "not", "or", "async"})
_STRING_PREFIX = re.compile(r"[bBfFrRtTuU]{1,2}[\"']")
_FRESH_START = re.compile(
    r"(?:\r\n?|\n)([ \t\f]*)"
    r"(?:(?:async[ \t]+)?def[ \t]+\w+[ \t]*[(\[]|class[ \t]+\w+[ \t]*[(:\[]|@[^\W\d]"
    r"|(import[ \t]+\w|from[ \t]+[.\w]+[ \t]+import\b))"
)


def indentation_column(blank: str) -> int:
    """Column after ``blank`` as Python counts: tabs go to the next multiple of 8, a form feed begins anew."""
    column = 0
    for char in blank:
        if char == "\t":
            column += TAB_SIZE - column % TAB_SIZE
        elif char == "\f":
            column = 0
        else:
            column += 1
    return column


class Scanner:
    """Scans one text. What lookahead finds out is remembered, so scanning the whole text is linear in its length."""

    __slots__ = (
        "_closers",
        "_length",
        "_reach",
        "_text",
        "_unclosed",
        "_unclosed_reach",
        "_unclosed_until",
        "_word_reach",
    )

    def __init__(self, text: str) -> None:
        self._text = text
        self._length = len(text)
        self._reach = 0
        self._word_reach = 0
        # Triple quote -> (from, closer): searching from any place between the two finds the same closer, -1 for none.
        self._closers: dict[str, tuple[int, int]] = {}
        # Openers of brackets known to be still open where a lookahead gave up, that place, and what it had to read.
        self._unclosed: frozenset[int] = frozenset()
        self._unclosed_until = 0
        self._unclosed_reach = 0

    def preamble(self) -> tuple[tuple[Comment, ...], int]:
        """Comments before the first statement, and where the physical line of that statement begins."""
        comments: list[Comment] = []
        begin = 0
        while begin < self._length:
            match, _ = self._first_token(begin)
            if match.start(_BODY) < match.end(_BODY) or match.lastindex not in (_EOL, _COMMENT):
                break
            if match.lastindex == _COMMENT:
                comments.append(Comment(match.start(_COMMENT), match[_COMMENT]))
            begin = match.end()
        return tuple(comments), begin

    def chunk(self, begin: int) -> ScannedChunk:
        """The top-level statement whose first physical line begins at ``begin``."""
        text, length, token_at = self._text, self._length, _token_at
        lines: list[RawLine] = []
        comments: list[Comment] = []
        comment_count = 0
        decorated = False
        self._reach = 0
        end = following = begin
        while following < length:
            if lines and text[following] not in " \t\f\r\n#\\" and self._begins_chunk(following, decorated):
                break
            match = token_at(text, following)
            kind = match.lastindex
            start, stop = match.span(_BODY)
            column = start - following
            if kind == _CONTINUATION or following == 0 or (column and text.count(" ", following, start) != column):
                match, column = self._first_token(following)
                kind = match.lastindex
                start, stop = match.span(_BODY)
            if start == stop and kind in (_EOL, _COMMENT):
                if kind == _COMMENT:
                    comments.append(Comment(match.start(_COMMENT) - begin, match[_COMMENT]))
                following = match.end()
                continue
            if column == 0:
                if lines and start > following and self._begins_chunk(start, decorated):
                    break
                decorated = text[start] == "@"
            if kind in (_EOL, _COMMENT):
                if text[stop - 1] in " \t\f":
                    stop = start + len(text[start:stop].rstrip(" \t\f"))
                if kind == _COMMENT:
                    comments.append(Comment(match.start(_COMMENT) - begin, match[_COMMENT]))
                end = match.end(kind) if kind == _COMMENT else match.start(kind)
                following = match.end()
            else:
                stop, end, following = self._long_line(match, column, begin, comments)
            lines.append((start - begin, stop - begin, column))
            comment_count = len(comments)
        near = length + 1 if following >= length else self._word_reach
        self._see(near)
        inner, gap = tuple(comments[:comment_count]), tuple(comments[comment_count:])
        return ScannedChunk(end, tuple(lines), inner, gap, following, self._reach, self._reach > near)

    def _first_token(self, begin: int) -> tuple[re.Match[str], int]:
        """The token at the beginning of a physical line and its column, past byte order mark and continuations.

        As in CPython, the first continuation line that is indented at all decides the column.
        """
        text = self._text
        match = _token_at(text, 1 if begin == 0 and text.startswith(BYTE_ORDER_MARK) else begin)
        column = indentation_column(match[_BLANK])
        while match.lastindex == _CONTINUATION and match.start(_BODY) == match.end(_BODY):
            match = _token_at(text, match.end())
            column = column or indentation_column(match[_BLANK])
        return match, column

    def _begins_chunk(self, start: int, decorated: bool) -> bool:
        """Whether the logical line at ``start``, in column 0, begins a chunk when it is not the first line of one."""
        match = _WORD.match(self._text, start)
        assert match is not None
        # A line end behind a backslash would make the next line decide.
        self._word_reach = match.end() + (2 if self._text.startswith("\\", start) else 1)
        word = match[0]
        if word in CLAUSE_KEYWORDS or self._text[start] in _OPENER_OF:
            return False
        return not (decorated and (word in _DECORATED_KEYWORDS or self._text[start] == "@"))

    def _see(self, reach: int) -> None:
        if reach > self._reach:
            self._reach = reach

    def _long_line(
        self, match: re.Match[str], column: int, begin: int, comments: list[Comment]
    ) -> tuple[int, int, int]:
        """Finish the logical line that begins with ``match`` and holds more than quiet text.

        Returns the end of its last token, the end of that token's physical line, and the line start behind it. Appends
        its comments, relative to ``begin``.
        """
        text = self._text
        brackets: list[int] = []
        absent = ""  # openers known not to be among the brackets, so that wrong closers stay cheap
        first = line_begin = solid = match.start(_BODY)
        fresh = False
        last: _LineEnd = (0, 0, 0, 0)
        suspect: _LineEnd | None = None
        while True:
            kind = match.lastindex or _EOL
            start, stop = match.span(_BODY)
            if fresh and (start < stop or kind not in (_EOL, _COMMENT, _CLOSE, _CONTINUATION)):
                word = _NEVER_IN_BRACKETS.match(text, start)
                if word is not None:
                    proof = word.end() + 1
                    break
                if suspect is None and (
                    indentation_column(match[_BLANK]) <= column
                    or (text[solid - 1] == ":" and _HEADER.match(text, first) is not None)
                ):
                    suspect = last
                    if brackets[0] in self._unclosed and start < self._unclosed_until:
                        self._see(self._unclosed_reach)
                        return _close(suspect, comments)
            fresh = False
            at, after = match.span(kind)
            if kind in (_EOL, _COMMENT, _CONTINUATION):
                if start < stop:
                    solid = start + len(text[start:stop].rstrip(" \t\f"))
                if kind == _COMMENT:
                    comments.append(Comment(at - begin, match[_COMMENT]))
                if solid > line_begin:
                    last = (
                        solid,
                        at + (kind == _CONTINUATION) if kind != _COMMENT else after,
                        match.end(),
                        len(comments),
                    )
                line_begin = match.end()
                if kind != _CONTINUATION:
                    if not brackets:
                        return _close(last, comments)
                    if at == self._length:
                        proof = self._length + 1
                        break
                    fresh = True
                match = _token_at(text, line_begin)
                continue
            if kind == _OPEN:
                brackets.append(at)
                if absent:
                    absent = absent.replace(text[at], "")
            elif kind == _CLOSE:
                opener = _OPENER_OF[text[at]]
                if brackets and text[brackets[-1]] == opener:
                    brackets.pop()
                    if not brackets:
                        suspect = None
                elif suspect is not None:
                    proof = after
                    break
                elif opener not in absent:
                    depth = len(brackets)
                    while depth and text[brackets[depth - 1]] != opener:
                        depth -= 1
                    if depth:
                        del brackets[depth - 1 :]
                    else:
                        absent += opener
            elif kind == _TRIPLE:
                after = self._after_triple(after, match[_TRIPLE])
            elif kind == _LONE_QUOTE:
                # A continued string may have run into an empty line.
                after = at + len(match[_LONE_QUOTE].rstrip("\r\n"))
            solid = after
            match = _token_at(text, after)
        self._see(proof)
        if suspect is None:
            return _close(last, comments)
        self._unclosed = frozenset(brackets)
        self._unclosed_until = proof
        self._unclosed_reach = self._reach
        return _close(suspect, comments)

    def _after_triple(self, begin: int, quotes: str) -> int:
        """Where the triple-quoted string ends whose content begins at ``begin``."""
        text = self._text
        closer = self._closer(begin, quotes)
        if closer < 0:
            self._see(self._length + 1)
            fresh = self._fresh_start(begin, self._length)
            return self._without_blanks(begin, self._length if fresh < 0 else fresh)
        match = _WORD.match(text, closer)
        assert match is not None
        if not match[0] or match[0] in _OPERATOR_WORDS or _STRING_PREFIX.match(text, closer):
            return closer
        fresh = self._fresh_start(begin, closer)
        if fresh < 0:
            return closer
        self._see(match.end() + 1)
        return self._without_blanks(begin, fresh)

    def _without_blanks(self, begin: int, end: int) -> int:
        return begin + len(self._text[begin:end].rstrip(" \t\f\r\n"))

    def _closer(self, begin: int, quotes: str) -> int:
        """Where the closing ``quotes`` end, or -1. In raw strings, too, a backslash protects a quote."""
        known_from, known = self._closers.get(quotes, (self._length + 1, -1))
        if known_from <= begin and (known < 0 or begin <= known - 3):
            return known
        text = self._text
        at = text.find(quotes, begin)
        while at >= 0:
            slash = at
            while slash > begin and text[slash - 1] == "\\":
                slash -= 1
            if (at - slash) % 2 == 0:
                break
            at = text.find(quotes, at + 1)
        closer = at + 3 if at >= 0 else -1
        self._closers[quotes] = (begin, closer)
        return closer

    def _fresh_start(self, begin: int, limit: int) -> int:
        """End of the line before the first that looks like code outside of the block of the string at ``begin``.

        -1 when there is none before ``limit``. The block is that of the physical line the string begins on.
        """
        text = self._text
        line_begin = text.rfind("\n", 0, begin) + 1
        line_begin = max(line_begin, text.rfind("\r", line_begin, begin) + 1)
        own = indentation_column(_token_at(text, line_begin)[_BLANK])
        for match in _FRESH_START.finditer(text, begin, limit):
            column = indentation_column(match[1])
            if column == 0 or (column < own and match[2] is None):
                return match.start()
        return -1


_LineEnd = tuple[int, int, int, int]
"""End of the last token on a physical line, end of that line, start of the next, number of comments so far."""


def _close(last: _LineEnd, comments: list[Comment]) -> tuple[int, int, int]:
    del comments[last[3] :]
    return last[:3]


def _token_at(text: str, position: int) -> re.Match[str]:
    match = _TOKEN.match(text, position)
    assert match is not None
    return match
