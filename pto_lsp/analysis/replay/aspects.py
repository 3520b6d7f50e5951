"""Everything of one node that a replay can get wrong, as a flat list of named values."""

from __future__ import annotations

from typing import NamedTuple, Union

from pto_lsp.analysis.replay.definition import Node, NodeTensor
from pto_lsp.analysis.replay.values import Buffer, Scalar, Tensor, UnknownValue

Shown = Union[int, float, bool, str, tuple[int, ...], None]


class Aspect(NamedTuple):
    """``what`` is like "scalar 0" or "tensor 1 offset", ``variable`` the argument as the author wrote it.

    ``shown`` is for people (offsets and strides in elements), ``key`` for comparison, None for what is not known.
    ``misbound`` marks a tensor that the runtime took for another boundary slot than the author's.
    """

    what: str
    variable: str
    shown: Shown
    key: object
    misbound: bool = False


def aspects(node: Node) -> list[Aspect]:
    """Same kernel and argument counts give the same list of names, so two nodes compare by position."""
    found: list[Aspect] = []
    for position, scalar in enumerate(node.scalars):
        found.append(_scalar(f"scalar {position}", scalar.label, scalar.value))
    for position, tensor in enumerate(node.tensors):
        found += _tensor(f"tensor {position}", tensor)
    if node.core_num is not None:
        found.append(_scalar("core_num", "", node.core_num))
    if node.predicate is not None:
        operand = node.predicate.operand
        found += _tensor("predicate", operand)
        element = node.predicate.element
        found.append(Aspect("predicate element", operand.label, element, element))
        found.append(_scalar("predicate target", "", node.predicate.target))
    waits = tuple(sorted(node.fanin))
    found.append(Aspect("fan-in", "", waits, waits))
    return found


def _scalar(what: str, label: str, value: Scalar) -> Aspect:
    if isinstance(value, UnknownValue):
        return Aspect(what, label, "?", None)
    return Aspect(what, label, value, (value,))


def _tensor(what: str, tensor: NodeTensor) -> list[Aspect]:
    value, label = tensor.tensor, tensor.label
    if not isinstance(value, Tensor):
        return [Aspect(f"{what} {aspect}", label, "?", None) for aspect in TENSOR_ASPECTS]
    misbound = tensor.bound_to_other_slot
    return [
        Aspect(f"{what} buffer", label, value.buffer.name, _memory(value.buffer), misbound),
        Aspect(f"{what} offset", label, value.start, value.start, misbound),
        Aspect(f"{what} shape", label, value.shape, value.shape, misbound),
        Aspect(f"{what} strides", label, value.strides, value.strides, misbound),
        Aspect(f"{what} dtype", label, value.dtype, value.dtype, misbound),
    ]


TENSOR_ASPECTS = ("buffer", "offset", "shape", "strides", "dtype")


def _memory(buffer: Buffer) -> object:
    """Memory of the Graph's own is "output of node n at byte k"; two recordings of one body allocate it apart."""
    return buffer if buffer.node is None else (buffer.node, buffer.window_offset, buffer.size)
