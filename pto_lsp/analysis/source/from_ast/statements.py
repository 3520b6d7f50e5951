"""Statements of Python's tree to ``syntax``: simple ones, and the headers of compound ones without their bodies."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from typing import Any

from pto_lsp.analysis.source import syntax
from pto_lsp.analysis.source.from_ast.expressions import expression, expressions
from pto_lsp.analysis.source.from_ast.operators import OPERATORS
from pto_lsp.analysis.source.from_ast.places import Places, Unsupported
from pto_lsp.analysis.source.wrapping import Part, Wrapped
from pto_lsp.diagnostics import Span

_DEF = re.compile(r"def[ \t]+(\w+)[ \t]*\(")
_CLASS = re.compile(r"class[ \t]+(\w+)[ \t]*:")
_ELSE = re.compile(r"else[ \t]*:")


def statements(wrapped: Wrapped, tree: ast.Module | ast.Expression) -> tuple[syntax.Statement, ...] | None:
    """What the unit consists of, or None when it takes libcst to find out."""
    try:
        places = Places(wrapped, tree)
        if isinstance(tree, ast.Expression):
            return (_alone(tree.body, places, wrapped),)
        convert = _PARTS.get(wrapped.part)
        return None if convert is None else convert(tree, places, wrapped)
    except Unsupported:
        return None


def _line(tree: ast.Module, places: Places, wrapped: Wrapped) -> tuple[syntax.Statement, ...]:
    """Simple statements with semicolons between them."""
    return tuple([_simple(statement, places) for statement in tree.body])


def _alone(node: ast.expr, places: Places, wrapped: Wrapped) -> syntax.Statement:
    """An expression that is the whole unit. Parentheses around it are part of the statement, a comment is not."""
    if "#" in wrapped.code:
        raise Unsupported
    return syntax.ExprStmt(expression(node, places), Span(wrapped.start, wrapped.start + len(wrapped.code)))


def _simple(node: ast.stmt, places: Places) -> syntax.Statement:
    convert = _SIMPLE.get(type(node))
    if convert is None:
        raise Unsupported
    return convert(node, places)


def _assign(node: ast.Assign, places: Places) -> syntax.Statement:
    targets = expressions(node.targets, places)
    return syntax.Assign(targets, None, expression(node.value, places), places.span(node))


def _annotated(node: ast.AnnAssign, places: Places) -> syntax.Statement:
    target, hint = expression(node.target, places), expression(node.annotation, places)
    return syntax.Assign((target,), hint, _optional(node.value, places), places.span(node))


def _augmented(node: ast.AugAssign, places: Places) -> syntax.Statement:
    target, value = expression(node.target, places), expression(node.value, places)
    return syntax.AugAssign(target, OPERATORS[type(node.op)], value, places.span(node))


def _expression_statement(node: ast.Expr, places: Places) -> syntax.Statement:
    return syntax.ExprStmt(expression(node.value, places), places.span(node))


def _return(node: ast.Return, places: Places) -> syntax.Statement:
    return syntax.Return(_optional(node.value, places), places.span(node))


def _assert(node: ast.Assert, places: Places) -> syntax.Statement:
    parts = [node.test] if node.msg is None else [node.test, node.msg]
    return syntax.OtherStmt("assert", places.span(node), expressions(parts, places))


def _raise(node: ast.Raise, places: Places) -> syntax.Statement:
    parts = [part for part in (node.exc, node.cause) if part is not None]
    return syntax.OtherStmt("raise", places.span(node), expressions(parts, places))


def _keyword(word: str) -> Callable[[ast.stmt, Places], syntax.Statement]:
    return lambda node, places: syntax.Keyword(word, places.span(node))


def _optional(node: ast.expr | None, places: Places) -> syntax.Expr | None:
    return None if node is None else expression(node, places)


def _compound(tree: ast.Module, places: Places, wrapped: Wrapped) -> tuple[syntax.Statement, ...]:
    node = tree.body[0]
    convert = _HEADERS.get(type(node))
    if convert is None or not wrapped.suffix:
        raise Unsupported
    return (convert(node, places),)


def _for(node: ast.For, places: Places) -> syntax.Statement:
    target, iterable = expression(node.target, places), expression(node.iter, places)
    return syntax.For(target, iterable, Span(0, places.behind_colon(places.end(node.iter))))


def _conditional(word: str) -> Callable[[Any, Places], syntax.Statement]:
    def convert(node: ast.If | ast.While, places: Places) -> syntax.Statement:
        condition = expression(node.test, places)
        return syntax.Conditional(word, condition, Span(0, places.behind_colon(places.end(node.test))))

    return convert


def _with(node: ast.With, places: Places) -> syntax.Statement:
    items = []
    end = 0
    for item in node.items:
        parts = [item.context_expr] if item.optional_vars is None else [item.context_expr, item.optional_vars]
        if any(places.closing(part) for part in parts):
            raise Unsupported  # parentheses around the part or around all items
        start, end = places.start(parts[0]), places.end(parts[-1])
        value, target = expression(item.context_expr, places), _optional(item.optional_vars, places)
        items.append(syntax.WithItem(value, target, Span(start, end)))
    return syntax.With(tuple(items), Span(0, places.behind_colon(end)))


def _def(node: ast.FunctionDef, places: Places) -> syntax.Statement:
    match = places.match(_DEF)
    found = node.args
    if match is None or found.posonlyargs or found.kwonlyargs or found.vararg is not None or found.kwarg is not None:
        raise Unsupported
    defaults = [*[None] * (len(found.args) - len(found.defaults)), *found.defaults]
    params = tuple([_parameter(param, default, places) for param, default in zip(found.args, defaults)])
    returns = _optional(node.returns, places)
    if node.returns is not None:
        end = places.end(node.returns)
    else:
        end = params[-1].span.end if params else match.end()
    return syntax.DefHead(match[1], returns, Span(0, places.behind_colon(end)), Span(*match.span(1)), params)


def _parameter(node: ast.arg, default: ast.expr | None, places: Places) -> syntax.Parameter:
    start, end = places.span(node)
    hint = _optional(node.annotation, places)
    if default is not None:
        end = places.grouped(default).end
    name = Span(start, start + len(node.arg))
    return syntax.Parameter(node.arg, "", hint, _optional(default, places), Span(start, end), name)


def _class(node: ast.ClassDef, places: Places) -> syntax.Statement:
    match = places.match(_CLASS)
    if match is None:
        raise Unsupported
    return syntax.ClassHead(match[1], Span(*match.span()), Span(*match.span(1)))


def _elif(tree: ast.Module, places: Places, wrapped: Wrapped) -> tuple[syntax.Statement, ...]:
    before = tree.body[0]
    assert isinstance(before, ast.If)
    if not wrapped.suffix:
        raise Unsupported
    return (_conditional("elif")(before.orelse[0], places),)


def _else(tree: ast.Module, places: Places, wrapped: Wrapped) -> tuple[syntax.Statement, ...]:
    match = places.match(_ELSE)
    if match is None or not wrapped.suffix:
        raise Unsupported
    return (syntax.Else(Span(*match.span())),)


def _decorator(tree: ast.Module, places: Places, wrapped: Wrapped) -> tuple[syntax.Statement, ...]:
    definition = tree.body[0]
    assert isinstance(definition, ast.FunctionDef)
    node = definition.decorator_list[0]
    return (syntax.Decorator(expression(node, places), Span(0, places.grouped(node).end)),)


def _parameters(tree: ast.Module, places: Places, wrapped: Wrapped) -> tuple[syntax.Statement, ...]:
    definition = tree.body[0]
    assert isinstance(definition, ast.FunctionDef)
    if len(definition.args.args) != 1:
        raise Unsupported  # one with a star
    default = definition.args.defaults[0] if definition.args.defaults else None
    return (_parameter(definition.args.args[0], default, places),)


_SIMPLE: dict[type[ast.stmt], Callable[[Any, Places], syntax.Statement]] = {
    ast.Assign: _assign,
    ast.AnnAssign: _annotated,
    ast.AugAssign: _augmented,
    ast.Expr: _expression_statement,
    ast.Return: _return,
    ast.Assert: _assert,
    ast.Raise: _raise,
    ast.Pass: _keyword("pass"),
    ast.Break: _keyword("break"),
    ast.Continue: _keyword("continue"),
}
_HEADERS: dict[type[ast.stmt], Callable[[Any, Places], syntax.Statement]] = {
    ast.For: _for,
    ast.While: _conditional("while"),
    ast.If: _conditional("if"),
    ast.With: _with,
    ast.FunctionDef: _def,
    ast.ClassDef: _class,
}
_PARTS: dict[Part, Callable[[ast.Module, Places, Wrapped], tuple[syntax.Statement, ...]]] = {
    Part.STATEMENT: _line,
    Part.COMPOUND: _compound,
    Part.DECORATOR: _decorator,
    Part.PARAMETER: _parameters,
    Part.ELIF: _elif,
    Part.ELSE: _else,
}
