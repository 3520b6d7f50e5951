"""The logical lines of one chunk as a tree by indentation.

Offsets are code points from the start of the chunk (the beginning of its first physical line). Nothing here needs the
text to be valid Python; what Python would reject about the layout is noted in ``LineTree.faults``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from enum import Enum
from functools import lru_cache

from pto_lsp.analysis.node import node
from pto_lsp.analysis.source.scanner import CLAUSE_KEYWORDS, RawLine


class LineKind(Enum):
    """What a logical line is, by its first word alone."""

    SIMPLE = "simple"
    """One or more simple statements, or something that is no statement at all."""
    COMPOUND = "compound"
    """Header of ``for``, ``while``, ``if``, ``with``, ``try``, ``match`` or ``case``; its body may be on the line."""
    CLAUSE = "clause"
    """``elif``, ``else``, ``except``, ``finally``: a sibling of the header it continues."""
    DECORATOR = "decorator"
    """A sibling of the definition it decorates."""
    DEF = "def"
    CLASS = "class"

    __hash__ = object.__hash__  # that of Enum runs in Python, and every line of a function needs one


class Fault(Enum):
    """A layout Python rejects though each line may be fine by itself."""

    UNEXPECTED_INDENT = "unexpected indent"
    """Deeper than the line before, which opens no block."""
    INCONSISTENT_DEDENT = "inconsistent dedent"
    """Goes back to a column at which no block stands."""
    MISSING_BLOCK = "missing block"
    """A header that ends with its colon and has no children."""
    MISPLACED_CLAUSE = "misplaced clause"
    """``else``, ``except`` … with nothing before it that it could continue."""
    MISSING_HANDLER = "missing handler"
    """``try`` without ``except`` and ``finally``."""
    DANGLING_DECORATOR = "dangling decorator"
    """A decorator without a definition behind it."""


@node
class LogicalLine:
    """``text`` is the unit text, from the first non-blank character to the last token, with comments inside brackets.

    ``start`` is its offset in the chunk. ``column`` is the indentation in columns. ``keyword`` is the first word when
    it decides the kind ("for", "else", "def", also for ``async def`` …), else "". ``children`` are the deeper lines
    below, whether the line opens a block or not.
    """

    text: str
    start: int
    column: int
    kind: LineKind
    keyword: str
    children: Sequence[LogicalLine]

    @property
    def end(self) -> int:
        return self.start + len(self.text)


@node
class LineTree:
    """``flat`` has all lines in the order of the text.

    ``faults`` has at most one entry for a line, the first thing that is wrong with it.
    """

    top: Sequence[LogicalLine]
    flat: Sequence[LogicalLine]
    faults: Mapping[LogicalLine, Fault]


_KINDS = {
    **dict.fromkeys(("for", "while", "if", "with", "try"), LineKind.COMPOUND),
    **dict.fromkeys(CLAUSE_KEYWORDS, LineKind.CLAUSE),
    "def": LineKind.DEF,
    "class": LineKind.CLASS,
}
_DEFINING = (LineKind.DECORATOR, LineKind.DEF, LineKind.CLASS)
_NO_HEADER = (LineKind.SIMPLE, LineKind.DECORATOR)
_WORD = re.compile(r"\w*")
_ASYNC = re.compile(r"async(?:[ \t\f]|\\(?:\r\n?|\n))+(def|for|with)\b")
_SOFT_HEADER = re.compile(r"(?:match|case)\b[\s\S]*:\Z|case[ \t\f]+[\w\"'\[({*-][\s\S]*:")
_NOTHING: frozenset[str] = frozenset()
_FINALLY = frozenset({"finally"})
_HANDLERS = frozenset({"except", "finally"})
_CONTINUED_BY = {
    "if": frozenset({"elif", "else"}),
    "elif": frozenset({"elif", "else"}),
    "for": frozenset({"else"}),
    "while": frozenset({"else"}),
    "try": _HANDLERS,
    "except": frozenset({"except", "else", "finally"}),
}


def build_tree(text: str, lines: Sequence[RawLine]) -> LineTree:
    """The parent of a line is the nearest line before it that is indented less. ``text`` is that of the chunk."""
    top: list[LogicalLine] = []
    flat: list[LogicalLine] = []
    levels = [top]
    path: list[tuple[LogicalLine, list[LogicalLine]]] = []  # the line before and its ancestors, with their children
    previous_column = 0
    header = False
    faults: dict[LogicalLine, Fault] = {}
    for start, end, column in lines:
        fault = None
        if column > previous_column:
            if not header:
                fault = Fault.UNEXPECTED_INDENT
        else:
            reached = column
            while path and path[-1][0].column >= column:
                reached = path.pop()[0].column
            if reached != column:
                fault = Fault.INCONSISTENT_DEDENT
        unit = text[start:end]
        kind, keyword = _classify(unit)
        children: list[LogicalLine] = []
        line = LogicalLine(unit, start, column, kind, keyword, children)
        if fault is not None:
            faults[line] = fault
        siblings = path[-1][1] if path else top
        if not siblings:
            levels.append(siblings)
        siblings.append(line)
        flat.append(line)
        path.append((line, children))
        previous_column = column
        header = kind not in _NO_HEADER
    for level in levels:
        _check_level(level, faults)
    return LineTree(top, flat, faults)


@lru_cache(maxsize=8_192)
def _classify(unit: str) -> tuple[LineKind, str]:
    match = _WORD.match(unit)
    assert match is not None
    word = match[0]
    kind = _KINDS.get(word)
    if kind is not None:
        return kind, word
    if word == "async":
        found = _ASYNC.match(unit)
        if found is not None:
            return _KINDS[found[1]], found[1]
    elif word in ("match", "case"):
        if _SOFT_HEADER.match(unit):
            return LineKind.COMPOUND, word
    elif unit[0] == "@":
        return LineKind.DECORATOR, ""
    return LineKind.SIMPLE, ""


def _check_level(siblings: list[LogicalLine], faults: dict[LogicalLine, Fault]) -> None:
    """Note what is wrong between and below the lines of one level."""
    allowed = _NOTHING
    trying = False  # inside of a try … except … chain
    previous: LogicalLine | None = None
    for line in siblings:
        kind, keyword = line.kind, line.keyword
        if previous is not None:
            _check_end(previous, line, faults)
        if kind is LineKind.SIMPLE:
            allowed = _NOTHING
        else:
            if kind is LineKind.CLAUSE:
                if keyword not in allowed:
                    faults.setdefault(line, Fault.MISPLACED_CLAUSE)
            else:
                trying = keyword == "try"
            allowed = _CONTINUED_BY.get(keyword, _FINALLY if trying and keyword == "else" else _NOTHING)
            if kind is not LineKind.DECORATOR and not line.children and line.text[-1] == ":":
                faults.setdefault(line, Fault.MISSING_BLOCK)
        previous = line
    if previous is not None:
        _check_end(previous, None, faults)


def _check_end(line: LogicalLine, following: LogicalLine | None, faults: dict[LogicalLine, Fault]) -> None:
    if line.kind is LineKind.DECORATOR:
        if following is None or following.kind not in _DEFINING:
            faults.setdefault(line, Fault.DANGLING_DECORATOR)
    elif line.keyword == "try" and (following is None or following.keyword not in _HANDLERS):
        faults.setdefault(line, Fault.MISSING_HANDLER)
