"""Names, numbers and strings."""

from __future__ import annotations

from ast import literal_eval
from collections.abc import Sequence
from typing import Any

import libcst as cst

from pto_lsp.analysis.source import syntax
from pto_lsp.analysis.source.conversion.dispatch import converts, expression
from pto_lsp.analysis.source.conversion.tokens import blank, separator
from pto_lsp.diagnostics import Span

_CONSTANTS = {"True": True, "False": False, "None": None}


@converts("Name")
def _name(node: cst.Name, pos: int) -> tuple[syntax.Expr, int]:
    word = node.value
    end = pos + len(word)
    if word in _CONSTANTS:
        return syntax.Literal(_CONSTANTS[word], Span(pos, end)), end
    return syntax.Name(word, Span(pos, end)), end


def plain_name(node: cst.Name, pos: int) -> tuple[syntax.Name, int]:
    """A name in a place where no other expression can stand."""
    end = pos + len(node.value)
    return syntax.Name(node.value, Span(pos, end)), end


@converts("Integer")
def _integer(node: cst.Integer, pos: int) -> tuple[syntax.Expr, int]:
    end = pos + len(node.value)
    return syntax.Literal(int(node.value, 0), Span(pos, end)), end


@converts("Float")
def _float(node: cst.Float, pos: int) -> tuple[syntax.Expr, int]:
    end = pos + len(node.value)
    return syntax.Literal(float(node.value), Span(pos, end)), end


@converts("Imaginary")
def _imaginary(node: cst.Imaginary, pos: int) -> tuple[syntax.Expr, int]:
    end = pos + len(node.value)
    return syntax.Other("complex number", (), Span(pos, end)), end


@converts("Ellipsis")
def _ellipsis(node: cst.Ellipsis, pos: int) -> tuple[syntax.Expr, int]:
    return syntax.Literal(..., Span(pos, pos + 3)), pos + 3


@converts("SimpleString")
def _string(node: cst.SimpleString, pos: int) -> tuple[syntax.Expr, int]:
    end = pos + len(node.value)
    return syntax.Literal(_string_value(node.value), Span(pos, end)), end


def _string_value(code: str) -> str | bytes:
    quote = code[0]
    if quote in "'\"" and "\\" not in code and "\r" not in code:
        return code[3:-3] if code.startswith(quote * 3) else code[1:-1]
    value = literal_eval(code)
    assert isinstance(value, (str, bytes))
    return value


@converts("ConcatenatedString")
def _concatenated(node: cst.ConcatenatedString, pos: int) -> tuple[syntax.Expr, int]:
    start = pos
    values: list[Any] = []
    children: list[syntax.Expr] = []
    formatted = False
    part: Any = node
    while part is not None:
        if type(part) is cst.ConcatenatedString:
            piece, gap, part = part.left, blank(part.whitespace_between), part.right
        else:
            piece, gap, part = part, 0, None
        value, pos = expression(piece, pos)
        pos += gap
        if isinstance(value, syntax.Literal):
            values.append(value.value)
        elif isinstance(value, syntax.Other):
            formatted = True
            children.extend(value.children)
    span = Span(start, pos)
    if formatted:
        return syntax.Other("f-string", tuple(children), span), pos
    return syntax.Literal(values[0][:0].join(values), span), pos


@converts("FormattedString", "TemplatedString")
def _formatted(node: Any, pos: int) -> tuple[syntax.Expr, int]:
    """f-strings, and the template strings of Python 3.14."""
    children: list[syntax.Expr] = []
    end = _formatted_parts(node.parts, pos + len(node.start), children) + len(node.end)
    what = "f-string" if "f" in node.prefix else "template string"
    return syntax.Other(what, tuple(children), Span(pos, end)), end


def _formatted_parts(parts: Sequence[Any], pos: int, children: list[syntax.Expr]) -> int:
    for part in parts:
        if hasattr(part, "value"):
            pos += len(part.value)
            continue
        value, pos = expression(part.expression, pos + 1 + blank(part.whitespace_before_expression))
        children.append(value)
        pos += separator(part.equal) + blank(part.whitespace_after_expression)
        if part.conversion is not None:
            pos += 1 + len(part.conversion)
        if part.format_spec is not None:
            pos = _formatted_parts(part.format_spec, pos + 1, children)
        pos += 1
    return pos
