"""Bounds on the nesting of one unit, checked on its text before any parser sees it.

libcst's parser recurses on the native stack and takes the process down when that is exhausted, so the need has to be
known in advance. Measured: a bracket level costs it up to 7 kB of stack, a link of a chain (``a + b + …``, ``a.b.c…``)
1.3 kB, and its time grows with the square of both. The budget keeps stack below 1 MB, the smallest a thread is likely
to have, and our own recursion, which brackets and right-nested operators cause, below Python's limit.
"""

from __future__ import annotations

import re

BUDGET = 600
"""The longest chain allowed. A right-nested operator counts as ``_LEVEL`` links, a pair of brackets as one more."""
_LEVEL = 5
_PATTERN_DEPTH = 5
_DEL_DEPTH = 10

_SYNTAX = (
    r"([(\[{])|([)\]}])|([,;])|(\*\*|:=|\b(?:lambda|else|await|yield)\b)"
    r"|([-+*/%@&|^~.<>]|\b(?:not|and|or|if|for|in|is)\b)"
)
STRING = (
    r"\"\"\"(?:[^\"\\]+|\\[\s\S]|\"(?!\"\"))*(?:\"\"\"|\Z)|'{3}(?:[^'\\]+|\\[\s\S]|'(?!''))*(?:'{3}|\Z)"
    r"|\"[^\"\\\r\n]*(?:\\(?:\r\n|[\s\S])[^\"\\\r\n]*)*\"?|'[^'\\\r\n]*(?:\\(?:\r\n|[\s\S])[^'\\\r\n]*)*'?"
)
_TOKEN = re.compile(rf"{_SYNTAX}|((?:\b[A-Za-z]{{1,2}})?(?:{STRING}))|#[^\r\n]*")
_TOKEN_OR_QUOTED = re.compile(_SYNTAX)
_OPEN, _CLOSE, _COMMA, _RIGHT_NESTED, _LINK, _LITERAL = range(1, 7)
_FORMATTED = re.compile(r"\b(?:[fFtT][rR]?|[rR][fFtT])[\"']")
_EXPONENTIAL = re.compile(r"\b(?:case|del)\b")


def too_deep(text: str) -> bool:
    """Whether parsing ``text`` may need more than the budget. The estimate errs upwards: it knows no precedence."""
    levels = text.count("(") + text.count("[") + text.count("{")
    if 2 * len(text) + levels * (_LEVEL - 1) > BUDGET and _need(text) > BUDGET:
        return True
    if levels > _PATTERN_DEPTH and _EXPONENTIAL.search(text):
        # libcst takes time exponential in the depth of parentheses in patterns and targets of del.
        return _bracket_depth(text) > (_PATTERN_DEPTH if text.startswith("case") else _DEL_DEPTH)
    return False


def _need(text: str) -> int:
    if _FORMATTED.search(text):
        for match in _TOKEN.finditer(text):
            if match.lastindex == _LITERAL and _FORMATTED.match(match[_LITERAL]):
                # Which quotes end a formatted string depends on the version of Python: here all behind it is code.
                begin = match.start()
                return _height(text[:begin], _TOKEN) + _height(text[begin:], _TOKEN_OR_QUOTED)
    return _height(text, _TOKEN)


def _height(text: str, pattern: re.Pattern[str]) -> int:
    """Height of the syntax tree in links: that of an operand adds to every operator of its chain."""
    outer: list[tuple[int, int, int]] = []
    chain = deepest = most = 0  # operators since the last comma, deepest operand since then, need up to that comma
    for match in pattern.finditer(text):
        kind = match.lastindex
        if kind in (_LINK, _LITERAL):
            chain += 1
        elif kind == _OPEN:
            if len(outer) * _LEVEL > BUDGET:
                break
            outer.append((chain, deepest, most))
            chain = deepest = most = 0
        elif kind == _CLOSE:
            if outer:
                need = max(most, chain + deepest) + _LEVEL
                chain, deepest, most = outer.pop()
                chain += 1
                deepest = max(deepest, need)
        elif kind == _COMMA:
            most = max(most, chain + deepest)
            chain = deepest = 0
        elif kind == _RIGHT_NESTED:
            chain += _LEVEL
    need = max(most, chain + deepest)
    for chain, deepest, most in reversed(outer):
        need = max(most, chain + max(deepest, need + _LEVEL))
    return need


def _bracket_depth(text: str) -> int:
    depth = deepest = 0
    for match in _TOKEN.finditer(text):
        if match.lastindex == _OPEN:
            depth += 1
            deepest = max(deepest, depth)
        elif match.lastindex == _CLOSE:
            depth -= 1
    return deepest
