"""Statements: simple ones, and the headers of compound ones.

The span of a simple statement ends before its semicolon; the span of a header goes from its first word to its colon,
inclusive. A body on the line of its header comes behind the header as statements of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import libcst as cst

from pto_lsp.analysis.source import syntax
from pto_lsp.analysis.source.conversion.expressions import (
    annotation,
    arguments,
    expression,
    from_clause,
    parameters,
    plain_name,
)
from pto_lsp.analysis.source.conversion.tokens import MISSING, OPERATORS, blank, code_length, separator, token
from pto_lsp.diagnostics import Span

Statements = tuple[syntax.Statement, ...]
"""A header and the statements behind it, or the statements of a line."""


def line(node: cst.SimpleStatementLine | cst.SimpleStatementSuite, pos: int) -> Statements:
    """Simple statements with semicolons between them."""
    result = []
    for small in node.body:
        statement, pos = _SIMPLE.get(type(small), _unknown)(small, pos)
        result.append(statement)
        pos += separator(small.semicolon)
    return tuple(result)


def compound(node: cst.BaseCompoundStatement, pos: int) -> Statements:
    convert = _COMPOUND.get(type(node))
    if convert is None:
        return (syntax.OtherStmt("unknown syntax", Span(pos, pos + code_length(node))),)
    return convert(node, pos)


def _headed(header: syntax.Statement, node: Any, colon: int) -> Statements:
    """``header`` and its body on the same line; ``colon`` is the offset behind the colon."""
    body = node.body
    if type(body) is cst.SimpleStatementSuite:
        return (header, *line(body, colon + blank(body.leading_whitespace)))
    return (header,)


# Simple statements


def _assign(node: cst.Assign, start: int) -> tuple[syntax.Statement, int]:
    targets = []
    pos = start
    for part in node.targets:
        target, pos = expression(part.target, pos)
        targets.append(target)
        pos += blank(part.whitespace_before_equal) + 1 + blank(part.whitespace_after_equal)
    value, pos = expression(node.value, pos)
    return syntax.Assign(tuple(targets), None, value, Span(start, pos)), pos


def _annotated(node: cst.AnnAssign, start: int) -> tuple[syntax.Statement, int]:
    target, pos = expression(node.target, start)
    hint, pos = annotation(node.annotation, 1, pos)
    value = None
    if node.value is not None:
        value, pos = expression(node.value, pos + separator(node.equal))
    return syntax.Assign((target,), hint, value, Span(start, pos)), pos


def _augmented(node: cst.AugAssign, start: int) -> tuple[syntax.Statement, int]:
    target, pos = expression(node.target, start)
    op = OPERATORS[type(node.operator)]
    value, pos = expression(node.value, pos + token(node.operator, len(op) + 1))
    return syntax.AugAssign(target, op, value, Span(start, pos)), pos


def _expression_statement(node: cst.Expr, start: int) -> tuple[syntax.Statement, int]:
    value, pos = expression(node.value, start)
    return syntax.ExprStmt(value, Span(start, pos)), pos


def _return(node: cst.Return, start: int) -> tuple[syntax.Statement, int]:
    pos = start + 6
    value = None
    if node.value is not None:
        value, pos = expression(node.value, pos + blank(node.whitespace_after_return))
    return syntax.Return(value, Span(start, pos)), pos


def _keyword(word: str) -> Callable[[Any, int], tuple[syntax.Statement, int]]:
    length = len(word)
    return lambda node, start: (syntax.Keyword(word, Span(start, start + length)), start + length)


def _del(node: cst.Del, start: int) -> tuple[syntax.Statement, int]:
    target, pos = expression(node.target, start + 3 + blank(node.whitespace_after_del))
    return syntax.OtherStmt("del", Span(start, pos), (target,)), pos


def _assert(node: cst.Assert, start: int) -> tuple[syntax.Statement, int]:
    test, pos = expression(node.test, start + 6 + blank(node.whitespace_after_assert))
    children = [test]
    if node.msg is not None:
        message, pos = expression(node.msg, pos + separator(node.comma))
        children.append(message)
    return syntax.OtherStmt("assert", Span(start, pos), tuple(children)), pos


def _raise(node: cst.Raise, start: int) -> tuple[syntax.Statement, int]:
    pos = start + 5
    children = []
    if node.exc is not None:
        value, pos = expression(node.exc, pos + blank(node.whitespace_after_raise))
        children.append(value)
    if node.cause is not None:
        value, pos = from_clause(node.cause, pos)
        children.append(value)
    return syntax.OtherStmt("raise", Span(start, pos), tuple(children)), pos


def _declaration(node: Any, start: int) -> tuple[syntax.Statement, int]:
    """``global`` and ``nonlocal``."""
    if type(node) is cst.Global:
        word, gap = "global", node.whitespace_after_global
    else:
        word, gap = "nonlocal", node.whitespace_after_nonlocal
    pos = start + len(word) + blank(gap)
    names = []
    for item in node.names:
        name, pos = plain_name(item.name, pos)
        names.append(name)
        pos += separator(item.comma)
    return syntax.OtherStmt(word, Span(start, pos), (), tuple(names)), pos


def _import(node: cst.Import, start: int) -> tuple[syntax.Statement, int]:
    targets, pos, end = _aliases(node.names, start + 6 + blank(node.whitespace_after_import))
    return syntax.OtherStmt("import", Span(start, end), (), targets), pos


def _import_from(node: cst.ImportFrom, start: int) -> tuple[syntax.Statement, int]:
    pos = start + 4 + blank(node.whitespace_after_from)
    for dot in node.relative:
        pos += token(dot, 1)
    if node.module is not None:
        _, pos = expression(node.module, pos)
    pos += blank(node.whitespace_before_import) + 6 + blank(node.whitespace_after_import)
    if isinstance(node.names, cst.ImportStar):
        return syntax.OtherStmt("import", Span(start, pos + 1)), pos + 1
    if node.lpar is not None:
        pos += 1 + blank(node.lpar.whitespace_after)
    targets, pos, end = _aliases(node.names, pos)
    if node.rpar is not None:
        pos = end = pos + blank(node.rpar.whitespace_before) + 1
    return syntax.OtherStmt("import", Span(start, end), (), targets), pos


def _aliases(aliases: Sequence[cst.ImportAlias], pos: int) -> tuple[tuple[syntax.Name, ...], int, int]:
    """The names bound; ``import a.b`` binds ``a``. Also the offsets behind all and behind the last name."""
    names: list[syntax.Name] = []
    end = pos
    for alias in aliases:
        start = pos
        bound: Any
        bound, pos = expression(alias.name, pos)
        if alias.asname is not None:
            bound, pos = _as_name(alias.asname, pos)
        elif isinstance(bound, syntax.Attribute):
            first: Any = bound
            while isinstance(first, syntax.Attribute):
                first = first.base
            bound = syntax.Name(first.id, Span(start, start + len(first.id)))
        names.append(bound)
        end = pos
        pos += separator(alias.comma)
    return tuple(names), pos, end


def _as_name(node: cst.AsName, pos: int) -> tuple[syntax.Expr, int]:
    return expression(node.name, pos + blank(node.whitespace_before_as) + 2 + blank(node.whitespace_after_as))


def _type_alias(node: cst.TypeAlias, start: int) -> tuple[syntax.Statement, int]:
    end = start + code_length(node.with_changes(semicolon=MISSING))
    name, _ = plain_name(node.name, start + 4 + blank(node.whitespace_after_type))
    return syntax.OtherStmt("type alias", Span(start, end), (), (name,)), end


def _unknown(node: Any, start: int) -> tuple[syntax.Statement, int]:
    end = start + code_length(node.with_changes(semicolon=MISSING))
    return syntax.OtherStmt("unknown syntax", Span(start, end)), end


# Headers


def _asynchronous(node: Any, pos: int) -> int:
    return pos if node.asynchronous is None else pos + 5 + blank(node.asynchronous.whitespace_after)


def _for(node: cst.For, start: int) -> Statements:
    pos = _asynchronous(node, start) + 3 + blank(node.whitespace_after_for)
    target, pos = expression(node.target, pos)
    pos += blank(node.whitespace_before_in) + 2 + blank(node.whitespace_after_in)
    iterable, pos = expression(node.iter, pos)
    pos += blank(node.whitespace_before_colon) + 1
    span = Span(start, pos)
    if node.asynchronous is not None:
        return _headed(syntax.OtherStmt("async for", span, (target, iterable)), node, pos)
    return _headed(syntax.For(target, iterable, span), node, pos)


def _while(node: cst.While, start: int) -> Statements:
    condition, pos = expression(node.test, start + 5 + blank(node.whitespace_after_while))
    pos += blank(node.whitespace_before_colon) + 1
    return _headed(syntax.Conditional("while", condition, Span(start, pos)), node, pos)


def conditional(node: cst.If, word: str, start: int) -> Statements:
    """``if`` or ``elif``, which libcst does not tell apart."""
    condition, pos = expression(node.test, start + len(word) + blank(node.whitespace_before_test))
    pos += blank(node.whitespace_after_test) + 1
    return _headed(syntax.Conditional(word, condition, Span(start, pos)), node, pos)


def otherwise(node: cst.Else, start: int) -> Statements:
    pos = start + 4 + blank(node.whitespace_before_colon) + 1
    return _headed(syntax.Else(Span(start, pos)), node, pos)


def _with(node: cst.With, start: int) -> Statements:
    pos = _asynchronous(node, start) + 4 + blank(node.whitespace_after_with)
    if isinstance(node.lpar, cst.LeftParen):
        pos += 1 + blank(node.lpar.whitespace_after)
    items = []
    for item in node.items:
        begin = pos
        value, pos = expression(item.item, pos)
        target = None
        if item.asname is not None:
            target, pos = _as_name(item.asname, pos)
        items.append(syntax.WithItem(value, target, Span(begin, pos)))
        pos += separator(item.comma)
    if isinstance(node.rpar, cst.RightParen):
        pos += blank(node.rpar.whitespace_before) + 1
    pos += blank(node.whitespace_before_colon) + 1
    span = Span(start, pos)
    if node.asynchronous is not None:
        children = [part for item in items for part in (item.value, item.target) if part is not None]
        return _headed(syntax.OtherStmt("async with", span, tuple(children)), node, pos)
    return _headed(syntax.With(tuple(items), span), node, pos)


def _try(node: cst.Try | cst.TryStar, start: int) -> Statements:
    pos = start + 3 + blank(node.whitespace_before_colon) + 1
    return _headed(syntax.OtherStmt("try", Span(start, pos)), node, pos)


def handler(node: Any, start: int) -> Statements:
    """``except`` and ``except*``."""
    pos = start + 6 + blank(node.whitespace_after_except)
    if type(node) is cst.ExceptStarHandler:
        pos += 1 + blank(node.whitespace_after_star)
    children: tuple[syntax.Expr, ...] = ()
    targets: tuple[syntax.Name, ...] = ()
    if node.type is not None:
        kind, pos = expression(node.type, pos)
        children = (kind,)
    if node.name is not None:
        name, pos = _as_name(node.name, pos)
        if isinstance(name, syntax.Name):
            targets = (name,)
    pos += blank(node.whitespace_before_colon) + 1
    return _headed(syntax.OtherStmt("except", Span(start, pos), children, targets), node, pos)


def finally_(node: cst.Finally, start: int) -> Statements:
    pos = start + 7 + blank(node.whitespace_before_colon) + 1
    return _headed(syntax.OtherStmt("finally", Span(start, pos)), node, pos)


def _match(node: cst.Match, start: int) -> Statements:
    subject, pos = expression(node.subject, start + 5 + blank(node.whitespace_after_match))
    pos += blank(node.whitespace_before_colon) + 1
    return (syntax.OtherStmt("match", Span(start, pos), (subject,)),)


def case(node: cst.MatchCase, start: int) -> Statements:
    """The pattern is measured, not converted: its names are no expressions."""
    pos = start + 4 + blank(node.whitespace_after_case) + code_length(node.pattern)
    pos += blank(node.whitespace_before_if)
    children: tuple[syntax.Expr, ...] = ()
    if node.guard is not None:
        guard, pos = expression(node.guard, pos + 2 + blank(node.whitespace_after_if))
        children = (guard,)
    else:
        pos += blank(node.whitespace_after_if)
    pos += blank(node.whitespace_before_colon) + 1
    return _headed(syntax.OtherStmt("case", Span(start, pos), children), node, pos)


def _def(node: cst.FunctionDef, start: int) -> Statements:
    pos = _asynchronous(node, start) + 3 + blank(node.whitespace_after_def)
    name, pos = plain_name(node.name, pos)
    pos += blank(node.whitespace_after_name)
    if node.type_parameters is not None:
        pos += code_length(node.type_parameters)
    pos += blank(node.whitespace_after_type_parameters) + 1 + blank(node.whitespace_before_params)
    params, pos = parameters(node.params, pos)
    pos += 1
    returns = None
    if node.returns is not None:
        returns, pos = annotation(node.returns, 2, pos)
    pos += blank(node.whitespace_before_colon) + 1
    span = Span(start, pos)
    if node.asynchronous is not None:
        return _headed(syntax.OtherStmt("async function", span, (), (name,)), node, pos)
    return _headed(syntax.DefHead(name.id, returns, span, name.span, params), node, pos)


def _class(node: cst.ClassDef, start: int) -> Statements:
    name, pos = plain_name(node.name, start + 5 + blank(node.whitespace_after_class))
    pos += blank(node.whitespace_after_name)
    if node.type_parameters is not None:
        pos += code_length(node.type_parameters)
    pos += blank(node.whitespace_after_type_parameters)
    args: tuple[syntax.Argument, ...] = ()
    if isinstance(node.lpar, cst.LeftParen):
        args, pos = arguments((*node.bases, *node.keywords), pos + 1 + blank(node.lpar.whitespace_after))
    if isinstance(node.rpar, cst.RightParen):
        pos += blank(node.rpar.whitespace_before) + 1
    pos += blank(node.whitespace_before_colon) + 1
    return _headed(syntax.ClassHead(name.id, Span(start, pos), name.span, args), node, pos)


def decorator(node: cst.Decorator, start: int) -> Statements:
    value, pos = expression(node.decorator, start + 1 + blank(node.whitespace_after_at))
    return (syntax.Decorator(value, Span(start, pos)),)


_SIMPLE: dict[type, Callable[[Any, int], tuple[syntax.Statement, int]]] = {
    cst.Assign: _assign,
    cst.AnnAssign: _annotated,
    cst.AugAssign: _augmented,
    cst.Expr: _expression_statement,
    cst.Return: _return,
    cst.Pass: _keyword("pass"),
    cst.Break: _keyword("break"),
    cst.Continue: _keyword("continue"),
    cst.Del: _del,
    cst.Assert: _assert,
    cst.Raise: _raise,
    cst.Global: _declaration,
    cst.Nonlocal: _declaration,
    cst.Import: _import,
    cst.ImportFrom: _import_from,
    cst.TypeAlias: _type_alias,
}
_COMPOUND: dict[type, Callable[[Any, int], Statements]] = {
    cst.For: _for,
    cst.While: _while,
    cst.If: lambda node, start: conditional(node, "if", start),
    cst.With: _with,
    cst.Try: _try,
    cst.TryStar: _try,
    cst.Match: _match,
    cst.FunctionDef: _def,
    cst.ClassDef: _class,
}
