"""Which names a statement reads before binding, and which it binds: the ground of SSA construction.

Works on IR whose variables are identified by ``Var.name`` and may be bound several times.
"""

from __future__ import annotations

from dataclasses import dataclass

from pto_lsp.analysis.ir.expressions import Expr, LaunchOptions, Var
from pto_lsp.analysis.ir.statements import (
    Assign,
    Block,
    Evaluate,
    For,
    GraphScope,
    If,
    Jump,
    Opaque,
    Region,
    Return,
    Scope,
    Stmt,
    Unpack,
    While,
    Yield,
)
from pto_lsp.analysis.ir.uses import names_of
from pto_lsp.analysis.ir.visitor import option_exprs
from pto_lsp.analysis.node import node
from pto_lsp.analysis.passes.statement_results import StatementResults


@dataclass(slots=True)
class BlockEffects:
    """``exposed``: read before any binding that is certain. ``certain``: bound on every path through.

    ``leaking``: bound on some path and visible after an enclosing loop or branch (surface.md §4), in order of first
    binding. A name that is certain but not leaking is the ``as`` target of a region: it dies with the loop or branch
    body it stands in (semantics.md 8.12a).
    """

    exposed: set[str]
    certain: set[str]
    leaking: dict[str, None]


@node
class Effects:
    """Those of one statement, as `BlockEffects` has them. Many are kept, most of few names: sets take ten times as
    much.
    """

    exposed: tuple[str, ...]
    certain: tuple[str, ...]
    leaking: tuple[str, ...]

    def agrees(self, other: Effects) -> bool:
        """Whether both have the same names; they may stand in another order."""
        return all(
            left == right or set(left) == set(right)
            for left, right in (
                (self.exposed, other.exposed),
                (self.certain, other.certain),
                (self.leaking, other.leaking),
            )
        )


class EffectsTable:
    """Effects of blocks and statements, each computed once, bottom up."""

    def __init__(self, results: StatementResults | None = None) -> None:
        self._results = results
        # The keys are identities: each entry keeps its block or statement alive, so that no key is used again.
        self._of_statement: dict[int, tuple[Stmt, Effects]] = {}
        self._of_block: dict[int, tuple[Block, BlockEffects]] = {}

    def block(self, block: Block) -> BlockEffects:
        found = self._of_block.get(id(block))
        if found is not None:
            return found[1]
        exposed: set[str] = set()
        certain: set[str] = set()
        leaking: dict[str, None] = {}
        for stmt in block:
            effects = self.statement(stmt)
            exposed.update([name for name in effects.exposed if name not in certain])
            certain.update(effects.certain)
            leaking.update(dict.fromkeys(effects.leaking))
        result = BlockEffects(exposed, certain, leaking)
        self._of_block[id(block)] = (block, result)
        return result

    def statement(self, stmt: Stmt, keep: bool = False) -> Effects:
        """``keep``: for the next time too, as those of regions are in any case."""
        found = self._of_statement.get(id(stmt))
        if found is None:
            results = self._results if keep or isinstance(stmt, Region) else None
            known = None if results is None else results.find("effects", stmt, None)
            effects = known if isinstance(known, Effects) else self._simple(stmt) or self._compound(stmt)
            if results is not None and known is None:
                results.store("effects", stmt, None, effects)
            found = self._of_statement[id(stmt)] = (stmt, effects)
        return found[1]

    def _simple(self, stmt: Stmt) -> Effects | None:
        """The effects of a statement without bodies."""
        if isinstance(stmt, Assign):
            target = (stmt.target.name,)
            return Effects(tuple(names_of(stmt.value)), target, target)
        if isinstance(stmt, Unpack):
            bound = tuple(dict.fromkeys([t.name for t in stmt.targets]))
            return Effects(tuple(names_of(stmt.value)), bound, bound)
        if isinstance(stmt, Evaluate):
            return Effects(tuple(names_of(stmt.value)), (), ())
        if isinstance(stmt, (Return, Yield)):
            exposed: set[str] = set()
            for value in stmt.values:
                exposed |= names_of(value)
            return Effects(tuple(exposed), (), ())
        return Effects((), (), ()) if isinstance(stmt, Jump) else None

    def _compound(self, stmt: Stmt) -> Effects:
        found = self._of_bodies(stmt)
        return Effects(tuple(found.exposed), tuple(found.certain), tuple(found.leaking))

    def _of_bodies(self, stmt: Stmt) -> BlockEffects:
        if isinstance(stmt, For):
            return self._loop(stmt, (stmt.start, stmt.stop, stmt.step), {stmt.var.name}, ())
        if isinstance(stmt, While):
            return self._loop(stmt, (), set(), (stmt.condition,))
        if isinstance(stmt, If):
            return self._branch(stmt)
        if isinstance(stmt, Region):
            return self._region(stmt)
        if isinstance(stmt, (GraphScope, Scope)):
            return self.block(stmt.body)
        assert isinstance(stmt, Opaque)
        inner = self.block(stmt.body)
        leaking = dict.fromkeys([v.name for v in stmt.binds])
        leaking.update(inner.leaking)
        return BlockEffects(inner.exposed, set(), leaking)

    def _loop(
        self, stmt: For | While, header: tuple[Expr, ...], bound: set[str], per_trip: tuple[Expr, ...]
    ) -> BlockEffects:
        body = self.block(stmt.body)
        exposed = set(body.exposed)
        for expr in per_trip:
            exposed |= names_of(expr)
        for carry in stmt.carries:
            exposed |= names_of(carry.update) - body.certain
        exposed -= bound
        exposed.difference_update([c.inner.name for c in stmt.carries])
        for expr in header:
            exposed |= names_of(expr)
        for carry in stmt.carries:
            exposed |= names_of(carry.init)
        results = dict.fromkeys([v.name for v in loop_results(stmt)])
        leaking = {name: None for name in body.leaking if name not in bound}
        leaking.update(results)
        return BlockEffects(exposed, set(results), leaking)

    def _branch(self, stmt: If) -> BlockEffects:
        then, orelse = self.block(stmt.then), self.block(stmt.orelse)
        leaking = {**then.leaking, **orelse.leaking}
        certain = {name for name in then.certain & orelse.certain if name in leaking}
        exposed = names_of(stmt.condition) | then.exposed | orelse.exposed
        for phi in stmt.phis:
            exposed |= names_of(phi.then) - then.certain
            exposed |= names_of(phi.orelse) - orelse.certain
        for result in branch_results(stmt):
            leaking[result.name] = None
            certain.add(result.name)
        return BlockEffects(exposed, certain, leaking)

    def _region(self, stmt: Region) -> BlockEffects:
        body = self.block(stmt.body)
        exposed = set(body.exposed)
        if stmt.index is not None:
            exposed.discard(stmt.index.name)
        exposed |= option_names(stmt.options)
        certain = body.certain
        if stmt.task_id is not None:
            certain = certain | {stmt.task_id.name}
        return BlockEffects(exposed, certain, body.leaking)


def option_names(options: LaunchOptions) -> set[str]:
    """Names of the variables the options of a region read."""
    found: set[str] = set()
    for expr in option_exprs(options):
        found |= names_of(expr)
    for keyword in options.keywords:
        found |= names_of(keyword.value)
    return found


def trailing_yield(block: Block) -> Yield | None:
    """The ``pl.yield_`` that ends a body, looked for inside a trailing runtime scope as well."""
    while block:
        last = block[-1]
        if isinstance(last, Yield):
            return last
        if not isinstance(last, Scope):
            return None
        block = last.body
    return None


def loop_results(stmt: For | While) -> tuple[Var, ...]:
    """Names of explicitly carried values after the loop: the targets of the yield, else the carries' results."""
    end = trailing_yield(stmt.body)
    if end is not None and end.targets:
        return end.targets
    return tuple([c.result for c in stmt.carries])


def branch_results(stmt: If) -> tuple[Var, ...]:
    """Names that an explicit yield (or an earlier SSA construction) gives to the values of an ``if``."""
    end = trailing_yield(stmt.then) or trailing_yield(stmt.orelse)
    if end is not None and end.targets:
        return end.targets
    return tuple([p.result for p in stmt.phis])
