"""What a name of an orchestration can hold while its host code runs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, NamedTuple, Union

from pto_lsp.analysis.replay.dtypes import element_bits


class TaskId(NamedTuple):
    """``recorded`` tells nodes of a recording (number = node) from tasks of the run (number = submission)."""

    recorded: bool
    number: int


@dataclass(eq=False, slots=True)
class Buffer:
    """One allocation, compared by identity. ``size`` is in bytes, of the whole allocation.

    ``node`` is the recording node that made it, None for memory from outside a recording; ``window_offset`` is then the
    byte offset inside that node's output window (replay.md §2). ``name`` is for people. ``fill`` is the initial
    value of every element that the author asked for.
    """

    name: str
    size: int
    node: int | None = None
    window_offset: int = 0
    fill: int | float | None = None


@dataclass(frozen=True, slots=True)
class Tensor:
    """A tensor descriptor (api.md "Tensors"): ``start`` and ``strides`` in elements.

    ``slot`` is the boundary slot that the author's code derives this tensor from; the runtime does not know it, so it
    takes no part in comparisons.
    """

    buffer: Buffer
    start: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    dtype: str
    owner: TaskId | None = None
    manual_dep: bool = False
    slot: int | None = field(default=None, compare=False)

    @property
    def extent(self) -> int:
        """Elements between the first and the last one, both included; 0 for an empty view."""
        total = 1
        for size, stride in zip(self.shape, self.strides):
            if size == 0:
                return 0
            total += (size - 1) * stride
        return total

    @property
    def is_contiguous(self) -> bool:
        return self.strides == row_major(self.shape)


class UnknownValue:
    """A value the analysis could not find out: never equal to a wrong one, never an edge."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "?"


UNKNOWN: Final = UnknownValue()

Scalar = Union[int, float, bool, UnknownValue]
# None is the invalid task id; a list is a pl.array, changed in place as the emitted C++ array is.
Value = Union[int, float, bool, str, None, Tensor, TaskId, "list[Value]", "tuple[Value, ...]", UnknownValue]


def row_major(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Strides of a dense tensor, in elements."""
    strides = [1] * len(shape)
    for axis in range(len(shape) - 2, -1, -1):
        strides[axis] = strides[axis + 1] * shape[axis + 1]
    return tuple(strides)


def size_in_bytes(shape: tuple[int, ...], dtype: str) -> int:
    count = 1
    for extent in shape:
        count *= extent
    return (count * element_bits(dtype) + 7) // 8


def dense(name: str, shape: tuple[int, ...], dtype: str, slot: int | None = None) -> Tensor:
    """A contiguous tensor in an allocation of its own, as a caller of the entry hands it in."""
    return Tensor(Buffer(name, size_in_bytes(shape, dtype)), 0, shape, row_major(shape), dtype, slot=slot)
