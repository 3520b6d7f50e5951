"""Copies of statements under other names."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from pto_lsp.analysis.ir.expressions import Call, Expr, Op, Submit, Unknown, Var
from pto_lsp.analysis.ir.place import Anchor, Place
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
from pto_lsp.analysis.ir.substitution import Substitution
from pto_lsp.analysis.ir.types import Type, UnknownType
from pto_lsp.analysis.ir.visitor import walk
from pto_lsp.analysis.node import node
from pto_lsp.analysis.passes.region_results import RegionResults


def _same_anchor(anchor: Anchor) -> Anchor:
    return anchor


@node
class RegionCopies:
    """Known copies of regions. ``which`` tells the copies of one region apart, anchors depend on ``call`` alone."""

    results: RegionResults
    which: object
    call: Place | None


class Renaming:
    """Copies blocks: uses and bindings of the names in ``mapping`` replaced, anchors mapped by ``anchor``.

    A binding can only be renamed to a variable; one that the mapping gives another expression keeps its name. With
    ``regions`` copies of device regions are kept from one time to the next.
    """

    def __init__(
        self,
        mapping: dict[str, Expr],
        anchor: Callable[[Anchor], Anchor] = _same_anchor,
        regions: RegionCopies | None = None,
    ) -> None:
        self._regions = regions
        self._substitution = Substitution(mapping)
        self._mapping = mapping
        self._anchor = anchor

    def block(self, block: Block) -> Block:
        return tuple([self.statement(stmt) for stmt in block])

    def expr(self, expr: Expr) -> Expr:
        return self._substitution.expr(expr)

    def type(self, type_: Type) -> Type:
        return self._substitution.type(type_)

    def var(self, var: Var) -> Var:
        """A binding of ``var``."""
        new = self._mapping.get(var.name)
        own = self._substitution.type(var.type)
        if not isinstance(new, Var):
            return var if own is var.type else Var(var.name, var.label, own, var.span)
        return Var(new.name, new.label, new.type if isinstance(own, UnknownType) else own, var.span)

    def statement(self, stmt: Stmt) -> Stmt:
        at = self._anchor(stmt.at)
        expr, exprs = self._substitution.expr, self._substitution.exprs
        if isinstance(stmt, Assign):
            return Assign(self.var(stmt.target), expr(stmt.value), at, stmt.span, stmt.annotated)
        if isinstance(stmt, Unpack):
            return Unpack(tuple([self.var(t) for t in stmt.targets]), expr(stmt.value), at, stmt.span)
        if isinstance(stmt, Evaluate):
            return Evaluate(expr(stmt.value), at, stmt.span)
        if isinstance(stmt, Return):
            return Return(exprs(stmt.values), at, stmt.span)
        if isinstance(stmt, Yield):
            return Yield(tuple([self.var(t) for t in stmt.targets]), exprs(stmt.values), at, stmt.span)
        if isinstance(stmt, For):
            start, stop, step = expr(stmt.start), expr(stmt.stop), expr(stmt.step)
            body, carries = self.block(stmt.body), self._carries(stmt.carries)
            return For(stmt.kind, self.var(stmt.var), start, stop, step, body, at, stmt.span, carries)
        if isinstance(stmt, While):
            return While(expr(stmt.condition), self.block(stmt.body), at, stmt.span, self._carries(stmt.carries))
        if isinstance(stmt, If):
            phis = tuple([Phi(self.var(p.result), expr(p.then), expr(p.orelse)) for p in stmt.phis])
            then, orelse = self.block(stmt.then), self.block(stmt.orelse)
            return If(expr(stmt.condition), then, orelse, at, stmt.span, phis)
        if isinstance(stmt, Region):
            return self._region(stmt, at) if self._regions is None else self._known_region(stmt, at, self._regions)
        if isinstance(stmt, (GraphScope, Scope)):
            return replace(stmt, body=self.block(stmt.body), at=at)
        if isinstance(stmt, Opaque):
            return Opaque(stmt.what, tuple([self.var(v) for v in stmt.binds]), at, stmt.span, self.block(stmt.body))
        assert isinstance(stmt, Jump)
        return Jump(stmt.word, at, stmt.span)

    def _known_region(self, stmt: Region, at: Anchor, regions: RegionCopies) -> Region:
        names = regions.results.facts(stmt).names
        circumstances = (tuple([self._mapping.get(n) for n in names]), regions.call)
        known = regions.results.find("renaming", stmt, circumstances, which=regions.which)
        if isinstance(known, Region):
            return known
        copy = self._region(stmt, at)
        regions.results.store("renaming", stmt, circumstances, copy, which=regions.which)
        return copy

    def _region(self, stmt: Region, at: Anchor) -> Region:
        index = None if stmt.index is None else self.var(stmt.index)
        task_id = None if stmt.task_id is None else self.var(stmt.task_id)
        options, body = self._substitution.options(stmt.options), self.block(stmt.body)
        return Region(stmt.kind, options, body, at, stmt.span, index, task_id, stmt.level)

    def _carries(self, carries: tuple[Carry, ...]) -> tuple[Carry, ...]:
        expr = self._substitution.expr
        return tuple([Carry(self.var(c.inner), expr(c.init), expr(c.update), self.var(c.result)) for c in carries])


def is_shareable(expr: Expr) -> bool:
    """Whether ``expr`` may stand in several places instead of being bound to a name: no call, no unknown part."""
    return not any(isinstance(e, (Op, Call, Submit, Unknown)) for e in walk(expr))
