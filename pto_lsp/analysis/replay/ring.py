"""The tasks of one run in submission order: ordinary tasks, allocations and outer GRAPH tasks (replay.md §5.1)."""

from __future__ import annotations

from dataclasses import dataclass

from pto_lsp.analysis.replay.launches import Launch, NewTensor, Submitted, TensorArg, aligned
from pto_lsp.analysis.replay.tensor_map import TensorMap, distinct
from pto_lsp.analysis.replay.values import Buffer, TaskId, Tensor, row_major, size_in_bytes

PRODUCER_LIMIT = 128
TASK_LIMIT = 16384


@dataclass(frozen=True, slots=True)
class RingTask:
    """``graph`` is the name of the Graph for an outer task. ``fanin`` are submission indices, in order of discovery."""

    launch: Launch
    fanin: tuple[int, ...]
    graph: str = ""

    @property
    def kind(self) -> str:
        """The name in recorded definitions: "graph", "kernel" or "dummy"."""
        if self.graph:
            return "graph"
        return "dummy" if self.launch.kernel is None else "kernel"


class Ring:
    """Owns the run's writers. ``problems`` are conditions that end the run."""

    def __init__(self) -> None:
        self.tasks: list[RingTask] = []
        self.problems: list[str] = []
        self._map = TensorMap()

    def submit(self, launch: Launch) -> Submitted:
        """Edges, then the writes (replay.md §5.1); in a manual scope only explicit edges, and nothing published."""
        return self._submit(launch, "")

    def submit_graph(self, name: str, boundary: tuple[TensorArg, ...], manual: bool) -> TaskId:
        """The outer task of a Graph call: its arguments are the boundary, and it has no explicit edges."""
        return self._submit(Launch(None, boundary, manual=manual), name).task

    def _submit(self, launch: Launch, graph: str) -> Submitted:
        task = TaskId(False, len(self.tasks))
        args = [(a.tensor, a.tag) for a in launch.tensors if isinstance(a.tensor, Tensor)]
        found = list(launch.deps)
        if not launch.manual:
            found += self._map.producers(args)
            self._map.publish(args, task)
        fanin = distinct(found)
        if len(fanin) > PRODUCER_LIMIT:
            self.problems.append(f"a task waits for {len(fanin)} producers, {PRODUCER_LIMIT} at most")
        self.tasks.append(RingTask(launch, tuple([producer.number for producer in fanin]), graph))
        if len(self.tasks) == TASK_LIMIT + 1:
            self.problems.append(f"more than {TASK_LIMIT} tasks in one run")
        outputs = tuple([allocate(a.tensor, task) for a in launch.tensors if isinstance(a.tensor, NewTensor)])
        return Submitted(task, outputs)


def allocate(new: NewTensor, owner: TaskId, node: int | None = None, window_offset: int = 0) -> Tensor:
    """The tensor of an OUTPUT argument; its allocation is rounded up as the runtime does."""
    size = aligned(size_in_bytes(new.shape, new.dtype))
    buffer = Buffer(new.name, size, node, window_offset, new.fill)
    return Tensor(buffer, 0, new.shape, row_major(new.shape), new.dtype, owner, new.manual_dep)
