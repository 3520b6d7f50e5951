"""ConvertToSSA: every name bound once, rebinding in loops and branches made explicit (rules.md S3).

A name assigned in a loop body becomes a ``Carry`` when a later trip or the code after the loop reads it; a name
assigned in an arm of an ``if`` becomes a ``Phi`` when the code after it reads it (surface.md §4: such names leak).
The ``as`` target of a region never leaves the loop or branch it stands in (semantics.md 8.12a). Explicit
``init_values=`` and ``pl.yield_`` become carries and phis too; no Yield is left.

Names: the first binding keeps the name, later ones get ``name.1``, ``name.2`` … Labels stay. A use whose value is
missing on some path (a name bound in one arm only, a loop that may not run) gets ``Unknown`` there.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import replace

from pto_lsp.analysis.ir.expressions import Expr, Unknown, Var
from pto_lsp.analysis.ir.program import Function, Program
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
    Return,
    Scope,
    Stmt,
    Unpack,
    While,
    Yield,
)
from pto_lsp.analysis.ir.substitution import Substitution
from pto_lsp.analysis.ir.types import UNKNOWN, Type, UnknownType, is_scalar
from pto_lsp.analysis.ir.uses import names_of
from pto_lsp.analysis.ir.visitor import has_jump
from pto_lsp.analysis.passes.liveness import EffectsTable, branch_results, loop_results, trailing_yield
from pto_lsp.analysis.passes.reruns import UNRECORDED, Reruns, Run, State, States
from pto_lsp.analysis.passes.statement_results import StatementResults

UNBOUND = "unbound"
"""``Unknown.what`` of a value that is missing on some path."""

_COMPOUND = (For, While, If, Region, GraphScope, Scope, Opaque)


def run(program: Program) -> Program:
    """Every function with a body in SSA form."""
    return program.with_functions({key: convert(function) for key, function in program.functions.items()})


def convert(function: Function) -> Function:
    """``function`` in SSA form; the same object when it has no body."""
    return convert_again(function, StatementResults(), None)[0]


def convert_again(function: Function, results: StatementResults, last: Run | None) -> tuple[Function, Run | None]:
    """`convert`, beside the ``last`` run over a former version of the function; returns the run as well."""
    if function.body is None:
        return function, None
    converter = _Converter(function, results, last)
    body = converter.body(function.body)
    return function if body is function.body else replace(function, body=body), converter.run


class _Converter:
    """Renames forward; what has to be carried or joined is known beforehand from ``EffectsTable``."""

    def __init__(self, function: Function, results: StatementResults, last: Run | None) -> None:
        self._reruns = Reruns(results, last, function.kind.is_kernel)
        self._current: dict[str, Expr] = {p.name: Var(p.name, p.name, p.type, p.name_span) for p in function.params}
        self._versions: dict[str, int] = dict.fromkeys(self._current, 0)
        self._substitution = Substitution(self._current)
        self._effects = EffectsTable(results)

    def body(self, block: Block) -> Block:
        return self._block(block, set())

    @property
    def run(self) -> Run:
        """The run over the body, once that is done."""
        return self._reruns.made[0] if self._reruns.made else UNRECORDED

    # ---- states, for `Reruns`

    def known(self) -> Set[str]:
        # What has a value has a version.
        return self._versions.keys()

    def state(self, name: str) -> State:
        return (self._current.get(name), self._versions.get(name))

    def restore(self, states: States) -> None:
        values, versions = self._current, self._versions
        for name, (current, version) in states:
            if current is None:
                values.pop(name, None)
            else:
                values[name] = current  # type: ignore[assignment]
            if version is not None:
                versions[name] = version  # type: ignore[assignment]

    def work(self, stmt: Stmt, wanted: object) -> Stmt | tuple[Stmt, ...]:
        if isinstance(stmt, _COMPOUND):
            return self._compound(stmt, wanted)  # type: ignore[arg-type]
        return self._simple(stmt)

    # ---- names

    def _bind(self, var: Var, type_: Type = UNKNOWN) -> Var:
        """A fresh version of ``var``, made current; ``type_`` is that of its value, for a name without one."""
        name = var.name
        version = self._versions.get(name)
        if version is None:
            self._versions[name] = 0
            unique = name
        else:
            self._versions[name] = version + 1
            unique = f"{name}.{version + 1}"
        own = self._substitution.type(var.type)
        fresh = Var(unique, var.label, type_ if isinstance(own, UnknownType) else own, var.span)
        self._current[name] = fresh
        return fresh

    def _value(self, name: str) -> Expr:
        return self._current.get(name) or Unknown(UNBOUND)

    def _saved(self, names: set[str]) -> dict[str, Expr | None]:
        return {name: self._current.get(name) for name in names}

    def _restore(self, saved: dict[str, Expr | None], keep_unbound: bool = True) -> None:
        """Put the outer versions back.

        A name without one keeps its inner version, so that a later use of a name whose scope has closed still says
        which binding it meant.
        """
        for name, value in saved.items():
            if value is not None:
                self._current[name] = value
            elif not keep_unbound:
                self._current.pop(name, None)

    # ---- statements

    def _block(self, block: Block, live: set[str]) -> Block:
        """``live`` are the names whose values are needed after the block; only those bound in it matter."""
        after = self._live_as_before(block, live)
        if after is None:
            after = self._live_after(block, live)
        return self._reruns.block(self, block, None, lambda stmt: after.get(id(stmt)), live)

    def _live_as_before(self, block: Block, live: set[str]) -> dict[int, object] | None:
        """`_live_after` as it was in the last run, where every statement reads and binds the same names as then."""
        last = self._reruns.last()
        if last is None or last.given != live or len(last.steps) != len(block):
            return None
        effects = self._effects.statement
        for step, stmt in zip(last.steps, block):
            before = step.stmt
            if before is stmt:
                continue
            if type(before) is not type(stmt) or not effects(before, True).agrees(effects(stmt, True)):
                return None
        return {id(stmt): step.wanted for step, stmt in zip(last.steps, block) if step.wanted is not None}

    def _live_after(self, block: Block, live: set[str]) -> dict[int, object]:
        """For each compound statement, the names it may bind that are read after it."""
        if not any(isinstance(stmt, _COMPOUND) for stmt in block):
            return {}
        found: dict[int, object] = {}
        needed = set(live)
        for stmt in reversed(block):
            effects = self._effects.statement(stmt, self._reruns.recording)
            if isinstance(stmt, _COMPOUND):
                found[id(stmt)] = needed.intersection(effects.leaking)
            needed.difference_update(effects.certain)
            needed.update(effects.exposed)
        return found

    def _simple(self, stmt: Stmt) -> Stmt | tuple[Stmt, ...]:
        renamed = self._substitution
        if isinstance(stmt, Assign):
            value = renamed.expr(stmt.value)
            target = self._bind(stmt.target, _type_of(value))
            return Assign(target, value, stmt.at, stmt.span, stmt.annotated)
        if isinstance(stmt, Unpack):
            value = renamed.expr(stmt.value)
            return Unpack(tuple([self._bind(t) for t in stmt.targets]), value, stmt.at, stmt.span)
        if isinstance(stmt, Evaluate):
            value = renamed.expr(stmt.value)
            return stmt if value is stmt.value else Evaluate(value, stmt.at, stmt.span)
        if isinstance(stmt, Return):
            values = renamed.exprs(stmt.values)
            return stmt if values is stmt.values else Return(values, stmt.at, stmt.span)
        if isinstance(stmt, Yield):
            # One that ends no loop or branch joins nothing: plain bindings.
            values = renamed.exprs(stmt.values)
            return tuple(
                [Assign(self._bind(t, _type_of(v)), v, stmt.at, stmt.span) for t, v in zip(stmt.targets, values)]
            )
        return stmt

    def _compound(self, stmt: Stmt, live: set[str]) -> Stmt | tuple[Stmt, ...]:
        if isinstance(stmt, For):
            return self._for(stmt, live)
        if isinstance(stmt, While):
            return self._while(stmt, live)
        if isinstance(stmt, If):
            return self._if(stmt, live)
        if isinstance(stmt, Region):
            return self._region(stmt, live)
        if isinstance(stmt, (GraphScope, Scope)):
            body = self._block(stmt.body, live)
            return stmt if body is stmt.body else replace(stmt, body=body)
        assert isinstance(stmt, Opaque)
        return self._opaque(stmt, live)

    def _for(self, stmt: For, live: set[str]) -> For:
        renamed = self._substitution
        start, stop, step = renamed.expr(stmt.start), renamed.expr(stmt.stop), renamed.expr(stmt.step)
        frame = _LoopFrame(self, stmt, live, {stmt.var.name})
        frame.enter()
        var = self._bind(stmt.var)
        body = self._block(_without_yield(stmt.body), frame.needed)
        carries = frame.leave()
        return For(stmt.kind, var, start, stop, step, body, stmt.at, stmt.span, carries)

    def _while(self, stmt: While, live: set[str]) -> While:
        frame = _LoopFrame(self, stmt, live, set())
        frame.enter()
        condition = self._substitution.expr(stmt.condition)
        body = self._block(_without_yield(stmt.body), frame.needed)
        carries = frame.leave()
        return While(condition, body, stmt.at, stmt.span, carries)

    def _if(self, stmt: If, live: set[str]) -> If:
        condition = self._substitution.expr(stmt.condition)
        then_effects, else_effects = self._effects.block(stmt.then), self._effects.block(stmt.orelse)
        explicit = branch_results(stmt)
        results = {v.name for v in explicit}
        yields = trailing_yield(stmt.then), trailing_yield(stmt.orelse)
        joined = [n for n in {**then_effects.leaking, **else_effects.leaking} if n in live and n not in results]
        if explicit or any(yields):
            # With yields nothing else leaks (surface.md §4), but an outer name can still be rebound.
            joined = [n for n in joined if n in self._current]
        bound = then_effects.certain | else_effects.certain
        saved = self._saved(bound.union(then_effects.leaking, else_effects.leaking))
        needed = set(joined)
        then_reads, else_reads = _end_reads(stmt, yields)
        then = self._block(_without_yield(stmt.then), needed | then_reads)
        then_values = [self._value(n) for n in joined]
        then_explicit = self._arm_values(stmt, explicit, yields[0], 0)
        inner = {n: self._current[n] for n, value in saved.items() if value is None and n in self._current}
        self._restore(saved, keep_unbound=False)
        orelse = self._block(_without_yield(stmt.orelse), needed | else_reads)
        else_values = [self._value(n) for n in joined]
        else_explicit = self._arm_values(stmt, explicit, yields[1], 1)
        self._restore(saved)
        for name, value in inner.items():
            self._current.setdefault(name, value)
        phis: list[Phi] = []
        for var, then_value, else_value in zip(explicit, then_explicit, else_explicit):
            phis.append(Phi(self._bind(var, _type_of(then_value)), then_value, else_value))
        for name, then_value, else_value in zip(joined, then_values, else_values):
            model = _model(name, then_value, else_value)
            phis.append(Phi(self._bind(model), then_value, else_value))
        return If(condition, then, orelse, stmt.at, stmt.span, tuple(phis))

    def _arm_values(self, stmt: If, explicit: tuple[Var, ...], end: Yield | None, arm: int) -> list[Expr]:
        """What an explicit phi gets from one arm, in the names current at the arm's end."""
        if end is not None:
            values: tuple[Expr, ...] = end.values
        else:
            values = tuple([p.orelse if arm else p.then for p in stmt.phis])
        values = self._substitution.exprs(values)
        return [values[i] if i < len(values) else Unknown(UNBOUND) for i in range(len(explicit))]

    def _region(self, stmt: Region, live: set[str]) -> Region:
        # Dependencies and block counts are evaluated before the region: ``deps=[t]`` … ``as t`` reads the old ``t``.
        options = self._substitution.options(stmt.options)
        index = stmt.index
        saved: dict[str, Expr | None] = {}
        if index is not None:
            saved = self._saved({index.name})
            index = self._bind(index)
        body = self._block(stmt.body, live)
        if stmt.index is not None and stmt.index.name not in self._effects.block(stmt.body).leaking:
            self._restore(saved)
        task_id = None if stmt.task_id is None else self._bind(stmt.task_id)
        return Region(stmt.kind, options, body, stmt.at, stmt.span, index, task_id, stmt.level)

    def _opaque(self, stmt: Opaque, live: set[str]) -> Opaque:
        effects = self._effects.block(stmt.body)
        body = self._block(stmt.body, live & effects.leaking.keys())
        binds = [self._bind(v) for v in stmt.binds]
        bound = {v.name for v in stmt.binds}
        # Whether the body ran is not known either: what it may have left behind is a value of the statement itself.
        for name in effects.leaking:
            if name in live and name not in bound:
                value = self._value(name)
                label = value.label if isinstance(value, Var) else name
                binds.append(self._bind(Var(name, label)))
        return Opaque(stmt.what, tuple(binds), stmt.at, stmt.span, body)


class _LoopFrame:
    """The carries of one loop: chosen and bound on ``enter``, closed on ``leave``."""

    def __init__(self, converter: _Converter, stmt: For | While, live: set[str], bound: set[str]) -> None:
        self._converter = converter
        self._stmt = stmt
        self._end = trailing_yield(stmt.body)
        self._results = loop_results(stmt)
        body = converter._effects.block(stmt.body)
        exposed = body.exposed
        if isinstance(stmt, While):
            exposed = exposed.union(converter._effects.statement(stmt).exposed)
        inner = {c.inner.name for c in stmt.carries}
        own = bound | inner | {v.name for v in self._results}
        names = [n for n in body.leaking if (n in live or n in exposed) and n not in own]
        if self._end is not None or stmt.carries:
            names = [n for n in names if n in converter._current]
        self._names = names
        ends = self._end.values if self._end is not None else tuple([c.update for c in stmt.carries])
        self.needed = set(names).union(*[names_of(e) for e in ends])
        self._bound = body.certain | body.leaking.keys() | bound | inner
        self._jumps = has_jump(stmt.body)

    def enter(self) -> None:
        converter = self._converter
        self._explicit_inits = [converter._substitution.expr(c.init) for c in self._stmt.carries]
        self._inits = [converter._value(n) for n in self._names]
        self._saved = converter._saved(self._bound)
        self._explicit_inner = [
            converter._bind(c.inner, _type_of(init)) for c, init in zip(self._stmt.carries, self._explicit_inits)
        ]
        self._inner = [converter._bind(_model(name, init)) for name, init in zip(self._names, self._inits)]

    def leave(self) -> tuple[Carry, ...]:
        converter = self._converter
        if self._end is not None:
            ends: tuple[Expr, ...] = self._end.values
        else:
            ends = tuple([c.update for c in self._stmt.carries])
        ends = converter._substitution.exprs(ends)
        updates = [converter._value(n) for n in self._names]
        converter._restore(self._saved)
        carries: list[Carry] = []
        for i, (inner, init) in enumerate(zip(self._explicit_inner, self._explicit_inits)):
            update = ends[i] if i < len(ends) else Unknown(UNBOUND)
            model = self._results[i] if i < len(self._results) else inner
            result = converter._bind(model, _type_of(update))
            carries.append(Carry(inner, init, self._end_value(update), result))
        for name, inner, init, update in zip(self._names, self._inner, self._inits, updates):
            result = converter._bind(_model(name, init, update))
            carries.append(Carry(inner, init, self._end_value(update), result))
        return tuple(carries)

    def _end_value(self, update: Expr) -> Expr:
        """A ``break`` or ``continue`` may hand on another version; versions of a tensor share their buffer."""
        if self._jumps and isinstance(update, Var) and is_scalar(update.type):
            return Unknown("value at a break or continue", (update,))
        return update


def _model(name: str, *values: Expr) -> Var:
    """What a join of ``values`` looks like: the author's label, the first known type."""
    label = name.split("@", 1)[0]
    type_: Type = UNKNOWN
    span = None
    for value in values:
        if isinstance(value, Var):
            label = value.label
            span = span or value.span
            if isinstance(type_, UnknownType):
                type_ = value.type
    return Var(name, label, type_, span) if span is not None else Var(name, label, type_)


def _type_of(expr: Expr) -> Type:
    return getattr(expr, "type", UNKNOWN)


def _without_yield(block: Block) -> Block:
    end = trailing_yield(block)
    if end is None:
        return block
    last = block[-1]
    if last is end:
        return block[:-1]
    assert isinstance(last, Scope)
    return (*block[:-1], replace(last, body=_without_yield(last.body)))


def _end_reads(stmt: If, yields: tuple[Yield | None, Yield | None]) -> tuple[set[str], set[str]]:
    """Names that the explicit joins of an ``if`` read at the end of each arm."""
    then: set[str] = set().union(*[names_of(p.then) for p in stmt.phis])
    orelse: set[str] = set().union(*[names_of(p.orelse) for p in stmt.phis])
    for end, names in zip(yields, (then, orelse)):
        if end is not None:
            names.update(*[names_of(v) for v in end.values])
    return then, orelse
