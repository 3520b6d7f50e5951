"""A simulation as plain data for JSON (rule-codes.md "Command line", recorded-definitions.md)."""

from __future__ import annotations

from typing import Any

from pto_lsp.analysis.replay.boundary import alias_partition
from pto_lsp.analysis.replay.compare import Difference
from pto_lsp.analysis.replay.definition import Definition, Node, NodeScalar, NodeTensor
from pto_lsp.analysis.replay.dtypes import runtime_name
from pto_lsp.analysis.replay.launches import TensorArg
from pto_lsp.analysis.replay.ring import RingTask
from pto_lsp.analysis.replay.simulation import CallComparison, Simulation
from pto_lsp.analysis.replay.values import Tensor, UnknownValue

Json = dict[str, Any]


def submission(task: RingTask) -> Json:
    if task.kind == "kernel":
        return {"kind": "kernel", "kernel": task.launch.kernel, "fanin": list(task.fanin)}
    return {"kind": task.kind, "fanin": list(task.fanin)}


def definition(recorded: Definition) -> Json:
    partition = alias_partition(recorded.boundary)
    return {
        "boundary_scalars": recorded.scalar_count,
        "boundary": [_slot(arg, alias) for arg, alias in zip(recorded.boundary, partition)],
        "nodes": [_node(node) for node in recorded.nodes],
    }


def call(compared: CallComparison) -> Json:
    """``graph`` and ``outcome`` are there for programs of several Graphs, and for calls that were no replay."""
    return {
        "call": compared.number,
        "graph": compared.graph,
        "outcome": compared.outcome.value,
        "equal": compared.equal,
        "differences": [difference(each) for each in compared.differences],
    }


def difference(found: Difference) -> Json:
    return {
        "node": found.node,
        "kernel": found.kernel,
        "what": found.what,
        "variable": found.variable,
        "replayed": found.replayed,
        "fresh": found.fresh,
    }


def replay_document(written: Simulation, legalized: Simulation) -> Json:
    """The whole document: tasks and recordings of the legalized program, calls of the program as written.

    ``legalized`` holds what becomes of the same calls after legalizing.
    """
    return {
        "submissions": [submission(task) for task in legalized.submissions],
        "definitions": [definition(each) for each in legalized.definitions],
        "calls": [call(each) for each in written.calls],
        "equal": written.equal,
        "legalized": {"calls": [call(each) for each in legalized.calls], "equal": legalized.equal},
        "problems": list(dict.fromkeys(written.problems + legalized.problems)),
        "gaps": list(dict.fromkeys(written.gaps + legalized.gaps)),
    }


def _slot(arg: TensorArg, alias: int) -> Json:
    if not isinstance(arg.tensor, Tensor):
        return {"tag": arg.tag.value, "dtype": None, "shape": None, "strides": None, "alias_of": alias}
    return {
        "tag": arg.tag.value,
        "dtype": runtime_name(arg.tensor.dtype),
        "shape": list(arg.tensor.shape),
        "strides": list(arg.tensor.strides),
        "alias_of": alias,
    }


def _node(node: Node) -> Json:
    return {
        "kernel": node.kernel,
        "fanin": list(node.fanin),
        "tensors": [_tensor(tensor) for tensor in node.tensors],
        "scalars": [_scalar(scalar) for scalar in node.scalars],
    }


def _tensor(tensor: NodeTensor) -> Json:
    known = tensor.tensor if isinstance(tensor.tensor, Tensor) else None
    return {
        "source": tensor.source.value,
        "index": tensor.index,
        "offset": tensor.offset,
        "shape": None if known is None else list(known.shape),
        "strides": None if known is None else list(known.strides),
    }


def _scalar(scalar: NodeScalar) -> Json:
    if scalar.boundary is not None:
        return {"boundary": scalar.boundary}
    return {"static": "?" if isinstance(scalar.value, UnknownValue) else scalar.value}
