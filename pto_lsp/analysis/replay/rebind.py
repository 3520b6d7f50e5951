"""What the nodes of a replay use: a definition rebound with the boundary of one call (replay.md §2, §3)."""

from __future__ import annotations

from pto_lsp.analysis.replay.boundary import Boundary
from pto_lsp.analysis.replay.definition import Definition, Node, NodePredicate, NodeScalar, NodeTensor, Source
from pto_lsp.analysis.replay.values import UNKNOWN, Tensor


def rebind(definition: Definition, boundary: Boundary) -> tuple[Node, ...]:
    """The nodes with their tensors and scalars as this call's replay sees them. Everything else stays as recorded."""
    return tuple([_node(node, boundary) for node in definition.nodes])


def _node(node: Node, boundary: Boundary) -> Node:
    tensors = tuple([_tensor(tensor, boundary) for tensor in node.tensors])
    scalars = tuple([_scalar(scalar, boundary) for scalar in node.scalars]) if node.scalars else ()
    predicate = node.predicate
    if predicate is not None:
        operand = _tensor(predicate.operand, boundary)
        predicate = NodePredicate(operand, predicate.element, predicate.op, predicate.target)
    return Node(node.kernel, tensors, scalars, node.fanin, node.core_num, predicate)


def _tensor(tensor: NodeTensor, boundary: Boundary) -> NodeTensor:
    template = tensor.tensor
    if not isinstance(template, Tensor):
        return tensor
    if tensor.source is Source.BOUNDARY_EXACT:
        start = None
    elif tensor.source is Source.BOUNDARY_VIEW:
        start = tensor.offset
    else:
        return tensor
    bound = boundary.tensor(tensor.index)
    moved = UNKNOWN if bound is None else _moved(template, bound, start)
    return NodeTensor(tensor.source, tensor.index, tensor.offset, moved, tensor.tag, tensor.label)


def _moved(template: Tensor, bound: Tensor, offset: int | None) -> Tensor:
    """All of ``bound``, or the template at ``offset`` elements into it.

    ``slot`` stays what the author's argument is, so that a binding to another slot can be told.
    """
    shaped = bound if offset is None else template
    start = bound.start if offset is None else bound.start + offset
    return Tensor(
        bound.buffer, start, shaped.shape, shaped.strides, shaped.dtype, bound.owner, shaped.manual_dep, template.slot
    )


def _scalar(scalar: NodeScalar, boundary: Boundary) -> NodeScalar:
    if scalar.boundary is None:
        return scalar
    return NodeScalar(scalar.boundary, boundary.scalars[scalar.boundary], scalar.label)
