"""Asks Python itself whether a unit is valid, which costs a tenth of what libcst takes, and says what is wrong."""

from __future__ import annotations

import ast
import re
import sys

from pto_lsp.analysis.source.nesting import STRING
from pto_lsp.analysis.source.syntax import Broken
from pto_lsp.analysis.source.wrapping import UnitKind, Wrapped
from pto_lsp.diagnostics import Span

_LINE_END = re.compile(r"\r\n?|\n")
_FORMATTED = re.compile(rf"\b(?:[fF][rR]?|[rR][fF])(?:{STRING})")
_LINE_NUMBER = re.compile(r" \(detected at line \d+\)| on line \d+| \(<unit>, line \d+\)")

_NEWER = [
    re.compile(pattern)
    for version, pattern in (
        ((3, 11), r"\Aexcept\s*\*|\[[^\]]*\*"),
        ((3, 12), r"\b(?:[fF][rR]?|[rR][fF])[\"']|\Atype\b|\A(?:async\s+)?(?:def|class)\s+\w+\s*\["),
        ((3, 14), r"\b(?:[tT][rR]?|[rR][tT])[\"']|\Aexcept\b[^()]*,"),
    )
    if version > sys.version_info
]


def check(wrapped: Wrapped) -> ast.Module | ast.Expression | Broken:
    """Python's tree of the wrapped source, or what is wrong with the unit."""
    null = wrapped.code.find("\0")
    if null >= 0:
        return Broken("a null character cannot stand in source code", _clamped(wrapped, null, null + 1), False)
    try:
        return _compile(wrapped.source, "eval" if wrapped.kind is UnitKind.EXPRESSION else "exec")
    except SyntaxError as error:
        return _broken(wrapped, error)
    except (MemoryError, RecursionError):
        return too_deep(wrapped)
    except UnicodeEncodeError as error:
        at = error.start - len(wrapped.prefix)
        return Broken("a lone surrogate is no character", _clamped(wrapped, at, at + 1), False)


def may_be_newer(code: str) -> bool:
    """Whether ``code`` has syntax that a later Python than the running one accepts: the user's may be later."""
    return any(pattern.search(code) for pattern in _NEWER)


def too_deep(wrapped: Wrapped) -> Broken:
    return Broken("nested too deeply", _clamped(wrapped, 0, len(wrapped.code)), True)


def whole(wrapped: Wrapped, message: str) -> Broken:
    """A unit that is wrong as a whole."""
    return Broken(message, _clamped(wrapped, 0, len(wrapped.code)), False)


def _compile(source: str, mode: str) -> ast.Module | ast.Expression:
    tree = compile(source, "<unit>", mode, ast.PyCF_ONLY_AST, dont_inherit=True)
    assert isinstance(tree, (ast.Module, ast.Expression))
    return tree


def _broken(wrapped: Wrapped, error: SyntaxError) -> Broken:
    start, end = _place(error, wrapped.source, len(wrapped.prefix))
    if wrapped.prefix.endswith("(") and not 0 <= start < len(wrapped.code):
        # A bracket left open in a parameter was closed by the wrapping; alone, it shows.
        try:
            _compile(wrapped.code, "exec")
        except SyntaxError as inner:
            error = inner
            start, end = _place(inner, wrapped.code, 0)
    message = _LINE_NUMBER.sub("", error.msg)
    if message.startswith("f-string") and sys.version_info < (3, 12):
        # The position is one inside of the string's expression.
        found = [match.span() for match in _FORMATTED.finditer(wrapped.code)]
        start, end = found[0] if len(found) == 1 else (0, len(wrapped.code))
    elif message == "invalid syntax" and start >= len(wrapped.code.rstrip()):
        message = "incomplete line"
    return Broken(message, _clamped(wrapped, start, end), False)


def _place(error: SyntaxError, source: str, before: int) -> tuple[int, int]:
    """Offsets in the code behind the ``before`` characters of ``source`` that Python points at; maybe outside of it."""
    if error.lineno is None or error.offset is None:
        return 0, len(source)
    lines = [0, *(match.end() for match in _LINE_END.finditer(source))]
    start = _offset(lines, error.lineno, error.offset)
    end = start + 1
    if error.end_lineno is not None and error.end_offset is not None:
        end = _offset(lines, error.end_lineno, error.end_offset)
    return start - before, end - before


def _offset(lines: list[int], line: int, column: int) -> int:
    """``line`` and ``column`` count from one and may lie outside of the text."""
    return lines[min(max(line, 1), len(lines)) - 1] + max(column, 1) - 1


def _clamped(wrapped: Wrapped, start: int, end: int) -> Span:
    """A span inside of the unit, from offsets into its code; not empty unless the unit is."""
    length = len(wrapped.code.rstrip()) or len(wrapped.code)
    start = min(max(start, 0), max(length - 1, 0))
    end = min(max(end, start + 1), length)
    return Span(wrapped.start + start, wrapped.start + end)
