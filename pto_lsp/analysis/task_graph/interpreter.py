"""The statements of an orchestration body that are no control flow: bindings, buffers, launches, reads."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Union

from pto_lsp.analysis.ir import expressions as ir
from pto_lsp.analysis.ir.place import Place, place
from pto_lsp.analysis.ir.program import Direction, Function, FunctionKind, Program
from pto_lsp.analysis.ir.statements import (
    Assign,
    Evaluate,
    For,
    Return,
    Stmt,
    Unpack,
)
from pto_lsp.analysis.ir.types import ScalarType, TensorType
from pto_lsp.analysis.passes.derive_call_directions import Directions, Launch
from pto_lsp.analysis.task_graph.evaluate import Evaluator, scalar_of
from pto_lsp.analysis.task_graph.fusion import earlier_versions, fused_creates
from pto_lsp.analysis.task_graph.launch import Launcher
from pto_lsp.analysis.task_graph.model import (
    ANY_TASK,
    ControlAccess,
    IdArray,
    Iteration,
    Loop,
    Rebound,
    SlotError,
    Task,
    TupleValue,
    Unknown,
    Value,
)
from pto_lsp.analysis.task_graph.regions import ALLOCATION, Buffer, View, sub_view, whole
from pto_lsp.analysis.task_graph.results import ResultSources
from pto_lsp.analysis.task_graph.scalars import (
    Poly,
    Scalar,
    bounds,
    of_symbol,
    symbols,
)
from pto_lsp.analysis.task_graph.sites import collect, launch_of, unroll_threshold
from pto_lsp.analysis.task_graph.walk_memo import Path, WalkMemo

HARD_LIMIT = 40_000
FEWEST_TRIPS = 4_096
TRIPS_PER_TASK = 32
"""So many trips of loops are walked in all, or so many for each task there may be: loops that launch nothing have to
come to an end as well.
"""

_VIEWS = frozenset(
    {"tensor.slice", "tensor.reshape", "tensor.view", "tensor.transpose", "tensor.reinterpret_view", "tensor.dim"}
)
"""Operators that are nothing but their value."""


class LimitReached(Exception):
    """More tasks than any view can show."""


class Interpreter(Evaluator):
    """The state of one walk."""

    def __init__(
        self,
        program: Program,
        function: Function,
        statements: Sequence[Stmt],
        directions: Mapping[Launch, Directions],
        results: ResultSources,
        limit: int,
        assume: Mapping[str, int],
        memo: WalkMemo | None = None,
    ) -> None:
        super().__init__(function.at, None if memo is None else memo.symbols)
        self.memo = memo
        self.program = program
        self.function = function
        self.sites = collect(program, function)
        self.site_of = {id(site.statement): site for site in self.sites}
        self.threshold = unroll_threshold(self.sites, limit)
        self.trips_left = max(FEWEST_TRIPS, TRIPS_PER_TASK * limit)
        self.assume = assume
        self.trips: dict[Loop, Scalar] = {}
        self.varying: set[Loop] = set()
        self.settled = 0
        self.slots: dict[int, SlotError] = {}
        self.fused = fused_creates(program, statements, results)
        self.versions = earlier_versions(statements) if self.fused else {}
        self.rebound: dict[int, Rebound] = {}
        self.outputs = {p.name: p for p in function.params if p.direction is not Direction.IN}
        self.in_source = True
        self.directions = directions
        self.results = results
        self.tasks: list[Task] = []
        self.control: list[ControlAccess] = []
        self.buffers: list[Buffer] = []
        self.unknown: list[Unknown] = []
        self.iterations: tuple[Iteration, ...] = ()
        self.path: Path = ()
        self.arms: tuple[tuple[int, int], ...] = ()
        self.manual = False
        self.epoch = 0
        self.exact = True
        self.single = False
        self.runs = 0
        self.returned: tuple[View, ...] = ()

    def buffer(
        self,
        label: str,
        shape: tuple[Scalar, ...] | None,
        dtype: str,
        at: Place | None,
        owner: int | None = None,
        manual_dep: bool = False,
        direction: Direction | None = None,
    ) -> tuple[View, ...]:
        """A new buffer, as the value that it is."""
        made = Buffer(len(self.buffers), label, shape, dtype, at, owner, direction, manual_dep)
        if self.memo is None:
            self.buffers.append(made)
            return (whole(made),)
        made = self.memo.buffer(made)
        self.buffers.append(made)
        return (self.memo.whole(made),)

    def enter(self, iterations: tuple[Iteration, ...]) -> None:
        """From now on these are the trips of the loops around."""
        self.iterations = iterations
        self.path = tuple([iteration.ordinal for iteration in iterations])

    def fog(self, where: Place, why: str) -> None:
        """Something here was not understood: tasks may be submitted, orders may exist."""
        self.unknown.append(Unknown(where, why))
        self.epoch += 1
        self.exact = False

    def run_simple(self, stmt: Union[Assign, Unpack, Evaluate]) -> None:
        value = stmt.value
        if launch_of(stmt) is not None:
            self.run_launch(stmt)
            return
        result: Value
        if isinstance(value, ir.Op):
            # A buffer the passes made for a region's result takes the name of that result.
            self.in_source = value.name != "tensor.create" or value.span != stmt.span
            if self.memo is not None and value.name in _VIEWS:
                result = self.memo.value(stmt, self.path, self.env, partial(self.op, value))
            else:
                result = self.run_op(value, stmt)
        else:
            self.in_source = True
            if self.memo is not None and isinstance(value, (ir.Binary, ir.Unary, ir.Cast)):
                result = self.memo.value(stmt, self.path, self.env, partial(self.value, value))
            else:
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
            part = self.fused_part(op, shape, label)
            if part is not None:
                return part
            return self.buffer(label, shape, dtype, where, ALLOCATION, manual_dep)
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

    def fused_part(self, create: ir.Op, shape: tuple[Scalar, ...] | None, label: str) -> Value:
        """The slice of the parent that stands for a buffer assembled into it; None for an ordinary buffer."""
        assemble = self.fused.get(id(create))
        if assemble is None or shape is None:
            return None
        target, offsets = assemble.args[0], self.scalars(assemble.args[2])
        for _ in range(16):
            # The version of the parent at the assemble may not be bound yet: an earlier one is the same buffer.
            if not isinstance(target, ir.Var) or target.name in self.env or target.name not in self.versions:
                break
            target = self.versions[target.name]
        views = self.value(target)
        if offsets is None or not isinstance(views, tuple):
            return None
        return tuple([sub_view(view, offsets, shape, label) for view in views])

    def op(self, expr: ir.Op) -> Value:
        if expr.name.startswith("array.") and len(expr.args) > 1:
            self.check_slot(expr)
        return super().op(expr)

    def check_slot(self, expr: ir.Op) -> None:
        """Remember an index that is outside its array, the largest of them (§8.5a)."""
        array, index = self.value(expr.args[0]), scalar_of(self.value(expr.args[1]))
        if not isinstance(array, IdArray) or array.extent is None or index is None:
            return
        low, high = bounds(index)
        known = self.slots.get(id(expr))
        if known is not None and (high is None or high <= (bounds(known.index)[1] or 0)):
            return
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
            raise LimitReached
        targets = stmt.targets if isinstance(stmt, Unpack) else _target(stmt)
        # What a region rebinds is rebound inside it, which the surface rules look at. A Graph's results are its own
        # tensors (rules.md D8); where that cannot be seen, its body is not known well enough to say anything else.
        callee = site.callee
        self.in_source = callee is None or not (callee.generated or callee.kind is FunctionKind.GRAPH)
        results = Launcher(self, self.directions, self.results).launch(
            site, tuple([target.label for target in targets])
        )
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


def _target(stmt: Union[Assign, Evaluate]) -> tuple[ir.Var, ...]:
    return (stmt.target,) if isinstance(stmt, Assign) else ()


def _is_task_id(target: ir.Var) -> bool:
    return isinstance(target.type, ScalarType) and target.type.is_task_id
