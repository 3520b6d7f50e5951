"""Replacing variables by expressions, in expressions, types and launch options."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from pto_lsp.analysis.ir.expressions import (
    Binary,
    Call,
    Cast,
    Const,
    DType,
    Enumerator,
    Expr,
    Item,
    Keyword,
    LaunchOptions,
    ListExpr,
    Op,
    Submit,
    Symbol,
    TupleExpr,
    Unary,
    Unknown,
    Var,
)
from pto_lsp.analysis.ir.types import TensorType, TupleType, Type, UnknownType
from pto_lsp.analysis.ir.visitor import left_spine
from pto_lsp.diagnostics import Span

_LEAVES = frozenset({Const, Symbol, DType, Enumerator})


class Substitution:
    """Rewrites expressions under ``mapping``: unique name → what stands there now. It may change between calls.

    The replacement takes over the span of the use, because its own spans count from another statement. A variable
    keeps the type of its use where the replacement has none. Unchanged parts stay the same objects.
    """

    __slots__ = ("mapping",)

    def __init__(self, mapping: dict[str, Expr]) -> None:
        self.mapping = mapping

    def expr(self, expr: Expr) -> Expr:
        kind = type(expr)
        if kind is Var:
            found = self.mapping.get(expr.name)  # type: ignore[union-attr]
            return expr if found is None else _placed(found, expr)  # type: ignore[arg-type]
        if kind in _LEAVES:
            return expr
        return _REWRITES[kind](self, expr)

    def exprs(self, exprs: tuple[Expr, ...]) -> tuple[Expr, ...]:
        """Every expression rewritten; the same tuple when nothing changed."""
        if not exprs:
            return exprs
        one = self.expr
        new = tuple([one(e) for e in exprs])
        for old, fresh in zip(exprs, new):
            if old is not fresh:
                return new
        return exprs

    def type(self, type_: Type) -> Type:
        """The type with the variables of its extents replaced."""
        if isinstance(type_, TensorType):
            if type_.shape is None:
                return type_
            shape = self.exprs(type_.shape)
            return type_ if shape is type_.shape else TensorType(shape, type_.dtype, type_.distributed)
        if isinstance(type_, TupleType):
            items = tuple([self.type(t) for t in type_.items])
            return type_ if all(a is b for a, b in zip(items, type_.items)) else TupleType(items)
        return type_

    def keywords(self, keywords: tuple[Keyword, ...]) -> tuple[Keyword, ...]:
        if not keywords:
            return keywords
        values = tuple([k.value for k in keywords])
        new = self.exprs(values)
        if new is values:
            return keywords
        return tuple([Keyword(k.name, value, k.span) for k, value in zip(keywords, new)])

    def options(self, options: LaunchOptions) -> LaunchOptions:
        deps = None if options.deps is None else self.exprs(options.deps)
        core_num = None if options.core_num is None else self.expr(options.core_num)
        predicate = None if options.predicate is None else self.expr(options.predicate)
        no_dep_args = self.exprs(options.no_dep_args)
        keywords = self.keywords(options.keywords)
        if (
            deps is options.deps
            and core_num is options.core_num
            and predicate is options.predicate
            and no_dep_args is options.no_dep_args
            and keywords is options.keywords
        ):
            return options
        return replace(
            options, deps=deps, core_num=core_num, predicate=predicate, no_dep_args=no_dep_args, keywords=keywords
        )

    def _binary(self, expr: Binary) -> Expr:
        spine = left_spine(expr)
        result = self.expr(spine[0].left)
        for step in spine:
            right = self.expr(step.right)
            unchanged = result is step.left and right is step.right
            result = step if unchanged else Binary(step.op, result, right, step.span)
        return result

    def _op(self, expr: Op) -> Expr:
        args = self.exprs(expr.args)
        keywords = self.keywords(expr.keywords)
        type_ = self.type(expr.type)
        if args is expr.args and keywords is expr.keywords and type_ is expr.type:
            return expr
        return Op(expr.name, args, keywords, type_, expr.span, expr.sugar)

    def _launch(self, expr: Call | Submit) -> Expr:
        args = self.exprs(expr.args)
        options = self.options(expr.options)
        type_ = self.type(expr.type)
        if args is expr.args and options is expr.options and type_ is expr.type:
            return expr
        return replace(expr, args=args, options=options, type=type_)

    def _display(self, expr: ListExpr | TupleExpr) -> Expr:
        items = self.exprs(expr.items)
        return expr if items is expr.items else type(expr)(items, expr.span)

    def _unary(self, expr: Unary) -> Expr:
        operand = self.expr(expr.operand)
        return expr if operand is expr.operand else Unary(expr.op, operand, expr.span)

    def _cast(self, expr: Cast) -> Expr:
        operand = self.expr(expr.operand)
        return expr if operand is expr.operand else Cast(operand, expr.dtype, expr.span)

    def _item(self, expr: Item) -> Expr:
        base = self.expr(expr.base)
        return expr if base is expr.base else Item(base, expr.index, expr.span)

    def _unknown(self, expr: Unknown) -> Expr:
        names = tuple([n for n in self.exprs(expr.names) if isinstance(n, Var)])
        return replace(expr, names=names) if names != expr.names else expr


_REWRITES: dict[type[Expr], Callable[[Substitution, Any], Expr]] = {
    Op: Substitution._op,
    Binary: Substitution._binary,
    ListExpr: Substitution._display,
    TupleExpr: Substitution._display,
    Call: Substitution._launch,
    Submit: Substitution._launch,
    Unary: Substitution._unary,
    Cast: Substitution._cast,
    Item: Substitution._item,
    Unknown: Substitution._unknown,
}


def _placed(found: Expr, use: Var) -> Expr:
    """``found`` as it reads at ``use``."""
    if isinstance(found, Var):
        type_ = use.type if isinstance(found.type, UnknownType) else found.type
        if found.name == use.name and type_ is use.type:
            return use
        return Var(found.name, found.label, type_, use.span)
    if isinstance(found, Const):
        return Const(found.value, use.span, found.written or use.label)
    return respanned(found, use.span)


def respanned(expr: Expr, span: Span) -> Expr:
    """A copy of ``expr`` in which every node has the span ``span``."""
    if isinstance(expr, Const):
        return Const(expr.value, span, expr.written)
    if isinstance(expr, Var):
        return Var(expr.name, expr.label, expr.type, span)
    if isinstance(expr, (Symbol, DType)):
        return type(expr)(expr.name, span)
    if isinstance(expr, Enumerator):
        return Enumerator(expr.dotted, span)
    if isinstance(expr, Binary):
        return Binary(expr.op, respanned(expr.left, span), respanned(expr.right, span), span)
    if isinstance(expr, Unary):
        return Unary(expr.op, respanned(expr.operand, span), span)
    if isinstance(expr, Cast):
        return Cast(respanned(expr.operand, span), expr.dtype, span)
    if isinstance(expr, (ListExpr, TupleExpr)):
        return type(expr)(tuple([respanned(e, span) for e in expr.items]), span)
    if isinstance(expr, Item):
        return Item(respanned(expr.base, span), expr.index, span)
    if isinstance(expr, Op):
        args = tuple([respanned(e, span) for e in expr.args])
        keywords = tuple([Keyword(k.name, respanned(k.value, span), span) for k in expr.keywords])
        return Op(expr.name, args, keywords, expr.type, span, expr.sugar)
    if isinstance(expr, (Call, Submit)):
        return replace(expr, args=tuple([respanned(e, span) for e in expr.args]), callee_span=span, span=span)
    return replace(expr, span=span)
