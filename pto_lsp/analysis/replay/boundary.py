"""The boundary of one Graph call, and what the runtime compares of it (replay.md §1, §4)."""

from __future__ import annotations

from dataclasses import dataclass

from pto_lsp.analysis.replay.launches import TensorArg
from pto_lsp.analysis.replay.tensor_map import Tag
from pto_lsp.analysis.replay.values import Scalar, Tensor

TENSOR_LIMIT = 128
SCALAR_LIMIT = 64


@dataclass(frozen=True, slots=True)
class Boundary:
    """``tensors`` and ``scalars`` are counted separately (rules.md K2); labels are the Graph's parameter names."""

    tensors: tuple[TensorArg, ...]
    scalars: tuple[Scalar, ...]
    scalar_labels: tuple[str, ...] = ()

    def tensor(self, slot: int) -> Tensor | None:
        tensor = self.tensors[slot].tensor
        return tensor if isinstance(tensor, Tensor) else None


def why_uncacheable(boundary: Boundary) -> str:
    """Why a call always runs as ordinary tasks; "" when it may be recorded."""
    if not boundary.tensors:
        return "no boundary tensor"
    if len(boundary.tensors) > TENSOR_LIMIT:
        return f"{len(boundary.tensors)} boundary tensors, {TENSOR_LIMIT} at most"
    if len(boundary.scalars) > SCALAR_LIMIT:
        return f"{len(boundary.scalars)} boundary scalars, {SCALAR_LIMIT} at most"
    for arg in boundary.tensors:
        if arg.tag is Tag.OUTPUT:
            return f"'{arg.label}' is an output that the runtime allocates"
    return ""


def why_mismatched(recorded: tuple[TensorArg, ...], scalar_count: int, boundary: Boundary) -> str:
    """Why a recording does not fit a call; "" on a hit.

    Addresses, offsets, owners and scalar values are not compared.
    """
    if len(boundary.tensors) != len(recorded) or len(boundary.scalars) != scalar_count:
        return "another number of arguments"
    for old, new in zip(recorded, boundary.tensors):
        reason = _tensor_mismatch(old, new)
        if reason:
            return f"'{new.label}' has {reason} than in the recording"
    if alias_partition(recorded) != alias_partition(boundary.tensors):
        return "the arguments share buffers in another way than in the recording"
    return ""


def _tensor_mismatch(old: TensorArg, new: TensorArg) -> str:
    before, now = old.tensor, new.tensor
    if not isinstance(before, Tensor) or not isinstance(now, Tensor):
        return ""
    if before.shape != now.shape:
        return "another shape"
    if before.strides != now.strides:
        return "other strides"
    if before.dtype != now.dtype:
        return "another type"
    if before.buffer.size != now.buffer.size:
        return "an allocation of another size"
    if old.tag is not new.tag:
        return "another direction"
    if before.manual_dep != now.manual_dep:
        return "another manual_dep flag"
    return ""


def alias_partition(tensors: tuple[TensorArg, ...]) -> tuple[int, ...]:
    """For each slot the first slot with the same buffer."""
    first: dict[int, int] = {}
    partition = []
    for slot, arg in enumerate(tensors):
        if isinstance(arg.tensor, Tensor):
            partition.append(first.setdefault(id(arg.tensor.buffer), slot))
        else:
            partition.append(slot)
    return tuple(partition)
