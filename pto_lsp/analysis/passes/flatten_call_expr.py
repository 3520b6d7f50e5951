"""FlattenCallExpr: at orchestration level no call or operator stands inside another expression (rules.md S7).

What was nested gets a name of its own, bound right before its statement. Scalar arithmetic stays where it is, and so do
dependency lists, predicates and block counts. Device regions and kernels are not touched: operators nest there.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

from pto_lsp.analysis.ir.expressions import (
    Binary,
    Call,
    Cast,
    Const,
    DType,
    Enumerator,
    Expr,
    Item,
    ListExpr,
    Op,
    Submit,
    Symbol,
    TupleExpr,
    Unary,
    Var,
)
from pto_lsp.analysis.ir.place import Anchor
from pto_lsp.analysis.ir.program import Function, FunctionKind, Program
from pto_lsp.analysis.ir.statements import (
    Assign,
    Block,
    Carry,
    Evaluate,
    For,
    GraphScope,
    If,
    Opaque,
    Phi,
    Region,
    RegionKind,
    Return,
    Scope,
    Stmt,
    Unpack,
    While,
    Yield,
)
from pto_lsp.analysis.ir.visitor import left_spine
from pto_lsp.analysis.passes.facts import TEMPORARY
from pto_lsp.analysis.passes.statement_results import StatementResults

_HOST_KINDS = frozenset(
    {FunctionKind.ORCHESTRATION, FunctionKind.GRAPH, FunctionKind.OPAQUE, FunctionKind.HOST, FunctionKind.INLINE}
)


def run(program: Program) -> Program:
    """Every function that runs on the host flattened; keeps SSA form."""
    return program.with_functions({key: flatten(function) for key, function in program.functions.items()})


def flatten(function: Function, results: StatementResults | None = None) -> Function:
    """``function`` flattened; the same object when nothing was nested."""
    if function.body is None or function.kind not in _HOST_KINDS:
        return function
    body = _Flattening(function, results or StatementResults()).block(function.body)
    return function if body is function.body else replace(function, body=body)


class _Flattening:
    def __init__(self, function: Function, results: StatementResults) -> None:
        self._results = results
        self._function = function
        self._count = 0
        self._pending: list[Stmt] = []
        self._at = function.at

    @cached_property
    def _similar(self) -> frozenset[str]:
        """The names of the function that could be taken for one made here."""
        found = [p.name for p in self._function.params if p.name.startswith(TEMPORARY)]
        return frozenset(found) | self._results.temporary(self._function.body or ())

    def block(self, block: Block) -> Block:
        result: list[Stmt] = []
        changed = False
        for stmt in block:
            # Most statements are seen to be flat sooner than remembered to be.
            if _is_plain(stmt):
                result.append(stmt)
                continue
            made, count = self._known(stmt)
            changed = changed or len(made) != 1 or made[0] is not stmt
            result.extend(made)
            self._count = count
        return tuple(result) if changed else block

    def _known(self, stmt: Stmt) -> tuple[Block, int]:
        """What takes the place of ``stmt``, and the number of the last name made for it."""
        results, before = self._results, self._count
        if results.find("flat", stmt, None):
            return (stmt,), before
        known = results.find("flattened", stmt, (before, self._similar))
        if isinstance(known, tuple):
            return known
        outer, self._pending = self._pending, []
        new = self._statement(stmt)
        made: Block = (*self._pending, new)
        self._pending = outer
        if new is stmt and len(made) == 1:
            results.store("flat", stmt, None, True)
        else:
            results.store("flattened", stmt, (before, self._similar), (made, self._count))
        return made, self._count

    def _statement(self, stmt: Stmt) -> Stmt:
        self._at = stmt.at
        if isinstance(stmt, (Assign, Unpack, Evaluate)):
            value = self._operands(stmt.value)
            return stmt if value is stmt.value else replace(stmt, value=value)
        if isinstance(stmt, (Return, Yield)):
            values = self._nested_all(stmt.values)
            return stmt if values is stmt.values else replace(stmt, values=values)
        if isinstance(stmt, For):
            bounds = (stmt.start, stmt.stop, stmt.step)
            start, stop, step = new = self._nested_all(bounds)
            inits = self._nested_all(tuple([c.init for c in stmt.carries]))
            body, updates = self._body(stmt.body, tuple([c.update for c in stmt.carries]), stmt.at)
            carries = _carries(stmt.carries, inits, updates)
            if new is bounds and body is stmt.body and carries is stmt.carries:
                return stmt
            return replace(stmt, start=start, stop=stop, step=step, body=body, carries=carries)
        if isinstance(stmt, While):
            # The condition is evaluated every trip: nothing of it can be bound before the loop.
            inits = self._nested_all(tuple([c.init for c in stmt.carries]))
            body, updates = self._body(stmt.body, tuple([c.update for c in stmt.carries]), stmt.at)
            carries = _carries(stmt.carries, inits, updates)
            return stmt if body is stmt.body and carries is stmt.carries else replace(stmt, body=body, carries=carries)
        if isinstance(stmt, If):
            return self._if(stmt)
        if isinstance(stmt, Region) and stmt.kind is not RegionKind.HIERARCHY:
            return stmt
        if isinstance(stmt, (Region, GraphScope, Scope, Opaque)):
            body = self.block(stmt.body)
            return stmt if body is stmt.body else replace(stmt, body=body)
        return stmt

    def _if(self, stmt: If) -> If:
        condition = self._nested(stmt.condition)
        then, then_ends = self._body(stmt.then, tuple([p.then for p in stmt.phis]), stmt.at)
        orelse, else_ends = self._body(stmt.orelse, tuple([p.orelse for p in stmt.phis]), stmt.at)
        same = all(a is p.then and b is p.orelse for a, b, p in zip(then_ends, else_ends, stmt.phis))
        if same and condition is stmt.condition and then is stmt.then and orelse is stmt.orelse:
            return stmt
        phis = tuple([Phi(p.result, a, b) for p, a, b in zip(stmt.phis, then_ends, else_ends)])
        return If(condition, then, orelse, stmt.at, stmt.span, phis)

    def _body(self, block: Block, ends: tuple[Expr, ...], at: Anchor) -> tuple[Block, tuple[Expr, ...]]:
        """A body and what it hands on: names for the latter are bound at the body's end."""
        outer, self._pending = self._pending, []
        body = self.block(block)
        self._at = at
        new = self._nested_all(ends)
        if self._pending:
            body = (*body, *self._pending)
        self._pending = outer
        self._at = at
        return body, new

    # ---- expressions

    def _operands(self, expr: Expr) -> Expr:
        """``expr`` at the top of a statement: it may stay a call, its operands may not be calls."""
        if isinstance(expr, Op):
            args = self._nested_all(expr.args)
            return expr if args is expr.args else replace(expr, args=args)
        if isinstance(expr, (Call, Submit)):
            args = self._nested_all(expr.args)
            return expr if args is expr.args else replace(expr, args=args)
        return self._nested(expr)

    def _nested(self, expr: Expr) -> Expr:
        if isinstance(expr, (Op, Call, Submit)):
            return self._named(self._operands(expr))
        if isinstance(expr, Binary):
            spine = left_spine(expr)
            result = self._nested(spine[0].left)
            for step in spine:
                right = self._nested(step.right)
                same = result is step.left and right is step.right
                result = step if same else Binary(step.op, result, right, step.span)
            return result
        if isinstance(expr, (Unary, Cast)):
            operand = self._nested(expr.operand)
            return expr if operand is expr.operand else replace(expr, operand=operand)
        if isinstance(expr, (ListExpr, TupleExpr)):
            items = self._nested_all(expr.items)
            return expr if items is expr.items else type(expr)(items, expr.span)
        if isinstance(expr, Item):
            base = self._nested(expr.base)
            return expr if base is expr.base else Item(base, expr.index, expr.span)
        return expr

    def _nested_all(self, exprs: tuple[Expr, ...]) -> tuple[Expr, ...]:
        new = tuple([self._nested(e) for e in exprs])
        return exprs if all(a is b for a, b in zip(new, exprs)) else new

    def _named(self, value: Expr) -> Var:
        assert isinstance(value, (Op, Call, Submit))
        name = ""
        while not name or name in self._similar:
            self._count += 1
            name = f"_t{self._count}"
        var = Var(name, "", value.type, value.span)
        self._pending.append(Assign(var, value, self._at, value.span))
        return Var(name, "", value.type, value.span)


_LEAVES = frozenset({Var, Const, Symbol, DType, Enumerator})


def _is_plain(stmt: Stmt) -> bool:
    """Whether a statement has no operands but names, constants and lists of those."""
    if not isinstance(stmt, (Assign, Unpack, Evaluate)):
        return False
    value = stmt.value
    for operand in value.args if isinstance(value, (Op, Call, Submit)) else (value,):
        if type(operand) in _LEAVES:
            continue
        if not isinstance(operand, ListExpr) or not _LEAVES.issuperset(map(type, operand.items)):
            return False
    return True


def _carries(carries: tuple[Carry, ...], inits: tuple[Expr, ...], updates: tuple[Expr, ...]) -> tuple[Carry, ...]:
    if all(i is c.init and u is c.update for i, u, c in zip(inits, updates, carries)):
        return carries
    return tuple([Carry(c.inner, i, u, c.result) for c, i, u in zip(carries, inits, updates)])
