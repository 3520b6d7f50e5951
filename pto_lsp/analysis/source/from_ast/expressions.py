"""Expressions of Python's tree to ``syntax``.

Nesting is bounded (``nesting.py``) so that recursion is safe; chains, which may be longer, are walked in loops.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

from pto_lsp.analysis.source import syntax
from pto_lsp.analysis.source.from_ast.operators import OPERATORS
from pto_lsp.analysis.source.from_ast.places import Places, Unsupported
from pto_lsp.diagnostics import Span

_POSTFIX = (ast.Attribute, ast.Call, ast.Subscript)


def expression(node: ast.expr, places: Places) -> syntax.Expr:
    """The span of the result excludes parentheses around it. Raises ``Unsupported``."""
    convert = _CONVERTERS.get(type(node))
    if convert is None:
        raise Unsupported
    return convert(node, places)


def expressions(nodes: Sequence[ast.expr], places: Places) -> tuple[syntax.Expr, ...]:
    return tuple([expression(node, places) for node in nodes])


def _name(node: ast.Name, places: Places) -> syntax.Expr:
    return syntax.Name(node.id, places.span(node))


def _constant(node: ast.Constant, places: Places) -> syntax.Expr:
    if type(node.value) is complex:
        return syntax.Other("complex number", (), places.span(node))
    return syntax.Literal(node.value, places.span(node))


def _postfix(node: Any, places: Places) -> syntax.Expr:
    """A chain of attributes, calls and subscripts, from its innermost base outwards."""
    chain = []
    while type(node) in _POSTFIX:
        chain.append(node)
        node = node.func if type(node) is ast.Call else node.value
    value = expression(node, places)
    for link in reversed(chain):
        kind = type(link)
        if kind is ast.Attribute:
            value = syntax.Attribute(value, link.attr, places.span(link))
        elif kind is ast.Call:
            value = syntax.Call(value, _arguments(link, places), places.span(link))
        else:
            value = syntax.Subscript(value, _indices(link.slice, places), places.span(link))
    return value


def _arguments(call: ast.Call, places: Places) -> tuple[syntax.Argument, ...]:
    found = []
    starred = False
    limit = places.end(call) - 1
    for node in call.args:
        if type(node) is ast.Starred:
            starred = True
            found.append(syntax.Argument(expression(node.value, places), None, "*", places.span(node)))
        elif type(node) is ast.GeneratorExp and len(call.args) == 1 and not call.keywords:
            raise Unsupported  # the parentheses may be those of the call
        else:
            found.append(syntax.Argument(expression(node, places), None, "", places.grouped(node, limit)))
    for keyword in call.keywords:
        star = "**" if keyword.arg is None else ""
        found.append(syntax.Argument(expression(keyword.value, places), keyword.arg, star, places.span(keyword)))
    if starred:
        found.sort(key=lambda argument: argument.span)  # keywords may stand before a starred one
    return tuple(found)


def _indices(node: ast.expr, places: Places) -> tuple[syntax.Expr | syntax.Slice, ...]:
    if type(node) is not ast.Tuple or _parenthesized(node, places):
        return (_index(node, places),)
    if any(type(item) is ast.Starred for item in node.elts):
        raise Unsupported  # x[*i] looks like x[*i,]
    items = tuple([_index(item, places) for item in node.elts])
    if len(items) == 1 and not isinstance(items[0], syntax.Slice):
        return (syntax.TupleDisplay((items[0],), places.span(node)),)  # x[i,] is indexed by a tuple
    return items


def _index(node: ast.expr, places: Places) -> syntax.Expr | syntax.Slice:
    if type(node) is not ast.Slice:
        return expression(node, places)
    lower, upper, step = (
        None if part is None else expression(part, places) for part in (node.lower, node.upper, node.step)
    )
    return syntax.Slice(lower, upper, step, places.span(node))


def _unary(node: ast.UnaryOp, places: Places) -> syntax.Expr:
    pending = [node]
    while type(node.operand) is ast.UnaryOp:
        node = node.operand
        pending.append(node)
    value = expression(node.operand, places)
    for link in reversed(pending):
        value = syntax.Unary(OPERATORS[type(link.op)], value, places.span(link))
    return value


def _binary(node: ast.BinOp, places: Places) -> syntax.Expr:
    """Arithmetic, which nests to the left: a sum is a loop over its terms."""
    chain = [node]
    while type(node.left) is ast.BinOp:
        node = node.left
        chain.append(node)
    value = expression(node.left, places)
    for link in reversed(chain):
        right = expression(link.right, places)
        value = syntax.Binary(OPERATORS[type(link.op)], value, right, places.span(link))
    return value


def _boolean(node: ast.BoolOp, places: Places) -> syntax.Expr:
    """One node for a whole chain, which ``syntax`` nests to the left like all others."""
    op = OPERATORS[type(node.op)]
    start, end = places.span(node)
    value = expression(node.values[0], places)
    for operand in node.values[1:]:
        right = expression(operand, places)
        last = operand is node.values[-1]
        value = syntax.Binary(op, value, right, Span(start, end if last else places.grouped(operand, end).end))
    return value


def _comparison(node: ast.Compare, places: Places) -> syntax.Expr:
    operands = expressions([node.left, *node.comparators], places)
    return syntax.Compare(operands, tuple([OPERATORS[type(op)] for op in node.ops]), places.span(node))


def _conditional(node: ast.IfExp, places: Places) -> syntax.Expr:
    children = expressions([node.body, node.test, node.orelse], places)
    return syntax.Other("conditional expression", children, places.span(node))


def _tuple(node: ast.Tuple, places: Places) -> syntax.Expr:
    return syntax.TupleDisplay(expressions(node.elts, places), places.span(node))


def _parenthesized(node: ast.Tuple, places: Places) -> bool:
    """Whether parentheses at both ends belong to the tuple itself."""
    if not places.begins_with(node, "("):
        return False
    if not node.elts:
        return True
    first = node.elts[0]
    return places.grouped(first, places.end(node)).start > places.start(node)


def _list(node: ast.List, places: Places) -> syntax.Expr:
    return syntax.ListDisplay(expressions(node.elts, places), places.span(node))


def _dict(node: ast.Dict, places: Places) -> syntax.Expr:
    parts = [part for item in zip(node.keys, node.values) for part in item if part is not None]
    return syntax.Other("dict display", expressions(parts, places), places.span(node))


def _starred(node: ast.Starred, places: Places) -> syntax.Expr:
    return syntax.Other("starred expression", (expression(node.value, places),), places.span(node))


def _list_comprehension(node: ast.ListComp, places: Places) -> syntax.Expr:
    clause = node.generators[0]
    if len(node.generators) > 1 or clause.is_async:
        raise Unsupported
    element, target, iterable = expressions([node.elt, clause.target, clause.iter], places)
    return syntax.Comprehension(element, target, iterable, expressions(clause.ifs, places), places.span(node))


_CONVERTERS: dict[type[ast.expr], Callable[[Any, Places], syntax.Expr]] = {
    ast.Name: _name,
    ast.Constant: _constant,
    ast.Attribute: _postfix,
    ast.Call: _postfix,
    ast.Subscript: _postfix,
    ast.UnaryOp: _unary,
    ast.BinOp: _binary,
    ast.BoolOp: _boolean,
    ast.Compare: _comparison,
    ast.IfExp: _conditional,
    ast.Tuple: _tuple,
    ast.List: _list,
    ast.Dict: _dict,
    ast.Starred: _starred,
    ast.ListComp: _list_comprehension,
}
