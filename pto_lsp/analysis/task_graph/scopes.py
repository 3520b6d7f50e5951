"""Where task ids are bound and how far they reach (semantics.md §8.7, §8.8, §8.12)."""

from __future__ import annotations

from collections.abc import Iterable

from pto_lsp.analysis.ir.expressions import Const, Expr, ListExpr, Op, Unknown, Var
from pto_lsp.analysis.ir.program import Function
from pto_lsp.analysis.ir.statements import (
    Assign,
    Block,
    Carry,
    Evaluate,
    For,
    If,
    Opaque,
    Phi,
    Scope,
    ScopeMode,
    Stmt,
    Unpack,
    While,
)
from pto_lsp.analysis.ir.types import ScalarType
from pto_lsp.analysis.ir.visitor import bound_variables, children, statement_exprs
from pto_lsp.analysis.node import node
from pto_lsp.analysis.task_graph.model import Loop

Chain = tuple[tuple[Stmt, int], ...]
"""Enclosing compound statements from outermost inwards, each with the number of its body."""


@node
class Handles:
    """Everything static about the task ids of a function. ``chains``: where each name is bound. ``inner``,
    ``results``: names that carries give them inside and after a loop. ``definitions``: the assignment behind each name.
    """

    chains: dict[str, Chain]
    inner: dict[str, tuple[Loop, Carry]]
    results: dict[str, tuple[Loop, Carry]]
    phis: dict[str, Phi]
    definitions: dict[str, Assign | Unpack]
    statements: dict[int, Chain]

    def source(self, expr: Expr) -> Expr:
        """What a name stands for, through plain renames."""
        for _ in range(32):
            if not isinstance(expr, Var):
                return expr
            definition = self.definitions.get(expr.name)
            if not isinstance(definition, Assign):
                return expr
            expr = definition.value
        return expr


def is_task_id(var: Var) -> bool:
    return isinstance(var.type, ScalarType) and var.type.is_task_id


def in_manual(chain: Chain) -> bool:
    return any(isinstance(stmt, Scope) and stmt.mode is ScopeMode.MANUAL for stmt, _ in chain)


def handles(function: Function) -> Handles:
    """Walk ``function`` once."""
    found = Handles({}, {}, {}, {}, {}, {})
    for param in function.params:
        found.chains[param.name] = ()
    _walk(function.body or (), (), found)
    return found


def _walk(body: Block, chain: Chain, found: Handles) -> None:
    for stmt in body:
        found.statements[id(stmt)] = chain
        for var in bound_variables(stmt):
            found.chains[var.name] = chain
        if isinstance(stmt, (Assign, Unpack)):
            for target in (stmt.target,) if isinstance(stmt, Assign) else stmt.targets:
                found.definitions[target.name] = stmt
        if isinstance(stmt, (For, While)):
            for carry in stmt.carries:
                found.inner[carry.inner.name] = (stmt, carry)
                found.results[carry.result.name] = (stmt, carry)
                found.chains[carry.inner.name] = (*chain, (stmt, 0))
            _walk(stmt.body, (*chain, (stmt, 0)), found)
        elif isinstance(stmt, If):
            _walk(stmt.then, (*chain, (stmt, 0)), found)
            _walk(stmt.orelse, (*chain, (stmt, 1)), found)
            for phi in stmt.phis:
                found.phis[phi.result.name] = phi
        elif isinstance(stmt, (Scope, Opaque)):
            _walk(stmt.body, (*chain, (stmt, 0)), found)


def used_names(statements: Iterable[Stmt]) -> frozenset[str]:
    """The variables some expression of the ``statements`` themselves reads."""
    found: set[str] = set()
    pending: list[Expr] = []
    add, extend = found.add, pending.extend
    for stmt in statements:
        if isinstance(stmt, (Assign, Unpack, Evaluate)):
            pending.append(stmt.value)
        else:
            extend(statement_exprs(stmt))
            if isinstance(stmt, (For, While)):
                extend([carry.update for carry in stmt.carries])
            elif isinstance(stmt, If):
                extend([side for phi in stmt.phis for side in (phi.then, phi.orelse)])
        # The common nodes are taken apart here: every expression of the function passes by.
        while pending:
            expr = pending.pop()
            kind = type(expr)
            if kind is Var:
                add(expr.name)  # type: ignore[union-attr]
            elif kind is ListExpr:
                extend(expr.items)  # type: ignore[union-attr]
            elif kind is not Const:
                extend(children(expr))
    return frozenset(found)


def escaped(entry: Var, use: Chain, found: Handles) -> Stmt | None:
    """The closed scope the id ``entry`` was bound in; None when it reaches its use at ``use`` (§8.7)."""
    name = entry.name
    carried = found.results.get(name) or found.inner.get(name)
    if carried is not None:
        loop, carry = carried
        if isinstance(carry.update, Var) and carry.update.name == carry.inner.name:
            return None
        seeded = not isinstance(carry.init, Unknown)
        return None if seeded and in_manual(found.statements.get(id(loop), ())) else loop
    phi = found.phis.get(name)
    if phi is not None:
        for side in (phi.then, phi.orelse):
            if isinstance(side, Var) and len(found.chains.get(side.name, ())) > len(found.chains.get(name, ())):
                return found.chains[side.name][-1][0]
        return None
    chain = found.chains.get(name)
    if chain is None:
        return None
    for depth, step in enumerate(chain):
        if depth >= len(use) or use[depth][0] is not step[0] or use[depth][1] != step[1]:
            return step[0]
    return None


def reads_at_run_time(expr: Expr, found: Handles, depth: int = 12) -> bool:
    """The value surely comes from data or a dynamic extent, so it is no compile-time constant."""
    if depth == 0:
        return False
    resolved = found.source(expr)
    if isinstance(resolved, Op):
        return resolved.name in ("tensor.read", "tensor.dim")
    return False
