"""What the nodes of a replay use: a definition rebound with the boundary of one call (replay.md §2, §3)."""

from __future__ import annotations

from dataclasses import replace
from typing import Union

from pto_lsp.analysis.replay.boundary import Boundary
from pto_lsp.analysis.replay.definition import Definition, Node, NodeScalar, NodeTensor, Source
from pto_lsp.analysis.replay.values import UNKNOWN, Tensor, UnknownValue


def rebind(definition: Definition, boundary: Boundary) -> tuple[Node, ...]:
    """The nodes with their tensors and scalars as this call's replay sees them. Everything else stays as recorded."""
    return tuple([_node(node, boundary) for node in definition.nodes])


def _node(node: Node, boundary: Boundary) -> Node:
    tensors = tuple([_tensor(tensor, boundary) for tensor in node.tensors])
    scalars = tuple([_scalar(scalar, boundary) for scalar in node.scalars])
    predicate = node.predicate
    if predicate is not None:
        predicate = replace(predicate, operand=_tensor(predicate.operand, boundary))
    return Node(node.kernel, tensors, scalars, node.fanin, node.core_num, predicate)


def _tensor(tensor: NodeTensor, boundary: Boundary) -> NodeTensor:
    template = tensor.tensor
    if tensor.source is Source.BOUNDARY_EXACT:
        bound = boundary.tensor(tensor.index)
        return replace(tensor, tensor=UNKNOWN if bound is None else _from_slot(bound, template))
    if tensor.source is Source.BOUNDARY_VIEW and isinstance(template, Tensor):
        bound = boundary.tensor(tensor.index)
        if bound is None:
            return replace(tensor, tensor=UNKNOWN)
        moved = replace(template, buffer=bound.buffer, start=bound.start + tensor.offset, owner=bound.owner)
        return replace(tensor, tensor=moved)
    return tensor


def _from_slot(bound: Tensor, template: Union[Tensor, UnknownValue]) -> Tensor:
    """``bound`` with the provenance of the argument it stands for, so that a wrong binding can be told."""
    return replace(bound, slot=template.slot) if isinstance(template, Tensor) else bound


def _scalar(scalar: NodeScalar, boundary: Boundary) -> NodeScalar:
    return scalar if scalar.boundary is None else replace(scalar, value=boundary.scalars[scalar.boundary])
