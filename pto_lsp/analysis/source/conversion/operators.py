"""Operators, from ``not`` to ``yield``, and ``lambda``."""

from __future__ import annotations

from typing import Any

import libcst as cst

from pto_lsp.analysis.source import syntax
from pto_lsp.analysis.source.conversion.dispatch import converts, expression
from pto_lsp.analysis.source.conversion.parameters import parameters
from pto_lsp.analysis.source.conversion.tokens import MISSING, OPERATORS, TWO_WORDS, blank, separator, token
from pto_lsp.diagnostics import Span


@converts("UnaryOperation")
def _unary(node: cst.UnaryOperation, pos: int) -> tuple[syntax.Expr, int]:
    pending: list[tuple[str, int]] = []
    operand: cst.BaseExpression = node
    while type(operand) is cst.UnaryOperation and not (operand.lpar and pending):
        op = OPERATORS[type(operand.operator)]
        pending.append((op, pos))
        pos += len(op) + blank(operand.operator.whitespace_after)
        operand = operand.expression
    value, end = expression(operand, pos)
    for op, start in reversed(pending):
        value = syntax.Unary(op, value, Span(start, end))
    return value, end


@converts("BinaryOperation", "BooleanOperation")
def _binary(node: Any, start: int) -> tuple[syntax.Expr, int]:
    """Arithmetic and ``and``/``or``, which libcst nests to the left: a sum is a loop over its terms."""
    chain = [node]
    base = node.left
    while not base.lpar and (type(base) is cst.BinaryOperation or type(base) is cst.BooleanOperation):
        chain.append(base)
        base = base.left
    value, pos = expression(base, start)
    for link in reversed(chain):
        operator = link.operator
        op = OPERATORS[type(operator)]
        right, pos = expression(link.right, pos + token(operator, len(op)))
        value = syntax.Binary(op, value, right, Span(start, pos))
    return value, pos


@converts("Comparison")
def _comparison(node: cst.Comparison, start: int) -> tuple[syntax.Expr, int]:
    value, pos = expression(node.left, start)
    operands = [value]
    ops = []
    for target in node.comparisons:
        operator: Any = target.operator
        words = TWO_WORDS.get(type(operator))
        if words is not None:
            op = " ".join(words)
            pos += token(operator, len(words[0]) + blank(operator.whitespace_between) + len(words[1]))
        else:
            op = operator.value if type(operator) is cst.NotEqual else OPERATORS[type(operator)]
            pos += token(operator, len(op))
        value, pos = expression(target.comparator, pos)
        operands.append(value)
        ops.append(op)
    return syntax.Compare(tuple(operands), tuple(ops), Span(start, pos)), pos


@converts("IfExp")
def _conditional(node: cst.IfExp, start: int) -> tuple[syntax.Expr, int]:
    body, pos = expression(node.body, start)
    pos += blank(node.whitespace_before_if) + 2 + blank(node.whitespace_after_if)
    test, pos = expression(node.test, pos)
    pos += blank(node.whitespace_before_else) + 4 + blank(node.whitespace_after_else)
    otherwise, pos = expression(node.orelse, pos)
    return syntax.Other("conditional expression", (body, test, otherwise), Span(start, pos)), pos


@converts("Lambda")
def _lambda(node: cst.Lambda, start: int) -> tuple[syntax.Expr, int]:
    pos = start + 6
    if node.whitespace_after_lambda is not MISSING:
        pos += blank(node.whitespace_after_lambda)
    params, pos = parameters(node.params, pos)
    pos += separator(node.colon)
    body, pos = expression(node.body, pos)
    children = [param.default for param in params if param.default is not None]
    return syntax.Other("lambda", (*children, body), Span(start, pos)), pos


@converts("NamedExpr")
def _walrus(node: cst.NamedExpr, start: int) -> tuple[syntax.Expr, int]:
    target, pos = expression(node.target, start)
    pos += blank(node.whitespace_before_walrus) + 2 + blank(node.whitespace_after_walrus)
    value, pos = expression(node.value, pos)
    return syntax.Other("walrus assignment", (target, value), Span(start, pos)), pos


@converts("Await")
def _await(node: cst.Await, start: int) -> tuple[syntax.Expr, int]:
    value, pos = expression(node.expression, start + 5 + blank(node.whitespace_after_await))
    return syntax.Other("await", (value,), Span(start, pos)), pos


@converts("Yield")
def _yield(node: cst.Yield, start: int) -> tuple[syntax.Expr, int]:
    pos = start + 5
    if node.value is None:
        return syntax.Other("yield", (), Span(start, pos)), pos
    pos += blank(node.whitespace_after_yield)
    if isinstance(node.value, cst.From):
        value, pos = from_clause(node.value, pos)
    else:
        value, pos = expression(node.value, pos)
    return syntax.Other("yield", (value,), Span(start, pos)), pos


def from_clause(node: cst.From, pos: int) -> tuple[syntax.Expr, int]:
    """``from value`` behind ``yield`` or ``raise``."""
    if node.whitespace_before_from is not MISSING:
        pos += blank(node.whitespace_before_from)
    return expression(node.item, pos + 4 + blank(node.whitespace_after_from))
