"""Finds the converter of an expression by its libcst class; ``expressions`` holds the complete set."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import libcst as cst

from pto_lsp.analysis.source import syntax
from pto_lsp.analysis.source.conversion.tokens import blank, code_length
from pto_lsp.diagnostics import Span

Converter = Callable[[Any, int], tuple[syntax.Expr, int]]
_C = TypeVar("_C", bound=Converter)


def expression(node: cst.BaseExpression, pos: int) -> tuple[syntax.Expr, int]:
    """The span of the result excludes surrounding parentheses, but the returned offset is behind them."""
    if node.lpar:
        return _parenthesized(node, pos)
    return _converters[type(node)](node, pos)


def converts(*kinds: str) -> Callable[[_C], _C]:
    """Decorates the converter for the libcst classes of these names; one that this libcst does not have is left out.

    A converter is called behind the parentheses around its node, except that the innermost pair belongs to a tuple or
    generator.
    """

    def register(converter: _C) -> _C:
        for kind in kinds:
            if hasattr(cst, kind):
                _converters[getattr(cst, kind)] = converter
        return converter

    return register


def _parenthesized(node: cst.BaseExpression, pos: int) -> tuple[syntax.Expr, int]:
    lpar: Sequence[cst.LeftParen] = node.lpar
    rpar: Sequence[cst.RightParen] = node.rpar
    if type(node) is cst.Tuple or type(node) is cst.GeneratorExp:
        lpar, rpar = lpar[:-1], rpar[1:]
    for left in lpar:
        pos += 1 + blank(left.whitespace_after)
    value, pos = _converters[type(node)](node, pos)
    for right in rpar:
        pos += blank(right.whitespace_before) + 1
    return value, pos


def _unknown(node: cst.BaseExpression, start: int) -> tuple[syntax.Expr, int]:
    """Syntax newer than this file."""
    end = start + code_length(node.with_changes(lpar=(), rpar=()))
    return syntax.Other("unknown syntax", (), Span(start, end)), end


class _Converters(dict[type, Converter]):
    def __missing__(self, kind: type) -> Converter:
        return _unknown


_converters = _Converters()
