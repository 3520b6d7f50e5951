"""One launch as the host code hands it to the runtime, and the two places that take launches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, Union

from pto_lsp.analysis.replay.tensor_map import Tag
from pto_lsp.analysis.replay.values import Scalar, TaskId, Tensor, UnknownValue

TENSOR_LIMIT = 32
SCALAR_LIMIT = 16
# Output windows are packed in steps of this many bytes (replay.md §6).
ALIGNMENT = 1024


@dataclass(frozen=True, slots=True)
class NewTensor:
    """An OUTPUT argument: memory that the runtime allocates for the task."""

    name: str
    shape: tuple[int, ...]
    dtype: str
    manual_dep: bool = False
    fill: int | float | None = None


@dataclass(frozen=True, slots=True)
class TensorArg:
    """``label`` is the argument expression as the author wrote it."""

    tensor: Union[Tensor, NewTensor, UnknownValue]
    tag: Tag
    label: str


@dataclass(frozen=True, slots=True)
class ScalarArg:
    """``slot`` is the boundary scalar whose slot itself is forwarded, None for any computed or copied value."""

    value: Scalar
    slot: int | None
    label: str


@dataclass(frozen=True, slots=True)
class Predicate:
    """``tensor[index] op target``; the task runs only if it holds."""

    tensor: Union[Tensor, UnknownValue]
    index: tuple[Scalar, ...]
    op: str
    target: Scalar
    label: str


@dataclass(frozen=True, slots=True)
class Launch:
    """``kernel`` is None for an allocation and for a ``task_dummy``. ``deps`` are the valid explicit ids."""

    kernel: str | None
    tensors: tuple[TensorArg, ...] = ()
    scalars: tuple[ScalarArg, ...] = ()
    deps: tuple[TaskId, ...] = ()
    core_num: Scalar | None = None
    predicate: Predicate | None = None
    manual: bool = False


@dataclass(frozen=True, slots=True)
class Submitted:
    """``outputs`` are the tensors made for the OUTPUT arguments, in argument order."""

    task: TaskId
    outputs: tuple[Tensor, ...]


class Sink(Protocol):
    """Takes launches: the run itself, or a recording."""

    def submit(self, launch: Launch) -> Submitted: ...


def aligned(size: int, step: int = ALIGNMENT) -> int:
    return -(-size // step) * step
