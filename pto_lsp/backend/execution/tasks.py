"""The tasks of one run, with everything their execution needs: the host code run as the replay simulator runs it.

A Graph call contributes the tasks of its body, as a fresh recording makes them, between the tasks its outer task waits
for and those that wait for it (replay.md §7).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Union

from pto_lsp.analysis.ir.expressions import Call, Submit
from pto_lsp.analysis.ir.program import Direction, Function, FunctionKind, Program
from pto_lsp.analysis.ir.types import TensorType
from pto_lsp.analysis.replay.arguments import launch_of, results_of, with_task
from pto_lsp.analysis.replay.boundary import Boundary
from pto_lsp.analysis.replay.execute import Frame
from pto_lsp.analysis.replay.host import Cache, GraphCall, Host, Outcome
from pto_lsp.analysis.replay.launches import Launch, NewTensor, TensorArg
from pto_lsp.analysis.replay.tensor_map import Tag
from pto_lsp.analysis.replay.values import UNKNOWN, Buffer, Tensor, UnknownValue, Value
from pto_lsp.backend.execution.errors import NotExecutable
from pto_lsp.backend.execution.host_code import check_host_code
from pto_lsp.backend.execution.kernel import BlockPosition, KernelValue, run_kernel
from pto_lsp.backend.execution.memory import Memory
from pto_lsp.backend.execution.values import Operand, in_memory, undefined


@dataclass(frozen=True, slots=True)
class Work:
    """``arguments`` by parameter of ``kernel``; ``results`` are the positions of its computed results and the
    tensors they go to.
    """

    kernel: Function
    arguments: tuple[Value, ...]
    results: tuple[tuple[int, Tensor], ...]
    launch: Launch


@dataclass(frozen=True, slots=True)
class Task:
    """``waits`` are indices of earlier tasks; ``work`` None for allocations, dummies and the end of a Graph call."""

    work: Work | None
    waits: tuple[int, ...]


class TaskBuilder(Host):
    """Collects the tasks of one run of ``program``. ``memory`` holds the entry's arguments for reads by the host."""

    def __init__(self, program: Program, memory: Memory, symbols: Mapping[str, int]) -> None:
        super().__init__(program, Cache())
        self._memory = memory
        self._symbols = symbols
        self._works: dict[int, Work] = {}
        self._nodes: dict[int, Work] = {}
        self._bodies: dict[int, tuple[dict[int, Work], GraphCall]] = {}
        self._readable: set[Buffer] = set()
        self._shapes: dict[tuple[str, tuple[object, ...]], tuple[tuple[tuple[int, ...], str], ...]] = {}

    def build(self, entry: Function, values: tuple[Value, ...]) -> tuple[Task, ...]:
        """Run the host code. Raises `NotExecutable` for anything it does that cannot be followed."""
        check_host_code(self.program, entry)
        self._readable = {value.buffer for value in values if isinstance(value, Tensor)}
        evaluator = self.evaluator(self._symbols, lambda buffer, element, epoch: self._host_read(buffer, element))
        if entry.kind is FunctionKind.GRAPH:
            self.run_graph(entry, values, evaluator)
        else:
            self.run(entry, values, evaluator)
        if self.problems or self.gaps:
            raise NotExecutable((*self.problems, *self.gaps)[0])
        return self._flattened()

    def launch(self, frame: Frame, expr: Union[Call, Submit]) -> tuple[Value, ...]:
        callee = self.program.functions.get(expr.callee)
        if callee is None or not callee.kind.is_kernel:
            return super().launch(frame, expr)
        launch, values = launch_of(frame, callee, expr, self._directions_in(frame.function).get(expr, ()))
        if any(isinstance(value, UnknownValue) for value in values):
            position = [isinstance(value, UnknownValue) for value in values].index(True)
            self.give_up(f"argument {position + 1} of '{callee.name}' is not known")
            return super().launch(frame, expr)
        returned = self._returned_by(callee)
        made = tuple([arg.tensor for arg in launch.tensors if isinstance(arg.tensor, NewTensor)])
        computed = self._computed(callee, values, made, launch) if None in returned else ()
        added = tuple([TensorArg(new, Tag.OUTPUT, new.name) for new in computed])
        launch = replace(launch, tensors=launch.tensors + added)
        submitted = frame.sink.submit(launch)
        for param, value in zip(callee.params, values):
            if isinstance(value, Tensor) and param.direction is not Direction.IN:
                self._readable.discard(value.buffer)
        outputs, results = submitted.outputs[: len(made)], submitted.outputs[len(made) :]
        positions = [position for position, index in enumerate(returned) if index is None]
        work = Work(callee, _completed(callee, values, outputs), tuple(zip(positions, results)), launch)
        (self._nodes if submitted.task.recorded else self._works)[submitted.task.number] = work
        fresh = iter(results)
        found = results_of(returned, values, callee, outputs)
        found = tuple([next(fresh) if index is None else value for index, value in zip(returned, found)])
        return with_task(found, submitted.task, expr)

    def call_graph(self, graph: Function, boundary: Boundary, values: tuple[Value, ...], caller: Frame) -> GraphCall:
        first = len(self.ring.tasks)
        self._nodes = {}
        call = super().call_graph(graph, boundary, values, caller)
        if call.outcome in (Outcome.RECORDED, Outcome.REPLAYED):
            self._bodies[first] = (self._nodes, call)
        return call

    def _host_read(self, buffer: Buffer, element: int) -> int:
        """The host sees what the caller handed in, and only that: no task has run yet (api.md "Tensors")."""
        if buffer not in self._readable:
            raise NotExecutable(f"the host reads '{buffer.name}', which only tasks write: none has run by then")
        return self._memory.element(buffer, element)

    def _computed(
        self, callee: Function, values: list[Value], made: tuple[NewTensor, ...], launch: Launch
    ) -> tuple[NewTensor, ...]:
        """Memory for the results that are no parameter: of the shape a trial run on blank memory gives."""
        if isinstance(launch.core_num, int) and launch.core_num > 1:
            raise NotExecutable(f"'{callee.name}' returns a computed value from each of {launch.core_num} blocks")
        blank: list[KernelValue] = []
        key: list[object] = []
        for value in (*values, *made):
            if isinstance(value, (Tensor, NewTensor)):
                array = undefined(value.shape, value.dtype)
                array[...] = 0
                blank.append(in_memory(array, value.dtype))
                key.append((value.shape, value.dtype))
            elif isinstance(value, (int, float)):
                blank.append(value)
                key.append(value)
            else:
                raise NotExecutable(f"an argument of '{callee.name}' is neither a tensor nor a number")
        known = self._shapes.get((callee.key, tuple(key)))
        if known is None:
            found = run_kernel(self.program, callee, tuple(blank), BlockPosition(0, 1), self._symbols)
            returned = self._returned_by(callee)
            operands = [value for value, index in zip(found, returned) if index is None]
            if not all(isinstance(value, Operand) for value in operands):
                raise NotExecutable(f"'{callee.name}' returns something that is not a tensor")
            known = tuple([(value.array.shape, value.dtype) for value in operands if isinstance(value, Operand)])
            self._shapes[callee.key, tuple(key)] = known
        return tuple([NewTensor(f"a result of {callee.name}", shape, dtype) for shape, dtype in known])

    def _flattened(self) -> tuple[Task, ...]:
        tasks: list[Task] = []
        end: list[int] = []
        for number, submitted in enumerate(self.ring.tasks):
            waits = tuple([end[producer] for producer in submitted.fanin])
            body = self._bodies.get(number)
            if body is None:
                tasks.append(Task(self._works.get(number), waits))
            else:
                works, call = body
                assert call.fresh is not None
                first = len(tasks)
                for index, recorded in enumerate(call.fresh.nodes):
                    inside = tuple([first + producer for producer in recorded.fanin])
                    tasks.append(Task(works.get(index), waits + inside))
                tasks.append(Task(None, (*waits, *range(first, len(tasks)))))
            end.append(len(tasks) - 1)
        return tuple(tasks)


def _completed(callee: Function, values: list[Value], outputs: tuple[Tensor, ...]) -> tuple[Value, ...]:
    """The arguments with the memory made for Out parameters that were left out."""
    made = iter(outputs)
    missing = [
        next(made, UNKNOWN) if param.direction is Direction.OUT and isinstance(param.type, TensorType) else UNKNOWN
        for param in callee.params[len(values) :]
    ]
    return (*values, *missing)
