"""Attributes, calls and subscripts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import libcst as cst

from pto_lsp.analysis.source import syntax
from pto_lsp.analysis.source.conversion.dispatch import converts, expression
from pto_lsp.analysis.source.conversion.tokens import MISSING, blank, separator, token
from pto_lsp.diagnostics import Span

_POSTFIX = (cst.Attribute, cst.Call, cst.Subscript)


@converts("Attribute", "Call", "Subscript")
def _postfix(node: Any, start: int) -> tuple[syntax.Expr, int]:
    """Attribute, call and subscript: a chain of them is a loop from its innermost base outwards."""
    chain: list[Any] = [node]
    base: Any = node.func if type(node) is cst.Call else node.value
    while type(base) in _POSTFIX and not base.lpar:
        chain.append(base)
        base = base.func if type(base) is cst.Call else base.value
    value, pos = expression(base, start)
    for link in reversed(chain):
        kind = type(link)
        if kind is cst.Attribute:
            pos += token(link.dot, 1)
            name = link.attr.value
            pos += len(name)
            value = syntax.Attribute(value, name, Span(start, pos))
        elif kind is cst.Call:
            pos += blank(link.whitespace_after_func) + 1 + blank(link.whitespace_before_args)
            args, pos = arguments(link.args, pos)
            pos += 1
            value = syntax.Call(value, args, Span(start, pos))
        else:
            pos += blank(link.whitespace_after_value) + 1 + blank(link.lbracket.whitespace_after)
            items, pos = _subscript_items(link.slice, pos)
            pos += blank(link.rbracket.whitespace_before) + 1
            value = syntax.Subscript(value, items, Span(start, pos))
    return value, pos


def arguments(args: Sequence[cst.Arg], pos: int) -> tuple[tuple[syntax.Argument, ...], int]:
    """What stands between the parentheses of a call or class; ``pos`` is at the first argument."""
    result = []
    for arg in args:
        start = pos
        star = arg.star
        if star:
            pos += len(star) + blank(arg.whitespace_after_star)
        keyword = None
        if arg.keyword is not None:
            keyword = arg.keyword.value
            pos += len(keyword) + separator(arg.equal)
        value, pos = expression(arg.value, pos)
        result.append(syntax.Argument(value, keyword, star, Span(start, pos)))
        pos += separator(arg.comma) + blank(arg.whitespace_after_arg)
    return tuple(result), pos


def _subscript_items(
    elements: Sequence[cst.SubscriptElement], pos: int
) -> tuple[tuple[syntax.Expr | syntax.Slice, ...], int]:
    items: list[syntax.Expr | syntax.Slice] = []
    start = pos
    for element in elements:
        part: Any = element.slice
        item: syntax.Expr | syntax.Slice
        if type(part) is cst.Slice:
            item, pos = _slice(part, pos)
        elif part.star is not None:
            begin = pos
            value, pos = expression(part.value, pos + 1 + blank(part.whitespace_after_star))
            item = syntax.Other("starred expression", (value,), Span(begin, pos))
        else:
            item, pos = expression(part.value, pos)
        items.append(item)
        if element.comma is not MISSING:
            before = pos + blank(element.comma.whitespace_before)
            pos += separator(element.comma)
            if len(elements) == 1 and not isinstance(item, syntax.Slice):
                items[0] = syntax.TupleDisplay((item,), Span(start, before + 1))  # x[i,] is indexed by a tuple
    return tuple(items), pos


def _slice(node: cst.Slice, pos: int) -> tuple[syntax.Slice, int]:
    lower = upper = step = None
    start = pos
    if node.lower is not None:
        lower, pos = expression(node.lower, pos)
    first = node.first_colon
    colon = pos + blank(first.whitespace_before) + 1
    pos = colon + blank(first.whitespace_after)
    end = colon
    if node.upper is not None:
        upper, pos = expression(node.upper, pos)
        end = pos
    second: Any = node.second_colon
    if second is not MISSING:
        end = pos + blank(second.whitespace_before) + 1
        pos = end + blank(second.whitespace_after)
    if node.step is not None:
        step, pos = expression(node.step, pos)
        end = pos
    return syntax.Slice(lower, upper, step, Span(start, end)), pos
