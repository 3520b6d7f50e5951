"""Recording of one Graph body: its launches become nodes (replay.md §2, §3, §5.2, §5.3)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Union

from pto_lsp.analysis.replay.boundary import Boundary
from pto_lsp.analysis.replay.definition import (
    Definition,
    Node,
    NodePredicate,
    NodeScalar,
    NodeTensor,
    Source,
)
from pto_lsp.analysis.replay.launches import (
    SCALAR_LIMIT,
    TENSOR_LIMIT,
    Launch,
    NewTensor,
    Predicate,
    Submitted,
    aligned,
)
from pto_lsp.analysis.replay.ring import allocate
from pto_lsp.analysis.replay.tensor_map import Tag, TensorMap, distinct
from pto_lsp.analysis.replay.values import TaskId, Tensor, UnknownValue, size_in_bytes

NODE_LIMIT = 1024
MAP_LIMIT = 16384
BLOCK_LIMIT = 32767


class Recording:
    """Takes the launches of one body.

    ``problems`` make the real recorder give up, which fails the run; ``faults`` record well and fail on the device.
    """

    def __init__(self, graph: str, boundary: Boundary) -> None:
        self.graph = graph
        self.boundary = boundary
        self.nodes: list[Node] = []
        self.problems: list[str] = []
        self.faults: list[str] = []
        self._map = TensorMap()
        self._heap = 0
        self._bound = [arg.tensor for arg in boundary.tensors]
        self._owners = {
            arg.tensor.owner
            for arg in boundary.tensors
            if isinstance(arg.tensor, Tensor) and arg.tensor.owner is not None
        }

    def submit(self, launch: Launch) -> Submitted:
        index = len(self.nodes)
        task = TaskId(True, index)
        tensors, outputs = self._place(launch, index, task)
        args = [(t.tensor, t.tag) for t in tensors if isinstance(t.tensor, Tensor)]
        found = [TaskId(True, t.index) for t in tensors if t.source is Source.INTERNAL]
        if not launch.manual:
            found += self._map.producers(args)
            self._map.publish(args, task)
        found += self._explicit(launch.deps)
        fanin = tuple([producer.number for producer in distinct(found) if producer.recorded])
        scalars = tuple([NodeScalar(s.slot, s.value, s.label) for s in launch.scalars])
        predicate = None if launch.predicate is None else self._predicate(launch.predicate, index)
        self.nodes.append(Node(launch.kernel, tuple(tensors), scalars, fanin, launch.core_num, predicate))
        self._check(launch)
        return Submitted(task, tuple(outputs))

    def finish(self) -> Definition:
        """The definition as published; ``problems`` say whether the runtime would publish it."""
        if not self.nodes:
            self.problems.append("no task was recorded")
        if len(self.nodes) > NODE_LIMIT:
            self.problems.append(f"{len(self.nodes)} tasks were recorded, {NODE_LIMIT} at most")
        if self._map.size > MAP_LIMIT:
            self.problems.append(f"more than {MAP_LIMIT} live writers in one recording")
        return Definition(self.graph, self.boundary.tensors, len(self.boundary.scalars), tuple(self.nodes), self._heap)

    def _place(self, launch: Launch, index: int, task: TaskId) -> tuple[list[NodeTensor], list[Tensor]]:
        tensors: list[NodeTensor] = []
        outputs: list[Tensor] = []
        window = 0
        for arg in launch.tensors:
            if isinstance(arg.tensor, NewTensor):
                made = allocate(arg.tensor, task, index, window)
                tensors.append(NodeTensor(Source.OWN_OUTPUT, index, window, made, Tag.OUTPUT, arg.label))
                outputs.append(made)
                window += aligned(size_in_bytes(arg.tensor.shape, arg.tensor.dtype))
            else:
                tensors.append(self._classify(arg.tensor, arg.tag, arg.label))
        self._heap += aligned(window, 64)
        return tensors, outputs

    def _classify(self, tensor: Union[Tensor, UnknownValue], tag: Tag, label: str) -> NodeTensor:
        """First match on the values of the recording call, as the runtime does; provenance plays no part."""
        if not isinstance(tensor, Tensor):
            return NodeTensor(Source.UNKNOWN, -1, 0, tensor, tag, label)
        if tensor.buffer.node is not None:
            return NodeTensor(Source.INTERNAL, tensor.buffer.node, tensor.buffer.window_offset, tensor, tag, label)
        source, index, offset = match_boundary(tensor, self._bound)
        if source is Source.UNSUPPORTED:
            self.problems.append(f"'{label}' is not on the boundary")
        return NodeTensor(source, index, offset, tensor, tag, label)

    def _explicit(self, deps: tuple[TaskId, ...]) -> list[TaskId]:
        for dep in deps:
            if not dep.recorded and dep not in self._owners:
                self.problems.append("a task depends on a task outside the Graph")
        return [dep for dep in deps if dep.recorded]

    def _predicate(self, predicate: Predicate, index: int) -> NodePredicate:
        operand = self._classify(predicate.tensor, Tag.INPUT, predicate.label)
        if operand.source is Source.INTERNAL and operand.index == index:
            self.problems.append(f"the predicate reads '{predicate.label}', an output of its own task")
        return NodePredicate(operand, element_index(predicate), predicate.op, predicate.target)

    def _check(self, launch: Launch) -> None:
        name = launch.kernel or "an allocation"
        if len(launch.tensors) > TENSOR_LIMIT:
            self.problems.append(f"{name} has {len(launch.tensors)} tensor arguments, {TENSOR_LIMIT} at most")
        if len(launch.scalars) > SCALAR_LIMIT:
            self.problems.append(f"{name} has {len(launch.scalars)} scalar arguments, {SCALAR_LIMIT} at most")
        if isinstance(launch.core_num, int) and launch.core_num > BLOCK_LIMIT:
            self.problems.append(f"{name} has {launch.core_num} blocks, {BLOCK_LIMIT} at most")
        for arg in launch.tensors:
            if isinstance(arg.tensor, Tensor) and 0 in arg.tensor.shape:
                self.faults.append(f"'{arg.label}' of {name} is an empty view")


def match_boundary(tensor: Tensor, bound: Sequence[object]) -> tuple[Source, int, int]:
    """Class, slot and offset in elements: the first slot that is the tensor, else the first that starts no later."""
    view, start = -1, 0
    for slot, candidate in enumerate(bound):
        if not isinstance(candidate, Tensor) or candidate.buffer is not tensor.buffer:
            continue
        if is_same(candidate, tensor):
            return Source.BOUNDARY_EXACT, slot, 0
        if view < 0 and tensor.start >= candidate.start:
            view, start = slot, candidate.start
    if view < 0:
        return Source.UNSUPPORTED, -1, 0
    return Source.BOUNDARY_VIEW, view, tensor.start - start


def is_same(bound: Tensor, tensor: Tensor) -> bool:
    """BOUNDARY_EXACT: every descriptor field but the owner agrees; the buffers are one already."""
    return (
        bound.start == tensor.start
        and bound.shape == tensor.shape
        and bound.strides == tensor.strides
        and bound.dtype == tensor.dtype
        and bound.manual_dep == tensor.manual_dep
    )


def element_index(predicate: Predicate) -> int | None:
    """Offset in elements of the predicate's operand inside its tensor."""
    if not isinstance(predicate.tensor, Tensor) or len(predicate.index) != len(predicate.tensor.strides):
        return None
    offset = 0
    for position, stride in zip(predicate.index, predicate.tensor.strides):
        if not isinstance(position, int):
            return None
        offset += position * stride
    return offset
