"""One run of an orchestration: the runtime's Graph cache around the execution of functions (replay.md §1)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from typing import Union

from pto_lsp.analysis.ir.expressions import Call, Submit
from pto_lsp.analysis.ir.program import Function, FunctionKind, Program
from pto_lsp.analysis.ir.statements import Block
from pto_lsp.analysis.passes.derive_call_directions import Directions, Launch, call_directions
from pto_lsp.analysis.replay.allocations import AllocationPlan, allocation_plan
from pto_lsp.analysis.replay.arguments import boundary_with, is_scalar_argument, launch_of, results_of, with_task
from pto_lsp.analysis.replay.boundary import Boundary, why_mismatched, why_uncacheable
from pto_lsp.analysis.replay.definition import Definition
from pto_lsp.analysis.replay.evaluate import Evaluator, Oracle
from pto_lsp.analysis.replay.execute import Frame, OutOfBudget, bind_arguments
from pto_lsp.analysis.replay.launches import Sink
from pto_lsp.analysis.replay.recording import NODE_LIMIT, Recording
from pto_lsp.analysis.replay.returns import returned_params
from pto_lsp.analysis.replay.ring import TASK_LIMIT, Ring
from pto_lsp.analysis.replay.values import UNKNOWN, TaskId, Tensor, Value

DEFINITION_LIMIT = 16
STEP_LIMIT = 400_000
RECORDING_LIMIT = 4 * NODE_LIMIT
"""The runtime refuses it long before: nobody needs to know what else would be in it."""


class Outcome(Enum):
    """What became of one Graph call. FAILED: the recording itself is refused, which ends the run."""

    RECORDED = "recorded"
    REPLAYED = "replayed"
    ORDINARY = "ordinary tasks"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class GraphCall:
    """``number`` counts the calls of this Graph from 1. ``fresh`` is what the body does in this very call, None when
    it ran as ordinary tasks; ``definition`` is the recording in force, if any.
    """

    graph: str
    number: int
    outcome: Outcome
    reason: str
    boundary: Boundary
    fresh: Definition | None
    definition: Definition | None


class Cache:
    """Recordings and numbers of calls by Graph. The runtime starts every run with an empty one."""

    def __init__(self) -> None:
        self.definitions: dict[str, Definition] = {}
        self.counts: dict[str, int] = {}
        self.total = 0


class Host:
    """Runs functions of ``program`` as one run of the runtime; implements ``execute.Services``."""

    def __init__(self, program: Program, cache: Cache) -> None:
        self.program = program
        self.cache = cache
        self.ring = Ring()
        self.calls: list[GraphCall] = []
        self.problems: list[str] = []
        self.gaps: list[str] = []
        self._directions: dict[str, Mapping[Launch, Directions]] = {}
        self._returned: dict[str, tuple[int | None, ...]] = {}
        self._plans: dict[int, AllocationPlan] = {}
        self._steps = 0
        self._recording: Recording | None = None

    def run(self, function: Function, values: tuple[Value, ...], evaluator: Evaluator) -> None:
        """Execute ``function`` as the entry."""
        frame = Frame(self, function, self.ring, False, evaluator)
        bind_arguments(frame, values)
        self._bounded(frame.run)

    def run_graph(self, graph: Function, values: tuple[Value, ...], evaluator: Evaluator) -> None:
        """Call ``graph`` once with ``values``, as an entry that does nothing else."""
        frame = Frame(self, graph, self.ring, False, evaluator)
        boundary = boundary_with(graph, values)
        self._bounded(lambda: self.call_graph(graph, boundary, values, frame))

    def _bounded(self, action: Callable[[], object]) -> None:
        try:
            action()
        except OutOfBudget:
            self.give_up("the program is too large to simulate completely")
        self.problems += self.ring.problems

    def evaluator(self, symbols: Mapping[str, int], oracle: Oracle) -> Evaluator:
        """An empty environment whose reads see the data of the moment, that is, between two Graph calls."""
        return Evaluator(symbols, lambda buffer, element: oracle(buffer, element, self.cache.total))

    def spend(self) -> None:
        self._steps += 1
        if self._steps > STEP_LIMIT or len(self.ring.tasks) > TASK_LIMIT:
            raise OutOfBudget
        if self._recording is not None and len(self._recording.nodes) > RECORDING_LIMIT:
            raise OutOfBudget

    def give_up(self, why: str) -> None:
        if why not in self.gaps:
            self.gaps.append(why)

    def fail(self, why: str) -> None:
        if self._recording is not None:
            self._recording.problems.append(why)
        elif why not in self.problems:
            self.problems.append(why)

    def allocations(self, block: Block) -> AllocationPlan:
        plan = self._plans.get(id(block))
        if plan is None:
            plan = self._plans[id(block)] = allocation_plan(block)
        return plan

    def launch(self, frame: Frame, expr: Union[Call, Submit]) -> tuple[Value, ...]:
        callee = self.program.functions.get(expr.callee)
        if callee is None:
            self.give_up(f"'{expr.callee}' is not known")
            return (UNKNOWN,)
        if callee.kind is FunctionKind.GRAPH:
            return self._graph(frame, callee, expr)
        if not callee.kind.is_kernel:
            self.give_up(f"'{callee.name}' is not a kernel")
            return with_task((UNKNOWN,) * len(callee.returns), None, expr)
        launch, values = launch_of(frame, callee, expr, self._directions_in(frame.function).get(expr, ()))
        submitted = frame.sink.submit(launch)
        results = results_of(self._returned_by(callee), values, callee, submitted.outputs)
        return with_task(results, submitted.task, expr)

    def call_graph(self, graph: Function, boundary: Boundary, values: tuple[Value, ...], caller: Frame) -> GraphCall:
        """One ``rt_submit_graph`` from outside every recording."""
        key = graph.key
        number = self.cache.counts[key] = self.cache.counts.get(key, 0) + 1
        reason = why_uncacheable(boundary)
        definition = None if reason else self.cache.definitions.get(key)
        outcome = Outcome.ORDINARY
        fresh: Definition | None = None
        if not reason and definition is not None:
            reason = why_mismatched(definition.boundary, definition.scalar_count, boundary)
            if not reason:
                outcome = Outcome.REPLAYED
                fresh = self._record(graph, boundary, values, caller)[0]
        elif not reason and len(self.cache.definitions) >= DEFINITION_LIMIT:
            reason = f"more than {DEFINITION_LIMIT} Graphs in one run"
        elif not reason:
            fresh, recording = self._record(graph, boundary, values, caller)
            outcome = Outcome.FAILED if recording.problems else Outcome.RECORDED
            for problem in recording.problems + recording.faults:
                self.fail(f"{graph.name}: {problem}")
            if recording.problems:
                reason = recording.problems[0]
            else:
                definition = self.cache.definitions[key] = fresh
        if outcome is Outcome.ORDINARY:
            self._body(graph, values, self.ring, caller, caller.manual)
        else:
            self.ring.submit_graph(graph.name, boundary.tensors, caller.manual)
        call = GraphCall(key, number, outcome, reason, boundary, fresh, definition)
        self.calls.append(call)
        self.cache.total += 1
        return call

    def _graph(self, frame: Frame, graph: Function, expr: Union[Call, Submit]) -> tuple[Value, ...]:
        values = [frame.value(arg) for arg in expr.args]
        boundary = boundary_with(graph, tuple(values))
        results = results_of(self._returned_by(graph), values, graph, ())
        if self._recording is not None:
            self.fail(f"'{graph.name}' is called inside a Graph")
            return with_task(results, None, expr)
        before = len(self.ring.tasks)
        call = self.call_graph(graph, boundary, tuple(values), frame)
        task = None if call.outcome is Outcome.ORDINARY else TaskId(False, before)
        return with_task(results, task, expr)

    def _record(
        self, graph: Function, boundary: Boundary, values: tuple[Value, ...], caller: Frame
    ) -> tuple[Definition, Recording]:
        """Execute the body as the recorder would."""
        recording = Recording(graph.name, boundary)
        self._recording = recording
        self._body(graph, values, recording, caller, False)
        self._recording = None
        return recording.finish(), recording

    def _body(self, graph: Function, values: tuple[Value, ...], sink: Sink, caller: Frame, manual: bool) -> None:
        frame = Frame(self, graph, sink, manual, caller)
        bind_arguments(frame, values)
        tensors = scalars = 0
        for param, value in zip(graph.params, values):
            if is_scalar_argument(param, value):
                frame.slots[param.name] = scalars
                scalars += 1
            else:
                if isinstance(value, Tensor):
                    frame.env[param.name] = replace(value, slot=tensors)
                tensors += 1
        frame.run()

    def _directions_in(self, function: Function) -> Mapping[Launch, Directions]:
        directions = self._directions.get(function.key)
        if directions is None:
            directions = self._directions[function.key] = call_directions(self.program, function)
        return directions

    def _returned_by(self, function: Function) -> tuple[int | None, ...]:
        returned = self._returned.get(function.key)
        if returned is None:
            returned = self._returned[function.key] = returned_params(function, self.program)
        return returned
