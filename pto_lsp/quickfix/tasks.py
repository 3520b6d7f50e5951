"""The tasks that a file's programs launch, in a form in which two spellings of one program compare equal.

Buffers are numbered by first use, and Graph calls are replaced by the tasks inside them: neither the names of values,
nor the order of a boundary, nor where host code computes something makes a difference (design decision 7).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Union

from pto_lsp.analysis.graph_boundary.legalize import legalize
from pto_lsp.analysis.ir.program import Function, FunctionKind
from pto_lsp.analysis.ir.types import ScalarType
from pto_lsp.analysis.pipeline import ProgramAnalysis
from pto_lsp.analysis.replay.definition import Node
from pto_lsp.analysis.replay.dtypes import is_float
from pto_lsp.analysis.replay.launches import NewTensor, Predicate
from pto_lsp.analysis.replay.ring import RingTask
from pto_lsp.analysis.replay.simulation import Argument, Simulation, simulate
from pto_lsp.analysis.replay.values import Buffer, Scalar, Tensor, UnknownValue

_ENTRIES = (FunctionKind.ORCHESTRATION, FunctionKind.OPAQUE, FunctionKind.HOST)
_ENTRY_SCALAR = 2

Task = tuple[object, ...]
AnyTensor = Union[Tensor, NewTensor, UnknownValue]


@dataclass(frozen=True, slots=True)
class Stream:
    """``tasks`` in order of submission; ``right`` when every replay does what its call should."""

    tasks: tuple[Task, ...]
    right: bool


def streams(programs: Iterable[ProgramAnalysis], memory: bool = True) -> dict[tuple[str, str], Stream]:
    """What each entry of ``programs`` launches after legalizing, by file and qualified name.

    Without ``memory`` it does not matter which buffers the tasks work on and where in them.
    """
    found: dict[tuple[str, str], Stream] = {}
    for program in programs:
        if not program.plan.graphs:
            continue
        legal = legalize(program.plan)
        for key, function in legal.functions.items():
            if function.kind not in _ENTRIES or function.body is None or function.generated:
                continue
            simulation = simulate(legal, key, (_arguments(function),), oracle=_data)
            where = (function.at.source.path, function.at.source.qualname)
            found[where] = Stream(_Flattened(memory).tasks(simulation), simulation.equal)
    return found


def _arguments(function: Function) -> dict[str, Argument]:
    given: dict[str, Argument] = {}
    for param in function.params:
        if isinstance(param.type, ScalarType) and not param.type.is_task_id:
            dtype = param.type.dtype
            given[param.name] = True if dtype == "BOOL" else float(_ENTRY_SCALAR) if is_float(dtype) else _ENTRY_SCALAR
    return given


def _data(buffer: Buffer, element: int, epoch: int) -> int:
    """Data that does not depend on what a buffer is called."""
    return (element * 5 + epoch * 3 + buffer.size) % 7


@dataclass(slots=True)
class _Flattened:
    memory: bool
    _numbers: dict[int, int] = field(default_factory=dict)

    def tasks(self, simulation: Simulation) -> tuple[Task, ...]:
        found: list[Task] = []
        calls = iter([call for call in simulation.calls if call.fresh])
        for task in simulation.submissions:
            if task.graph:
                call = next(calls, None)
                found += [self._node(node) for node in (call.fresh if call else ()) if node.kernel is not None]
            elif task.launch.kernel is not None:
                found.append(self._launch(task))
        return tuple(found)

    def _node(self, node: Node) -> Task:
        predicate: Task = ()
        if node.predicate is not None:
            on = node.predicate
            predicate = (self._tensor(on.operand.tensor), on.element, on.op, _scalar(on.target))
        return (
            node.kernel,
            tuple([self._tensor(each.tensor) for each in node.tensors]),
            tuple([_scalar(each.value) for each in node.scalars]),
            _scalar(node.core_num),
            predicate,
        )

    def _launch(self, task: RingTask) -> Task:
        launch = task.launch
        return (
            launch.kernel,
            tuple([self._tensor(each.tensor) for each in launch.tensors]),
            tuple([_scalar(each.value) for each in launch.scalars]),
            _scalar(launch.core_num),
            self._predicate(launch.predicate),
        )

    def _predicate(self, predicate: Predicate | None) -> Task:
        if predicate is None:
            return ()
        index = tuple([_scalar(each) for each in predicate.index])
        return (self._tensor(predicate.tensor), index, predicate.op, _scalar(predicate.target))

    def _tensor(self, tensor: AnyTensor) -> object:
        if isinstance(tensor, NewTensor):
            return ("new", tensor.shape, tensor.dtype)
        if not isinstance(tensor, Tensor):
            return "?"
        if not self.memory:
            return (tensor.shape, tensor.dtype)
        number = self._numbers.setdefault(id(tensor.buffer), len(self._numbers))
        return (number, tensor.start, tensor.shape, tensor.strides, tensor.dtype)


def _scalar(value: Scalar | None) -> object:
    return "?" if isinstance(value, UnknownValue) else value
