"""Executes an orchestration body once, in program order, and records what it submits (semantics.md §0, §14).

Loops of constant trip count run trip by trip while that stays below a limit; any other loop runs twice, as iterations
*i* and *i+1* of a symbol. A condition that is not known runs both arms.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pto_lsp.analysis.ir.place import place
from pto_lsp.analysis.ir.program import Function, Program
from pto_lsp.analysis.ir.statements import (
    Assign,
    Block,
    Evaluate,
    For,
    If,
    Jump,
    LoopKind,
    Opaque,
    Return,
    Scope,
    ScopeMode,
    Stmt,
    Unpack,
    While,
)
from pto_lsp.analysis.ir.types import ScalarType, TensorType
from pto_lsp.analysis.passes.derive_call_directions import Directions, Launch
from pto_lsp.analysis.task_graph.evaluate import scalar_of
from pto_lsp.analysis.task_graph.interpreter import Interpreter, LimitReached
from pto_lsp.analysis.task_graph.loops import all_of, generic, loop_symbol
from pto_lsp.analysis.task_graph.merge import merge, merge_last
from pto_lsp.analysis.task_graph.model import (
    Ids,
    Iteration,
    Loop,
    Value,
    Walk,
)
from pto_lsp.analysis.task_graph.regions import View
from pto_lsp.analysis.task_graph.results import ResultSources
from pto_lsp.analysis.task_graph.scalars import (
    Scalar,
    add,
    multiply,
    of_symbol,
    substitute,
    subtract,
    symbols,
)
from pto_lsp.analysis.task_graph.walk_memo import WalkMemo

EDITOR_LIMIT = 96
VIEW_LIMIT = 4_096
"""Tasks walked one by one for a picture: beyond that it shows no more, and the time it takes grows with the square."""


def walk(
    program: Program,
    function: Function,
    statements: Sequence[Stmt],
    directions: Mapping[Launch, Directions],
    results: ResultSources,
    limit: int,
    assume: Mapping[str, int],
    memo: WalkMemo | None = None,
) -> Walk:
    """Walk ``function``, which consists of ``statements``, at any depth and in source order; loops are unrolled as far
    as that gives at most ``limit`` tasks, and not too many trips.

    ``assume`` replaces symbols in trip counts, by name: how a symbolic summary is sampled.
    """
    return _Walker(program, function, statements, directions, results, limit, assume, memo).run()


class _Walker(Interpreter):
    def run(self) -> Walk:
        parameters: dict[str, View] = {}
        for param in self.function.params:
            if isinstance(param.type, TensorType):
                where = place(param.at, param.span)
                shape, dtype = self.tensor_shape(param.type), param.type.dtype
                view = self.buffer(param.name, shape, dtype, where, direction=param.direction)
                self.env[param.name] = view
                parameters[param.name] = view[0]
            elif isinstance(param.type, ScalarType):
                self.env[param.name] = of_symbol(self.symbols.fresh(param.name))
        truncated = False
        try:
            self.run_block(self.function.body or ())
        except LimitReached:
            truncated = True
        return Walk(
            self.function,
            tuple(self.sites),
            tuple(self.tasks),
            tuple(self.control),
            tuple(self.buffers),
            tuple(self.unknown),
            self.exact and not truncated,
            truncated,
            parameters,
            self.returned,
            self.trips,
            frozenset(self.varying),
            tuple(self.slots.values()),
            tuple(self.rebound.values()),
            self.symbols,
        )

    def run_block(self, body: Block) -> None:
        for stmt in body:
            kind = type(stmt)
            self.at = stmt.at
            if kind is Assign or kind is Unpack or kind is Evaluate:
                self.run_simple(stmt)  # type: ignore[arg-type]
            elif kind is For:
                self.run_for(stmt)  # type: ignore[arg-type]
            elif isinstance(stmt, If):
                self.run_if(stmt)
            elif isinstance(stmt, Scope):
                outer = self.manual
                self.manual = outer or stmt.mode is ScopeMode.MANUAL
                self.run_block(stmt.body)
                self.manual = outer
            elif isinstance(stmt, While):
                self.run_symbolic(stmt, None, None, None)
            elif isinstance(stmt, Return):
                self.run_return(stmt)
            elif isinstance(stmt, Opaque):
                self.fog(place(stmt.at, stmt.span), stmt.what)
                self.run_block(stmt.body)
                self.bind_all(stmt.binds, None)
            elif isinstance(stmt, Jump):
                self.fog(place(stmt.at, stmt.span), stmt.word)
            else:
                self.fog(place(stmt.at, stmt.span), "unsupported statement")

    def run_if(self, stmt: If) -> None:
        condition = self.value(stmt.condition)
        if isinstance(condition, bool):
            self.run_block(stmt.then if condition else stmt.orelse)
            for phi in stmt.phis:
                self.bind(phi.result, self.value(phi.then if condition else phi.orelse))
            return
        self.exact = False
        outer = self.arms
        self.runs += 1
        number = self.runs
        found: list[list[Value]] = []
        for arm, body in enumerate((stmt.then, stmt.orelse)):
            self.arms = (*outer, (number, arm))
            self.run_block(body)
            found.append([self.value(phi.orelse if arm else phi.then) for phi in stmt.phis])
        self.arms = outer
        for phi, first, second in zip(stmt.phis, found[0], found[1]):
            self.bind(phi.result, merge(first, second))

    def run_for(self, stmt: For) -> None:
        start, stop, step = (scalar_of(self.value(e)) for e in (stmt.start, stmt.stop, stmt.step))
        if start is not None and stop is not None and isinstance(step, int) and step != 0:
            extent = subtract(stop, start)
            trips = self.symbols.divide(add(extent, step - 1 if step > 0 else step + 1), step)
            self.note_trips(stmt, trips)
            if self.assume:
                stop = add(start, multiply(self.assumed(trips), step))
        if isinstance(start, int) and isinstance(stop, int) and isinstance(step, int) and step != 0:
            values = range(start, stop, step)
            if len(values) <= self.trips_left and (self.threshold is None or len(values) <= max(self.threshold, 1)):
                self.trips_left -= len(values)
                self.run_trips(stmt, values)
                return
        self.run_symbolic(stmt, start, stop, step)

    def note_trips(self, stmt: For, trips: Scalar) -> None:
        """Remember a trip count, and whether it is another one in other iterations of the loops around."""
        if not self.iterations:
            self.settled = len(self.symbols.made)
        elif not all(self.symbols.is_settled(symbol, self.settled) for symbol in symbols(trips)):
            self.varying.add(stmt)
        if self.trips.setdefault(stmt, trips) != trips:
            self.varying.add(stmt)

    def assumed(self, trips: Scalar) -> Scalar:
        known = {s: self.assume[s.name] for s in symbols(trips) if s.name in self.assume}
        return substitute(trips, dict(known)) if known else trips

    def run_trips(self, stmt: For, trips: range) -> None:
        self.runs += 1
        run, outer = self.runs, self.iterations
        seeds = [self.value(carry.init) for carry in stmt.carries]
        current = seeds
        parallel = stmt.kind is LoopKind.PARALLEL
        gathered: list[list[Value]] = []
        for ordinal, trip in enumerate(trips):
            self.enter((*outer, Iteration(stmt, run, ordinal, True)))
            self.env[stmt.var.name] = trip
            for carry, value, seed in zip(stmt.carries, current, seeds):
                self.env[carry.inner.name] = seed if parallel and isinstance(value, Ids) else value
            self.run_block(stmt.body)
            current = [self.value(carry.update) for carry in stmt.carries]
            gathered.append(current)
        self.enter(outer)
        for index, carry in enumerate(stmt.carries):
            value = current[index]
            if parallel and isinstance(value, Ids) and gathered:
                value = all_of([each[index] for each in gathered])
            self.bind(carry.result, value)

    def run_symbolic(self, stmt: Loop, start: Scalar | None, stop: Scalar | None, step: Scalar | None) -> None:
        self.exact = False
        self.runs += 1
        run, outer = self.runs, self.iterations
        seeds = [self.value(carry.init) for carry in stmt.carries]
        parallel = isinstance(stmt, For) and stmt.kind is LoopKind.PARALLEL
        current = [generic(self.symbols, carry, seed, parallel) for carry, seed in zip(stmt.carries, seeds)]
        variable: Scalar | None = None
        if isinstance(stmt, For):
            variable = of_symbol(loop_symbol(self.symbols, stmt.var.label, start, stop, step))
        gathered: list[list[Value]] = []
        single = self.single
        # Within iteration i+1 of an enclosing loop one iteration of this one is enough: what differs between two of
        # its own iterations has been seen within iteration i.
        for ordinal in (0,) if single else (0, 1):
            self.single = single or ordinal == 1
            self.enter((*outer, Iteration(stmt, run, ordinal, False)))
            if isinstance(stmt, For):
                self.env[stmt.var.name] = variable
                if variable is not None and step is not None:
                    variable = add(variable, step)
                else:
                    variable = of_symbol(self.symbols.fresh(stmt.var.label))
            for carry, value, seed in zip(stmt.carries, current, seeds):
                self.env[carry.inner.name] = seed if parallel and isinstance(value, Ids) else value
            self.run_block(stmt.body)
            current = [self.value(carry.update) for carry in stmt.carries]
            gathered.append(current)
        self.single = single
        self.enter(outer)
        for index, carry in enumerate(stmt.carries):
            value = current[index]
            if parallel and isinstance(value, Ids):
                value = all_of([each[index] for each in gathered])
            self.bind(carry.result, merge_last(seeds[index], value))
