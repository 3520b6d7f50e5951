"""Copies of statements under other names."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from pto_lsp.analysis.ir.expressions import Call, Expr, Op, Submit, Unknown, Var
from pto_lsp.analysis.ir.node_table import NodeTable
from pto_lsp.analysis.ir.place import Anchor, Place, SourceId
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
from pto_lsp.analysis.ir.types import UNKNOWN, Type, UnknownType
from pto_lsp.analysis.ir.visitor import walk
from pto_lsp.analysis.node import node
from pto_lsp.analysis.passes.statement_results import StatementResults


def _same_anchor(anchor: Anchor) -> Anchor:
    return anchor


@node
class _Copy:
    """A copy of a statement whose facts have ``names``."""

    names: tuple[str, ...]
    made: Stmt


class _Copies:
    """All copies of one block made under ``mapping`` through ``call``, beside the statements copied. ``times`` it has
    been copied.
    """

    def __init__(self, call: Place | None) -> None:
        self.mapping: dict[str, Expr] = {}
        self.call = call
        self.times = 0
        self.made: NodeTable[_Copy] = NodeTable()


class KnownCopies:
    """Copies of the statements of one block, kept from one time to the next.

    The function ``place`` and ``which`` tell where the copies go; anchors depend on ``call`` alone. The copy of a
    statement is known while the names in it stand for the same.
    """

    def __init__(self, results: StatementResults, place: SourceId, which: object, call: Place | None) -> None:
        self._results = results
        known = results.standing("copies", place, which)
        if not isinstance(known, _Copies) or not results.same(known.call, call):
            known = _Copies(call)
            results.put("copies", place, which, known)
        self._copies = known

    def begin(self, mapping: dict[str, Expr]) -> None:
        """The block is copied under ``mapping`` from now on."""
        copies = self._copies
        before, same = copies.mapping, self._results.same
        # Nodes are equal when they are the same, which most of them are.
        if before != mapping:
            changed = {name for name in before.keys() | mapping.keys() if not same(before.get(name), mapping.get(name))}
            if changed:
                copies.made.retain(lambda copy: changed.isdisjoint(copy.names))
        copies.mapping = mapping
        copies.times += 1

    def earlier(self, name: str, value: Expr) -> Expr:
        """``value``, as the same object as last time when ``name`` stood for the same then."""
        before = self._copies.mapping.get(name)
        return before if before is not None and self._results.same(before, value) else value

    def local(self, name: str, var: str, label: str) -> Var:
        """A variable ``var`` of the copy for ``name``, the same object as last time."""
        before = self._copies.mapping.get(name)
        if type(before) is Var and before.name == var and before.label == label and before.type is UNKNOWN:
            return before
        return Var(var, label)

    @property
    def kept(self) -> bool:
        """There may be a next time."""
        return self._results.edits

    @property
    def again(self) -> bool:
        """The block is not copied for the first time."""
        return self._copies.times > 1

    def get(self, stmt: Stmt) -> Stmt | None:
        copy = self._copies.made.get(stmt)
        return None if copy is None else copy.made

    def put(self, stmt: Stmt, made: Stmt) -> None:
        self._copies.made.put(stmt, _Copy(self._results.facts(stmt).names, made))


class Renaming:
    """Copies blocks: uses and bindings of the names in ``mapping`` replaced, anchors mapped by ``anchor``.

    A binding can only be renamed to a variable; one that the mapping gives another expression keeps its name. With
    ``known`` copies are kept from one time to the next.
    """

    def __init__(
        self,
        mapping: dict[str, Expr],
        anchor: Callable[[Anchor], Anchor] = _same_anchor,
        known: KnownCopies | None = None,
    ) -> None:
        self._known = known if known is not None and known.kept else None
        self._substitution = Substitution(mapping)
        self._mapping = mapping
        self._anchor = anchor
        if known is not None:
            known.begin(mapping)

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
        known = self._known
        if known is None:
            return self._copy(stmt)
        made = known.get(stmt)
        if made is None:
            if isinstance(stmt, Region) and not known.again:
                # What nobody has edited is not worth being known statement by statement.
                self._known = None
            made = self._copy(stmt)
            self._known = known
            known.put(stmt, made)
        return made

    def _copy(self, stmt: Stmt) -> Stmt:
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
            return self._region(stmt, at)
        if isinstance(stmt, (GraphScope, Scope)):
            return replace(stmt, body=self.block(stmt.body), at=at)
        if isinstance(stmt, Opaque):
            return Opaque(stmt.what, tuple([self.var(v) for v in stmt.binds]), at, stmt.span, self.block(stmt.body))
        assert isinstance(stmt, Jump)
        return Jump(stmt.word, at, stmt.span)

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
