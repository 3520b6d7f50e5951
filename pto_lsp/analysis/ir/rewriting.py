"""Rewriting every expression of a block."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from pto_lsp.analysis.ir.expressions import Expr
from pto_lsp.analysis.ir.statements import (
    Assign,
    Block,
    Evaluate,
    For,
    GraphScope,
    If,
    Opaque,
    Region,
    Return,
    Scope,
    Stmt,
    Unpack,
    While,
    Yield,
)
from pto_lsp.analysis.ir.visitor import rewrite, rewrite_all, rewrite_options


def rewrite_block(block: Block, change: Callable[[Expr], Expr | None]) -> Block:
    """``block`` with ``visitor.rewrite`` applied to every expression at any depth; unchanged statements stay the
    same.
    """
    new = tuple([_statement(stmt, change) for stmt in block])
    return block if all(a is b for a, b in zip(new, block)) else new


def _statement(stmt: Stmt, change: Callable[[Expr], Expr | None]) -> Stmt:
    if isinstance(stmt, (Assign, Unpack, Evaluate)):
        value = rewrite(stmt.value, change)
        return stmt if value is stmt.value else replace(stmt, value=value)
    if isinstance(stmt, (Return, Yield)):
        values = rewrite_all(stmt.values, change)
        return stmt if values is stmt.values else replace(stmt, values=values)
    if isinstance(stmt, For):
        carries = tuple(
            replace(c, init=rewrite(c.init, change), update=rewrite(c.update, change)) for c in stmt.carries
        )
        return replace(
            stmt,
            start=rewrite(stmt.start, change),
            stop=rewrite(stmt.stop, change),
            step=rewrite(stmt.step, change),
            body=rewrite_block(stmt.body, change),
            carries=carries,
        )
    if isinstance(stmt, While):
        carries = tuple(
            replace(c, init=rewrite(c.init, change), update=rewrite(c.update, change)) for c in stmt.carries
        )
        return replace(
            stmt, condition=rewrite(stmt.condition, change), body=rewrite_block(stmt.body, change), carries=carries
        )
    if isinstance(stmt, If):
        phis = tuple(replace(p, then=rewrite(p.then, change), orelse=rewrite(p.orelse, change)) for p in stmt.phis)
        return replace(
            stmt,
            condition=rewrite(stmt.condition, change),
            then=rewrite_block(stmt.then, change),
            orelse=rewrite_block(stmt.orelse, change),
            phis=phis,
        )
    if isinstance(stmt, Region):
        return replace(stmt, options=rewrite_options(stmt.options, change), body=rewrite_block(stmt.body, change))
    if isinstance(stmt, (GraphScope, Scope, Opaque)):
        body = rewrite_block(stmt.body, change)
        return stmt if body is stmt.body else replace(stmt, body=body)
    return stmt
