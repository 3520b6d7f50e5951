"""Asks Python itself whether a unit is valid, which costs a tenth of what libcst takes, and says what is wrong."""

from __future__ import annotations

import ast
import re

from pto_lsp.analysis.source.syntax import Broken
from pto_lsp.analysis.source.wrapping import Wrapped
from pto_lsp.diagnostics import Span

_LINE_END = re.compile(r"\r\n?|\n")
_LINE_NUMBER = re.compile(r" \(detected at line \d+\)| on line \d+| \(<unit>, line \d+\)")


def check(wrapped: Wrapped) -> ast.Module | ast.Expression | Broken:
    """Python's tree of the wrapped source, or what is wrong with the unit."""
    try:
        tree = compile(
            wrapped.source, "<unit>", "eval" if wrapped.expression else "exec", ast.PyCF_ONLY_AST, dont_inherit=True
        )
    except SyntaxError as error:
        return _broken(wrapped, error)
    except (MemoryError, RecursionError):
        return too_deep(wrapped)
    except UnicodeEncodeError as error:
        at = error.start - len(wrapped.prefix)
        return Broken("a lone surrogate is no character", _clamped(wrapped, at, at + 1), False)
    except ValueError:
        at = wrapped.code.find("\0")
        return Broken("a null character cannot stand in source code", _clamped(wrapped, at, at + 1), False)
    assert isinstance(tree, (ast.Module, ast.Expression))
    return tree


def too_deep(wrapped: Wrapped) -> Broken:
    return Broken("nested too deeply", _clamped(wrapped, 0, len(wrapped.code)), True)


def whole(wrapped: Wrapped, message: str) -> Broken:
    return Broken(message, _clamped(wrapped, 0, len(wrapped.code)), False)


def _broken(wrapped: Wrapped, error: SyntaxError) -> Broken:
    message = _LINE_NUMBER.sub("", error.msg)
    if error.lineno is None or error.offset is None:
        return whole(wrapped, message)
    lines = [0, *(match.end() for match in _LINE_END.finditer(wrapped.source))]
    start = _offset(lines, error.lineno, error.offset)
    end = start + 1
    if error.end_lineno is not None and error.end_offset is not None:
        end = _offset(lines, error.end_lineno, error.end_offset)
    before = len(wrapped.prefix)
    return Broken(message, _clamped(wrapped, start - before, end - before), False)


def _offset(lines: list[int], line: int, column: int) -> int:
    """``line`` and ``column`` count from one and may lie outside of the text."""
    return lines[min(max(line, 1), len(lines)) - 1] + max(column, 1) - 1


def _clamped(wrapped: Wrapped, start: int, end: int) -> Span:
    """A span inside of the unit, from offsets into its code; not empty unless the unit is."""
    length = len(wrapped.code)
    start = min(max(start, 0), max(length - 1, 0))
    end = min(max(end, start + 1), length)
    return Span(wrapped.start + start, wrapped.start + end)
