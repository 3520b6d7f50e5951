"""Executes an orchestration body once, in program order, and records what it submits (semantics.md §0, §14).

Loops of constant trip count run trip by trip while that stays below a limit; any other loop runs twice, as iterations
*i*
and *i+1* of a symbol. A condition that is not known runs both arms.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Union

from pto_lsp.analysis.ir import expressions as ir
from pto_lsp.analysis.ir.place import Place, place
from pto_lsp.analysis.ir.program import Direction, Function, FunctionKind, Program
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
    Unpack,
    While,
)
from pto_lsp.analysis.ir.types import ScalarType, TensorType
from pto_lsp.analysis.passes.derive_call_directions import Directions, Launch
from pto_lsp.analysis.task_graph.evaluate import Evaluator, scalar_of
from pto_lsp.analysis.task_graph.launch import Launcher
from pto_lsp.analysis.task_graph.loops import all_of, generic, loop_symbol
from pto_lsp.analysis.task_graph.merge import merge, merge_last
from pto_lsp.analysis.task_graph.model import (
    ANY_TASK,
    ControlAccess,
    IdArray,
    Ids,
    Iteration,
    Loop,
    Rebound,
    SlotError,
    Task,
    TupleValue,
    Unknown,
    Value,
    Walk,
)
from pto_lsp.analysis.task_graph.regions import ALLOCATION, Buffer, View, whole
from pto_lsp.analysis.task_graph.results import ResultSources
from pto_lsp.analysis.task_graph.scalars import (
    Poly,
    Scalar,
    add,
    bounds,
    multiply,
    of_symbol,
    substitute,
    subtract,
    symbols,
)
from pto_lsp.analysis.task_graph.sites import collect, launch_of, unroll_threshold

EDITOR_LIMIT = 96
HARD_LIMIT = 40_000


class _Stop(Exception):
    """The hard limit of tasks was reached."""


def walk(
    program: Program,
    function: Function,
    directions: Mapping[Launch, Directions],
    results: ResultSources,
    limit: int,
    assume: Mapping[str, int],
) -> Walk:
    """Walk ``function``; loops are unrolled as far as that gives at most ``limit`` tasks.

    ``assume`` replaces symbols in trip counts, by name: how a symbolic summary is sampled.
    """
    return _Walker(program, function, directions, results, limit, assume).run()


class _Walker(Evaluator):
    def __init__(
        self,
        program: Program,
        function: Function,
        directions: Mapping[Launch, Directions],
        results: ResultSources,
        limit: int,
        assume: Mapping[str, int],
    ) -> None:
        super().__init__(function.at)
        self.program = program
        self.function = function
        self.sites = collect(program, function)
        self.site_of = {id(site.statement): site for site in self.sites}
        self.threshold = unroll_threshold(self.sites, limit)
        self.assume = assume
        self.trips: dict[Loop, Scalar] = {}
        self.slots: dict[int, SlotError] = {}
        self.rebound: dict[int, Rebound] = {}
        self.outputs = {p.name: p for p in function.params if p.direction is not Direction.IN}
        self.in_source = True
        self.launcher = Launcher(self, directions, results)
        self.tasks: list[Task] = []
        self.control: list[ControlAccess] = []
        self.buffers: list[Buffer] = []
        self.unknown: list[Unknown] = []
        self.iterations: tuple[Iteration, ...] = ()
        self.arms: tuple[tuple[int, int], ...] = ()
        self.manual = False
        self.epoch = 0
        self.exact = True
        self.single = False
        self.runs = 0
        self.returned: tuple[View, ...] = ()

    def run(self) -> Walk:
        parameters: dict[str, View] = {}
        for param in self.function.params:
            if isinstance(param.type, TensorType):
                where = place(param.at, param.span)
                shape, dtype = self.tensor_shape(param.type), param.type.dtype
                buffer = Buffer(len(self.buffers), param.name, shape, dtype, where, None, param.direction)
                self.buffers.append(buffer)
                self.env[param.name] = (whole(buffer),)
                parameters[param.name] = whole(buffer)
            elif isinstance(param.type, ScalarType):
                self.env[param.name] = of_symbol(self.symbols.fresh(param.name))
        truncated = False
        try:
            self.run_block(self.function.body or ())
        except _Stop:
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
            tuple(self.slots.values()),
            tuple(self.rebound.values()),
            self.symbols,
        )

    def buffer(
        self,
        label: str,
        shape: tuple[Scalar, ...] | None,
        dtype: str,
        at: Place | None,
        owner: int | None = None,
        manual_dep: bool = False,
    ) -> Buffer:
        made = Buffer(len(self.buffers), label, shape, dtype, at, owner, None, manual_dep)
        self.buffers.append(made)
        return made

    def fog(self, where: Place, why: str) -> None:
        """Something here was not understood: tasks may be submitted, orders may exist."""
        self.unknown.append(Unknown(where, why))
        self.epoch += 1
        self.exact = False

    # -- statements ----------------------------------------------------------------------------------------------

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

    def run_simple(self, stmt: Union[Assign, Unpack, Evaluate]) -> None:
        value = stmt.value
        if launch_of(stmt) is not None:
            self.run_launch(stmt)
            return
        result: Value
        if isinstance(value, ir.Op):
            # A buffer the passes made for a region's result takes the name of that result.
            self.in_source = value.name != "tensor.create" or value.span != stmt.span
            result = self.run_op(value, stmt)
        else:
            self.in_source = True
            result = self.value(value)
        if isinstance(stmt, Assign):
            self.bind(stmt.target, result)
        elif isinstance(stmt, Unpack):
            items = result.items if isinstance(result, TupleValue) and len(result.items) == len(stmt.targets) else None
            self.bind_all(stmt.targets, items)

    def bind(self, target: ir.Var, value: Value) -> None:
        if value is None and isinstance(target.type, ScalarType):
            value = ANY_TASK if target.type.is_task_id else of_symbol(self.symbols.fresh(target.label))
        # A name with "@" belongs to a spliced helper.
        if type(value) is tuple and target.label in self.outputs and "@" not in target.name:
            self.check_rebound(target, value)
        self.env[target.name] = value

    def check_rebound(self, target: ir.Var, value: tuple[View, ...]) -> None:
        """Remember when the name of an output parameter goes to another buffer (TG121)."""
        mine = self.env.get(target.label)
        if self.at.inlined_at is None and self.in_source and isinstance(mine, tuple) and id(target) not in self.rebound:
            buffers = {view.buffer for view in mine}
            if not any(view.buffer in buffers for view in value):
                self.rebound[id(target)] = Rebound(place(self.at, target.span), target.label)

    def bind_all(self, targets: Iterable[ir.Var], items: tuple[Value, ...] | None) -> None:
        for index, target in enumerate(targets):
            self.bind(target, None if items is None else items[index])

    def run_op(self, op: ir.Op, stmt: Union[Assign, Unpack, Evaluate]) -> Value:
        name = op.name
        where = place(stmt.at, op.span)
        if name == "tensor.create":
            label = stmt.target.label if isinstance(stmt, Assign) else ""
            manual_dep, dtype = False, ""
            for keyword in op.keywords:
                if keyword.name == "manual_dep":
                    manual_dep = self.value(keyword.value) is True
                elif keyword.name == "dtype" and isinstance(keyword.value, ir.DType):
                    dtype = keyword.value.name
            shape = self.scalars(op.args[0]) if op.args else None
            return (whole(self.buffer(label, shape, dtype, where, ALLOCATION, manual_dep)),)
        if name == "array.create":
            extent = self.value(op.args[0]) if op.args else None
            label = stmt.target.label if isinstance(stmt, Assign) else ""
            return IdArray(label, extent if type(extent) is int else None, where)
        if name in ("tensor.read", "tensor.write"):
            views = self.value(op.args[0]) if op.args else None
            self.control.append(
                ControlAccess(
                    len(self.tasks),
                    name == "tensor.write",
                    views if isinstance(views, tuple) else (),
                    op,
                    where,
                    self.iterations,
                    self.arms,
                )
            )
            return views if name == "tensor.write" else None
        return self.op(op)

    def op(self, expr: ir.Op) -> Value:
        if expr.name.startswith("array.") and len(expr.args) > 1:
            self.check_slot(expr)
        return super().op(expr)

    def check_slot(self, expr: ir.Op) -> None:
        """Remember an index that is outside its array (§8.5a)."""
        array, index = self.value(expr.args[0]), scalar_of(self.value(expr.args[1]))
        if not isinstance(array, IdArray) or array.extent is None or index is None or id(expr) in self.slots:
            return
        low, high = bounds(index)
        last = self.iterations and not self.iterations[-1].exact and self.iterations[-1].ordinal == 1
        # Of a loop variable alone the upper bound is reached, in the last trip.
        reached = last and isinstance(index, Poly) and len(index.terms) <= 2 and len(symbols(index)) == 1
        if (
            (high is not None and high < 0)
            or (low is not None and low >= array.extent)
            or (reached and high is not None and high >= array.extent and self.is_last_trip(index))
        ):
            self.slots[id(expr)] = SlotError(place(self.at, expr.span), array, index)

    def is_last_trip(self, index: Scalar) -> bool:
        """``index`` depends on the variable of the innermost loop and on nothing else."""
        loop = self.iterations[-1].loop
        variable = self.env.get(loop.var.name) if isinstance(loop, For) else None
        return isinstance(variable, Poly) and symbols(index) == symbols(variable)

    def run_launch(self, stmt: Union[Assign, Unpack, Evaluate]) -> None:
        site = self.site_of.get(id(stmt))
        if site is None:
            self.fog(place(stmt.at, stmt.span), "call of a function that is not known")
            self.bind_all(stmt.targets if isinstance(stmt, Unpack) else _target(stmt), None)
            return
        if len(self.tasks) >= HARD_LIMIT:
            raise _Stop
        targets = stmt.targets if isinstance(stmt, Unpack) else _target(stmt)
        # What a region rebinds is rebound inside it, which the surface rules look at. A Graph's results are its own
        # tensors (rules.md D8); where that cannot be seen, its body is not known well enough to say anything else.
        callee = site.callee
        self.in_source = callee is None or not (callee.generated or callee.kind is FunctionKind.GRAPH)
        results = self.launcher.launch(site, tuple([target.label for target in targets]))
        if isinstance(stmt, Assign):
            if isinstance(site.call, ir.Op) or (len(results) == 1):
                self.bind(stmt.target, results[0])
            elif _is_task_id(stmt.target) and results:
                self.bind(stmt.target, results[-1])
            elif isinstance(site.call, ir.Call) and results and isinstance(stmt.target.type, TensorType):
                self.bind(stmt.target, results[0])
            else:
                self.bind(stmt.target, TupleValue(results))
        elif isinstance(stmt, Unpack):
            self.bind_all(stmt.targets, results if len(results) == len(stmt.targets) else None)
        self.in_source = True

    def run_return(self, stmt: Return) -> None:
        found: list[View] = []
        for expr in stmt.values:
            value = self.value(expr)
            if isinstance(value, tuple):
                found += value
        self.returned = tuple(found)

    # -- control flow --------------------------------------------------------------------------------------------

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
            self.trips.setdefault(stmt, trips)
            if self.assume:
                stop = add(start, multiply(self.assumed(trips), step))
        if isinstance(start, int) and isinstance(stop, int) and isinstance(step, int) and step != 0:
            values = range(start, stop, step)
            if self.threshold is None or len(values) <= max(self.threshold, 1):
                self.run_trips(stmt, values)
                return
        self.run_symbolic(stmt, start, stop, step)

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
            self.iterations = (*outer, Iteration(stmt, run, ordinal, True))
            self.env[stmt.var.name] = trip
            for carry, value, seed in zip(stmt.carries, current, seeds):
                self.env[carry.inner.name] = seed if parallel and isinstance(value, Ids) else value
            self.run_block(stmt.body)
            current = [self.value(carry.update) for carry in stmt.carries]
            gathered.append(current)
        self.iterations = outer
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
            self.iterations = (*outer, Iteration(stmt, run, ordinal, False))
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
        self.iterations = outer
        for index, carry in enumerate(stmt.carries):
            value = current[index]
            if parallel and isinstance(value, Ids):
                value = all_of([each[index] for each in gathered])
            self.bind(carry.result, merge_last(seeds[index], value))


def _target(stmt: Union[Assign, Evaluate]) -> tuple[ir.Var, ...]:
    return (stmt.target,) if isinstance(stmt, Assign) else ()


def _is_task_id(target: ir.Var) -> bool:
    return isinstance(target.type, ScalarType) and target.type.is_task_id
