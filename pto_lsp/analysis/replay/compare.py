"""Differences between what a replay uses and what its call should use."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Union

from pto_lsp.analysis.replay.boundary import alias_partition
from pto_lsp.analysis.replay.definition import Definition, Node, NodePredicate, NodeTensor
from pto_lsp.analysis.replay.values import Buffer, Scalar, Tensor, UnknownValue

Shown = Union[int, float, bool, str, tuple[int, ...], None]


class Cause(Enum):
    """FROZEN: the recording keeps a value of the first call. ALIASED: the runtime took the tensor for a view of another
    boundary slot, or two slots overlap in another way than in the recording (replay.md §2, "Aliasing hazards").
    """

    FROZEN = "frozen"
    ALIASED = "aliased"


@dataclass(frozen=True, slots=True)
class Difference:
    """``what`` names the aspect ("scalar 0", "tensor 1 offset", "fan-in"); offsets and strides are in elements.

    ``variable`` is the argument as the author wrote it, "" where none is concerned.
    """

    node: int
    kernel: str
    what: str
    variable: str
    replayed: Shown
    fresh: Shown
    cause: Cause = Cause.FROZEN


def compare(replayed: tuple[Node, ...], fresh: Definition) -> tuple[Difference, ...]:
    """Node by node; the first node that is another task ends it, since everything after it is another program.

    Memory of the Graph's own is compared as "output of node n at byte k", boundary memory by allocation.
    """
    found: list[Difference] = []
    partition = alias_partition(fresh.boundary)
    order = Cause.ALIASED if len(set(partition)) < len(partition) else Cause.FROZEN
    for index, (old, new) in enumerate(zip(replayed, fresh.nodes)):
        if old.kernel != new.kernel or len(old.tensors) != len(new.tensors) or len(old.scalars) != len(new.scalars):
            found.append(Difference(index, _name(old), "kernel", "", _name(old), _name(new)))
            return tuple(found)
        _compare_node(index, old, new, order, found)
    if len(replayed) != len(fresh.nodes):
        last = min(len(replayed), len(fresh.nodes))
        found.append(Difference(last, "", "nodes", "", len(replayed), len(fresh.nodes)))
    return tuple(found)


def _compare_node(index: int, old: Node, new: Node, order: Cause, found: list[Difference]) -> None:
    kernel = _name(old)
    for position, (before, after) in enumerate(zip(old.scalars, new.scalars)):
        if not same_scalar(before.value, after.value):
            found.append(
                Difference(index, kernel, f"scalar {position}", after.label, shown(before.value), shown(after.value))
            )
    for position, (before_t, after_t) in enumerate(zip(old.tensors, new.tensors)):
        _compare_tensor(index, kernel, f"tensor {position}", before_t, after_t, found)
    if not same_scalar(old.core_num, new.core_num):
        found.append(Difference(index, kernel, "core_num", "", shown(old.core_num), shown(new.core_num)))
    if old.predicate is not None and new.predicate is not None:
        _compare_predicate(index, kernel, old.predicate, new.predicate, found)
    if old.fanin != new.fanin and set(old.fanin) != set(new.fanin):
        found.append(Difference(index, kernel, "fan-in", "", tuple(sorted(old.fanin)), tuple(sorted(new.fanin)), order))


def _compare_predicate(
    index: int, kernel: str, old: NodePredicate, new: NodePredicate, found: list[Difference]
) -> None:
    _compare_tensor(index, kernel, "predicate", old.operand, new.operand, found)
    if old.element is not None and new.element is not None and old.element != new.element:
        found.append(Difference(index, kernel, "predicate element", new.operand.label, old.element, new.element))
    if not same_scalar(old.target, new.target):
        found.append(Difference(index, kernel, "predicate target", "", shown(old.target), shown(new.target)))


def _compare_tensor(
    index: int, kernel: str, what: str, old: NodeTensor, new: NodeTensor, found: list[Difference]
) -> None:
    before, after = old.tensor, new.tensor
    if not isinstance(before, Tensor) or not isinstance(after, Tensor):
        return
    cause = Cause.ALIASED if old.bound_to_other_slot else Cause.FROZEN
    aspects: list[tuple[str, Shown, Shown]] = []
    if _memory(before.buffer) != _memory(after.buffer):
        aspects.append(("buffer", before.buffer.name, after.buffer.name))
    if before.start != after.start:
        aspects.append(("offset", before.start, after.start))
    if before.shape != after.shape:
        aspects.append(("shape", before.shape, after.shape))
    if before.strides != after.strides:
        aspects.append(("strides", before.strides, after.strides))
    if before.dtype != after.dtype:
        aspects.append(("dtype", before.dtype, after.dtype))
    for aspect, stale, right in aspects:
        found.append(Difference(index, kernel, f"{what} {aspect}", new.label, stale, right, cause))


def _memory(buffer: Buffer) -> object:
    return buffer if buffer.node is None else (buffer.node, buffer.window_offset, buffer.size)


def same_scalar(left: Scalar | None, right: Scalar | None) -> bool:
    """Unknown values count as equal: unknown is silent."""
    return isinstance(left, UnknownValue) or isinstance(right, UnknownValue) or left == right


def shown(value: Scalar | None) -> Shown:
    return "?" if isinstance(value, UnknownValue) else value


def _name(node: Node) -> str:
    return node.kernel or "allocation or dummy"
