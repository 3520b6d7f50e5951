"""What the passes ask of a statement again and again, found out in one walk over it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from pto_lsp.analysis.ir.expressions import Call, Const, Expr, Op, Submit, Var
from pto_lsp.analysis.ir.statements import (
    Assign,
    Evaluate,
    For,
    GraphScope,
    If,
    Jump,
    LoopKind,
    Opaque,
    Region,
    Return,
    Stmt,
    Unpack,
    While,
    Yield,
)
from pto_lsp.analysis.ir.uses import add_extents
from pto_lsp.analysis.ir.visitor import bound_variables, children, option_exprs, statement_exprs, walk_block
from pto_lsp.analysis.node import node


@node
class Facts:
    """What a statement and its bodies hold. ``names`` are all variables, those in launch options and types included;
    ``bound`` those it binds, as ``ir.uses`` has them; ``callees`` are the functions it calls. ``unrolls``: there is a
    ``pl.unroll`` loop in it. ``temporary``: the bound names that begin as those made by the passes do.
    """

    names: tuple[str, ...]
    bound: dict[str, Var]
    callees: tuple[str, ...]
    returns: bool
    opaque: bool
    graph_scopes: bool
    unrolls: bool
    temporary: tuple[str, ...]


TEMPORARY = "_t"
"""FlattenCallExpr makes ``_t0``, ``_t1`` …, OutlineIncoreScopes ``_task``, ``_task_1`` …."""

SIMPLE = frozenset({Assign, Unpack, Evaluate, Yield, Return, Jump})
"""Statements without bodies. There are many, and their facts are found out faster than they are worth keeping."""


Structural = Literal["returns", "graph_scopes", "unrolls"]
"""Facts that only statements have a part in."""
_STRUCTURAL: dict[Structural, Callable[[Stmt], bool]] = {
    "returns": lambda stmt: isinstance(stmt, Return),
    "graph_scopes": lambda stmt: isinstance(stmt, GraphScope),
    "unrolls": lambda stmt: isinstance(stmt, For) and stmt.kind is LoopKind.UNROLL,
}


def holds_itself(stmt: Stmt, fact: Structural) -> bool:
    """The fact about ``stmt`` without what is in it."""
    return _STRUCTURAL[fact](stmt)


def holds(stmt: Stmt, fact: Structural) -> bool:
    """The fact alone, found out afresh."""
    is_such = _STRUCTURAL[fact]
    return any(is_such(each) for each in walk_block((stmt,)))


class Collected:
    """Facts in the making."""

    def __init__(self) -> None:
        self._names: set[str] = set()
        self._temporary: set[str] = set()
        self._bound: dict[str, Var] = {}
        self._callees: dict[str, None] = {}
        self._returns = self._opaque = self._graph_scopes = self._unrolls = False

    def facts(self) -> Facts:
        return Facts(
            tuple(self._names),
            self._bound,
            tuple(self._callees),
            self._returns,
            self._opaque,
            self._graph_scopes,
            self._unrolls,
            tuple(self._temporary),
        )

    def add(self, stmt: Stmt) -> None:
        """What ``stmt`` holds itself, without its bodies."""
        names, bound = self._names, self._bound
        if isinstance(stmt, For):
            self._unrolls = self._unrolls or stmt.kind is LoopKind.UNROLL
        elif isinstance(stmt, Return):
            self._returns = True
        elif isinstance(stmt, Opaque):
            self._opaque = True
        elif isinstance(stmt, GraphScope):
            self._graph_scopes = True
        for var in bound_variables(stmt):
            names.add(var.name)
            bound.setdefault(var.name, var)
            if var.name.startswith(TEMPORARY):
                self._temporary.add(var.name)
            add_extents(var.type, names)
        if isinstance(stmt, Region):
            for expr in option_exprs(stmt.options):
                _expr_names(expr, names, self._callees)
            for keyword in stmt.options.keywords:
                _expr_names(keyword.value, names, self._callees)
            return
        for expr in (*statement_exprs(stmt), *_joined(stmt)):
            if isinstance(expr, Var):
                names.add(expr.name)
            elif type(expr) is not Const:
                _expr_names(expr, names, self._callees)

    def merge(self, facts: Facts) -> None:
        """What a statement in a body holds."""
        self._names.update(facts.names)
        self._temporary.update(facts.temporary)
        if facts.callees:
            self._callees.update(dict.fromkeys(facts.callees))
        bound = self._bound
        if bound.keys().isdisjoint(facts.bound):
            bound.update(facts.bound)
        else:
            for name, var in facts.bound.items():
                bound.setdefault(name, var)
        self._returns = self._returns or facts.returns
        self._opaque = self._opaque or facts.opaque
        self._graph_scopes = self._graph_scopes or facts.graph_scopes
        self._unrolls = self._unrolls or facts.unrolls


def _joined(stmt: Stmt) -> list[Expr]:
    """What a loop hands on to its next trip, a branch to what follows it."""
    if isinstance(stmt, (For, While)):
        return [carry.update for carry in stmt.carries]
    return [end for phi in stmt.phis for end in (phi.then, phi.orelse)] if isinstance(stmt, If) else []


def _expr_names(expr: Expr, names: set[str], callees: dict[str, None]) -> None:
    stack = [expr]
    while stack:
        current = stack.pop()
        if isinstance(current, Var):
            names.add(current.name)
            continue
        stack.extend(children(current))
        if isinstance(current, Op):
            add_extents(current.type, names)
        elif isinstance(current, (Call, Submit)):
            callees[current.callee] = None
            add_extents(current.type, names)
            stack.extend([keyword.value for keyword in current.options.keywords])
