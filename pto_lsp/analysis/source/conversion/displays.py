"""Tuples, lists, sets, dictionaries and comprehensions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import libcst as cst

from pto_lsp.analysis.node import node
from pto_lsp.analysis.source import syntax
from pto_lsp.analysis.source.conversion.dispatch import converts, expression
from pto_lsp.analysis.source.conversion.tokens import MISSING, blank, separator
from pto_lsp.diagnostics import Span


def _elements(elements: Sequence[Any], pos: int) -> tuple[tuple[syntax.Expr, ...], int, int]:
    """Also returns the offset behind the last item or its comma, before white space."""
    items = []
    end = pos
    for element in elements:
        if type(element) is cst.Element:
            value, pos = expression(element.value, pos)
        else:
            value, pos = expression(element, pos)
        items.append(value)
        end = pos
        comma = element.comma
        if comma is not MISSING:
            end = pos + blank(comma.whitespace_before) + 1
            pos = end + blank(comma.whitespace_after)
    return tuple(items), pos, end


def _open_own(node: cst.Tuple | cst.GeneratorExp, pos: int) -> int:
    """Behind the innermost opening parenthesis, when there is one."""
    return pos + 1 + blank(node.lpar[-1].whitespace_after) if node.lpar else pos


def _close_own(node: cst.Tuple | cst.GeneratorExp, pos: int) -> int:
    return pos + blank(node.rpar[0].whitespace_before) + 1 if node.rpar else pos


@converts("Tuple")
def _tuple(node: cst.Tuple, start: int) -> tuple[syntax.Expr, int]:
    items, pos, end = _elements(node.elements, _open_own(node, start))
    if node.lpar:
        pos = end = _close_own(node, pos)
    return syntax.TupleDisplay(items, Span(start, end)), pos


@converts("List")
def _list(node: cst.List, start: int) -> tuple[syntax.Expr, int]:
    items, pos, _ = _elements(node.elements, start + 1 + blank(node.lbracket.whitespace_after))
    pos += blank(node.rbracket.whitespace_before) + 1
    return syntax.ListDisplay(items, Span(start, pos)), pos


@converts("Set")
def _set(node: cst.Set, start: int) -> tuple[syntax.Expr, int]:
    items, pos, _ = _elements(node.elements, start + 1 + blank(node.lbrace.whitespace_after))
    pos += blank(node.rbrace.whitespace_before) + 1
    return syntax.Other("set display", items, Span(start, pos)), pos


@converts("Dict")
def _dict(node: cst.Dict, start: int) -> tuple[syntax.Expr, int]:
    children = []
    pos = start + 1 + blank(node.lbrace.whitespace_after)
    for element in node.elements:
        item: Any = element
        if type(item) is cst.DictElement:
            key, pos = expression(item.key, pos)
            children.append(key)
            pos += blank(item.whitespace_before_colon) + 1 + blank(item.whitespace_after_colon)
        else:
            pos += 2 + blank(item.whitespace_before_value)
        value, pos = expression(item.value, pos)
        children.append(value)
        pos += separator(item.comma)
    pos += blank(node.rbrace.whitespace_before) + 1
    return syntax.Other("dict display", tuple(children), Span(start, pos)), pos


@converts("StarredElement")
def _starred(node: cst.StarredElement, start: int) -> tuple[syntax.Expr, int]:
    value, pos = expression(node.value, start + 1 + blank(node.whitespace_before_value))
    return syntax.Other("starred expression", (value,), Span(start, pos)), pos


@node
class _Clause:
    """``for target in iterable if conditions`` of a comprehension."""

    target: syntax.Expr
    iterable: syntax.Expr
    conditions: tuple[syntax.Expr, ...]
    asynchronous: bool


def _clauses(node: cst.CompFor, pos: int) -> tuple[tuple[_Clause, ...], int]:
    result = []
    clause: cst.CompFor | None = node
    while clause is not None:
        pos += blank(clause.whitespace_before)
        if clause.asynchronous is not None:
            pos += 5 + blank(clause.asynchronous.whitespace_after)
        target, pos = expression(clause.target, pos + 3 + blank(clause.whitespace_after_for))
        pos += blank(clause.whitespace_before_in) + 2 + blank(clause.whitespace_after_in)
        iterable, pos = expression(clause.iter, pos)
        conditions = []
        for condition in clause.ifs:
            pos += blank(condition.whitespace_before) + 2 + blank(condition.whitespace_before_test)
            value, pos = expression(condition.test, pos)
            conditions.append(value)
        result.append(_Clause(target, iterable, tuple(conditions), clause.asynchronous is not None))
        clause = clause.inner_for_in
    return tuple(result), pos


def _comprehension(what: str, element: syntax.Expr, clauses: tuple[_Clause, ...], span: Span) -> syntax.Expr:
    """For list comprehensions and generators."""
    if len(clauses) == 1 and not clauses[0].asynchronous:
        clause = clauses[0]
        return syntax.Comprehension(element, clause.target, clause.iterable, clause.conditions, span)
    return _other_comprehension(what, (element,), clauses, span)


def _other_comprehension(
    what: str, results: tuple[syntax.Expr, ...], clauses: tuple[_Clause, ...], span: Span
) -> syntax.Expr:
    children = list(results)
    for clause in clauses:
        children += [clause.target, clause.iterable, *clause.conditions]
    return syntax.Other(what, tuple(children), span)


@converts("ListComp")
def _list_comprehension(node: cst.ListComp, start: int) -> tuple[syntax.Expr, int]:
    element, pos = expression(node.elt, start + 1 + blank(node.lbracket.whitespace_after))
    clauses, pos = _clauses(node.for_in, pos)
    pos += blank(node.rbracket.whitespace_before) + 1
    return _comprehension("list comprehension", element, clauses, Span(start, pos)), pos


@converts("GeneratorExp")
def _generator(node: cst.GeneratorExp, start: int) -> tuple[syntax.Expr, int]:
    """As the only argument of a call it has no parentheses of its own, and none in its span."""
    element, pos = expression(node.elt, _open_own(node, start))
    clauses, pos = _clauses(node.for_in, pos)
    pos = _close_own(node, pos)
    return _comprehension("generator", element, clauses, Span(start, pos)), pos


@converts("SetComp")
def _set_comprehension(node: cst.SetComp, start: int) -> tuple[syntax.Expr, int]:
    element, pos = expression(node.elt, start + 1 + blank(node.lbrace.whitespace_after))
    clauses, pos = _clauses(node.for_in, pos)
    pos += blank(node.rbrace.whitespace_before) + 1
    return _other_comprehension("set comprehension", (element,), clauses, Span(start, pos)), pos


@converts("DictComp")
def _dict_comprehension(node: cst.DictComp, start: int) -> tuple[syntax.Expr, int]:
    key, pos = expression(node.key, start + 1 + blank(node.lbrace.whitespace_after))
    pos += blank(node.whitespace_before_colon) + 1 + blank(node.whitespace_after_colon)
    value, pos = expression(node.value, pos)
    clauses, pos = _clauses(node.for_in, pos)
    pos += blank(node.rbrace.whitespace_before) + 1
    return _other_comprehension("dict comprehension", (key, value), clauses, Span(start, pos)), pos
