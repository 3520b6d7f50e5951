"""Walking and rewriting IR trees."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from operator import attrgetter
from typing import Any

from pto_lsp.analysis.ir.expressions import (
    Binary,
    Call,
    Cast,
    Expr,
    Item,
    Keyword,
    LaunchOptions,
    ListExpr,
    Op,
    Submit,
    TupleExpr,
    Unary,
    Unknown,
    Var,
)
from pto_lsp.analysis.ir.statements import (
    Assign,
    Block,
    Carry,
    Evaluate,
    For,
    GraphScope,
    If,
    Jump,
    Opaque,
    Phi,
    Region,
    Return,
    Scope,
    Stmt,
    Unpack,
    While,
    Yield,
)


def children(expr: Expr) -> tuple[Expr, ...]:
    """Direct operands, left to right, keywords and launch options after the arguments."""
    find = _CHILDREN.get(type(expr))
    return find(expr) if find is not None else ()


def _operator_children(expr: Op) -> tuple[Expr, ...]:
    return expr.args + tuple([k.value for k in expr.keywords]) if expr.keywords else expr.args


def _launch_children(expr: Call | Submit) -> tuple[Expr, ...]:
    return expr.args + option_exprs(expr.options)


# By class, not by a chain of questions: this is what all walks spend their time with.
_CHILDREN: dict[type[Expr], Callable[[Any], tuple[Expr, ...]]] = {
    Binary: lambda expr: (expr.left, expr.right),
    Op: _operator_children,
    Call: _launch_children,
    Submit: _launch_children,
    ListExpr: attrgetter("items"),
    TupleExpr: attrgetter("items"),
    Unary: lambda expr: (expr.operand,),
    Cast: lambda expr: (expr.operand,),
    Item: lambda expr: (expr.base,),
    Unknown: attrgetter("names"),
}


def option_exprs(options: LaunchOptions) -> tuple[Expr, ...]:
    """Every expression a launch's options mention (deps, core count, predicate, opt-outs)."""
    found: tuple[Expr, ...] = options.deps or ()
    if options.core_num is not None:
        found += (options.core_num,)
    if options.predicate is not None:
        found += (options.predicate,)
    return found + options.no_dep_args


def walk(expr: Expr) -> Iterator[Expr]:
    """``expr`` and everything below it, outer before inner, left to right."""
    stack: list[Expr] = [expr]
    while stack:
        current = stack.pop()
        yield current
        below = children(current)
        if below:
            stack.extend(reversed(below))


def variables(expr: Expr) -> Iterator[Var]:
    """Every use of a variable in ``expr``, repeats included."""
    for each in walk(expr):
        if isinstance(each, Var):
            yield each


def left_spine(expr: Binary) -> list[Binary]:
    """``expr`` and the operations down its left operands, innermost first.

    A chain like ``a + b + c …`` is the one expression that gets long: walking its spine in a loop keeps it within
    Python's recursion limit.
    """
    spine = [expr]
    left = expr.left
    while isinstance(left, Binary):
        spine.append(left)
        left = left.left
    spine.reverse()
    return spine


def statement_exprs(stmt: Stmt) -> tuple[Expr, ...]:
    """The expressions a statement evaluates itself (not those of its body), in evaluation order."""
    if isinstance(stmt, (Assign, Unpack, Evaluate)):
        return (stmt.value,)
    if isinstance(stmt, For):
        return (stmt.start, stmt.stop, stmt.step, *(c.init for c in stmt.carries))
    if isinstance(stmt, While):
        return (*(c.init for c in stmt.carries), stmt.condition)
    if isinstance(stmt, If):
        return (stmt.condition,)
    if isinstance(stmt, (Return, Yield)):
        return stmt.values
    if isinstance(stmt, Region):
        return option_exprs(stmt.options)
    return ()


_SINGLE = frozenset({For, While, Region, GraphScope, Scope, Opaque})


def blocks(stmt: Stmt) -> tuple[Block, ...]:
    """The bodies of a compound statement, in source order."""
    kind = type(stmt)
    if kind in _SINGLE:
        return (stmt.body,)  # type: ignore[union-attr]
    return (stmt.then, stmt.orelse) if isinstance(stmt, If) else ()


def with_blocks(stmt: Stmt, bodies: tuple[Block, ...]) -> Stmt:
    """``stmt`` with its bodies replaced, in the order of ``blocks``."""
    if isinstance(stmt, If):
        return replace(stmt, then=bodies[0], orelse=bodies[1])
    if isinstance(stmt, (For, While, Region, GraphScope, Scope, Opaque)):
        return replace(stmt, body=bodies[0])
    return stmt


def has_jump(block: Block) -> bool:
    """Whether a ``break`` or ``continue`` of the loop whose body ``block`` is stands in it."""
    for stmt in block:
        if isinstance(stmt, Jump):
            return True
        if not isinstance(stmt, (For, While)) and any(has_jump(body) for body in blocks(stmt)):
            return True
    return False


def walk_block(block: Block) -> Iterator[Stmt]:
    """Every statement at any depth, in source order, a compound statement before its body."""
    stack = list(reversed(block))
    while stack:
        stmt = stack.pop()
        yield stmt
        for body in reversed(blocks(stmt)):
            stack.extend(reversed(body))


def bound_variables(stmt: Stmt) -> tuple[Var, ...]:
    """The variables a statement itself binds (loop variable, carries and phis included; not those of its body)."""
    if isinstance(stmt, Assign):
        return (stmt.target,)
    if isinstance(stmt, (Unpack, Yield)):
        return stmt.targets
    if isinstance(stmt, For):
        return (stmt.var, *(c.inner for c in stmt.carries), *(c.result for c in stmt.carries))
    if isinstance(stmt, While):
        return (*(c.inner for c in stmt.carries), *(c.result for c in stmt.carries))
    if isinstance(stmt, If):
        return tuple(p.result for p in stmt.phis)
    if isinstance(stmt, Region):
        return tuple(v for v in (stmt.index, stmt.task_id) if v is not None)
    if isinstance(stmt, Opaque):
        return stmt.binds
    return ()


def rewrite(expr: Expr, change: Callable[[Expr], Expr | None]) -> Expr:
    """Rebuild ``expr`` top down. ``change`` returns a replacement (not descended into) or None to descend.

    Unchanged parts are returned as the same objects.
    """
    new = change(expr)
    if new is not None:
        return new
    if isinstance(expr, Binary):
        left, right = rewrite(expr.left, change), rewrite(expr.right, change)
        if left is expr.left and right is expr.right:
            return expr
        return Binary(expr.op, left, right, expr.span)
    if isinstance(expr, Unary):
        operand = rewrite(expr.operand, change)
        return expr if operand is expr.operand else Unary(expr.op, operand, expr.span)
    if isinstance(expr, Cast):
        operand = rewrite(expr.operand, change)
        return expr if operand is expr.operand else Cast(operand, expr.dtype, expr.span)
    if isinstance(expr, (ListExpr, TupleExpr)):
        items = rewrite_all(expr.items, change)
        return expr if items is expr.items else type(expr)(items, expr.span)
    if isinstance(expr, Item):
        base = rewrite(expr.base, change)
        return expr if base is expr.base else Item(base, expr.index, expr.span)
    if isinstance(expr, Op):
        args = rewrite_all(expr.args, change)
        keywords = rewrite_keywords(expr.keywords, change)
        if args is expr.args and keywords is expr.keywords:
            return expr
        return Op(expr.name, args, keywords, expr.type, expr.span, expr.sugar)
    if isinstance(expr, (Call, Submit)):
        args = rewrite_all(expr.args, change)
        options = rewrite_options(expr.options, change)
        if args is expr.args and options is expr.options:
            return expr
        return replace(expr, args=args, options=options)
    return expr


def rewrite_all(exprs: tuple[Expr, ...], change: Callable[[Expr], Expr | None]) -> tuple[Expr, ...]:
    """``rewrite`` over a tuple; the same tuple when nothing changed."""
    new = tuple([rewrite(e, change) for e in exprs])
    for old, fresh in zip(exprs, new):
        if old is not fresh:
            return new
    return exprs


def rewrite_keywords(keywords: tuple[Keyword, ...], change: Callable[[Expr], Expr | None]) -> tuple[Keyword, ...]:
    values = tuple([k.value for k in keywords])
    new = rewrite_all(values, change)
    if new is values:
        return keywords
    return tuple([Keyword(k.name, value, k.span) for k, value in zip(keywords, new)])


def rewrite_options(options: LaunchOptions, change: Callable[[Expr], Expr | None]) -> LaunchOptions:
    """Options with deps, core count, predicate, opt-outs and kept keywords rewritten."""
    deps = None if options.deps is None else rewrite_all(options.deps, change)
    core_num = None if options.core_num is None else rewrite(options.core_num, change)
    predicate = None if options.predicate is None else rewrite(options.predicate, change)
    no_dep_args = rewrite_all(options.no_dep_args, change)
    keywords = rewrite_keywords(options.keywords, change)
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


def rewrite_statement(stmt: Stmt, change: Callable[[Expr], Expr | None]) -> Stmt:
    """``stmt`` with the expressions of its own rewritten, joins included; its bodies stay as they are."""
    if isinstance(stmt, (Assign, Unpack, Evaluate)):
        value = rewrite(stmt.value, change)
        return stmt if value is stmt.value else replace(stmt, value=value)
    if isinstance(stmt, (Return, Yield)):
        values = rewrite_all(stmt.values, change)
        return stmt if values is stmt.values else replace(stmt, values=values)
    if isinstance(stmt, For):
        bounds = (stmt.start, stmt.stop, stmt.step)
        new = rewrite_all(bounds, change)
        carries = _rewrite_carries(stmt.carries, change)
        if new is bounds and carries is stmt.carries:
            return stmt
        return replace(stmt, start=new[0], stop=new[1], step=new[2], carries=carries)
    if isinstance(stmt, While):
        condition, carries = rewrite(stmt.condition, change), _rewrite_carries(stmt.carries, change)
        same = condition is stmt.condition and carries is stmt.carries
        return stmt if same else replace(stmt, condition=condition, carries=carries)
    if isinstance(stmt, If):
        condition = rewrite(stmt.condition, change)
        joins = tuple([e for p in stmt.phis for e in (p.then, p.orelse)])
        ends = rewrite_all(joins, change)
        if condition is stmt.condition and ends is joins:
            return stmt
        phis = tuple([Phi(p.result, ends[2 * i], ends[2 * i + 1]) for i, p in enumerate(stmt.phis)])
        return replace(stmt, condition=condition, phis=phis)
    if isinstance(stmt, Region):
        options = rewrite_options(stmt.options, change)
        return stmt if options is stmt.options else replace(stmt, options=options)
    return stmt


def _rewrite_carries(carries: tuple[Carry, ...], change: Callable[[Expr], Expr | None]) -> tuple[Carry, ...]:
    ends = tuple([e for c in carries for e in (c.init, c.update)])
    new = rewrite_all(ends, change)
    if new is ends:
        return carries
    return tuple([Carry(c.inner, new[2 * i], new[2 * i + 1], c.result) for i, c in enumerate(carries)])
