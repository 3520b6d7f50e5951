"""What the runtime keeps of one recorded Graph (replay.md §2, §3, §8)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Union

from pto_lsp.analysis.replay.launches import TensorArg
from pto_lsp.analysis.replay.tensor_map import Tag
from pto_lsp.analysis.replay.values import Scalar, Tensor, UnknownValue


class Source(Enum):
    """Class of a node's tensor; UNSUPPORTED fails the run, UNKNOWN is a tensor the analysis does not know."""

    BOUNDARY_EXACT = "BOUNDARY_EXACT"
    BOUNDARY_VIEW = "BOUNDARY_VIEW"
    OWN_OUTPUT = "OWN_OUTPUT"
    INTERNAL = "INTERNAL"
    UNSUPPORTED = "UNSUPPORTED"
    UNKNOWN = "UNKNOWN"


@dataclass(frozen=True, slots=True)
class NodeTensor:
    """``index`` is a boundary slot or a node; ``offset`` is in elements for a view, in bytes into a node's window.

    ``tensor`` is what the recording call used: the template of a replay.
    """

    source: Source
    index: int
    offset: int
    tensor: Union[Tensor, UnknownValue]
    tag: Tag
    label: str

    @property
    def bound_to_other_slot(self) -> bool:
        """The runtime took the tensor for another boundary slot than the one it was derived from (replay.md §2)."""
        if self.source is not Source.BOUNDARY_EXACT and self.source is not Source.BOUNDARY_VIEW:
            return False
        return isinstance(self.tensor, Tensor) and self.tensor.slot not in (None, self.index)


@dataclass(frozen=True, slots=True)
class NodeScalar:
    """Refreshed from boundary scalar ``boundary``, or frozen at ``value`` when that is None."""

    boundary: int | None
    value: Scalar
    label: str


@dataclass(frozen=True, slots=True)
class NodePredicate:
    """``element`` is the frozen element index inside ``operand``, None when unknown."""

    operand: NodeTensor
    element: int | None
    op: str
    target: Scalar


@dataclass(frozen=True, slots=True)
class Node:
    """``fanin`` are node indices in order of discovery."""

    kernel: str | None
    tensors: tuple[NodeTensor, ...]
    scalars: tuple[NodeScalar, ...]
    fanin: tuple[int, ...]
    core_num: Scalar | None = None
    predicate: NodePredicate | None = None


@dataclass(frozen=True, slots=True)
class Definition:
    """``required_heap``: the bytes that every call, recorded or replayed, takes from the run's heap (replay.md §6)."""

    graph: str
    boundary: tuple[TensorArg, ...]
    scalar_count: int
    nodes: tuple[Node, ...]
    required_heap: int
