"""Task streams of emitted orchestrations, as the host model records them and as the replay simulator computes them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Union

import pytest

from pto_lsp.analysis.graph_boundary.legalize import legalize
from pto_lsp.analysis.ir.program import Function, Program
from pto_lsp.analysis.ir.types import ScalarType, TensorType
from pto_lsp.analysis.replay.definition import Node, NodeTensor, Source
from pto_lsp.analysis.replay.document import definition, submission
from pto_lsp.analysis.replay.dtypes import is_float, runtime_name
from pto_lsp.analysis.replay.evaluate import Evaluator
from pto_lsp.analysis.replay.host import Outcome
from pto_lsp.analysis.replay.ring import RingTask
from pto_lsp.analysis.replay.simulation import CallComparison, Simulation, simulate
from pto_lsp.analysis.replay.values import Tensor
from pto_lsp.backend.hostmodel.record import HostModel, TensorArgument, bits_of, find_compiler, record
from pto_lsp.backend.orchestration.emit import Orchestration, emit_orchestration
from pto_lsp.cli.program import Session

pytestmark = None
COMPILER = find_compiler()
needs_compiler = pytest.mark.skipif(COMPILER is None, reason="no C++ compiler")
RUNS = 4
"""The recording call and three replays, where the entry itself calls a Graph only once."""
Json = dict[str, Any]
Number = Union[int, float, bool]
Types = dict[str, list[str]]
"""Data types of the scalars of a kernel, by its name."""


def emitted(file: Path, name: str | None = None) -> tuple[Program, Function, Orchestration]:
    """The legalized program of a file, its entry, and the orchestration."""
    opened = Session().open(str(file))
    found = opened.orchestration_entry(name)
    assert found.orchestration is not None
    program = legalize(found.analysis.plan)
    entry = program.functions[found.orchestration.key]
    source = emit_orchestration(program, entry, lambda place: f"{file.name}:{opened.line(place)}")
    return program, entry, source


def compare(model: HostModel, path: Path, program: Program, entry: Function, source: Orchestration) -> Json:
    """Compile ``source`` in ``path``, run it `RUNS` times, and hold all of it against the simulator; the record."""
    assert source.faults == ()
    path.write_text(source.text)
    tensors, numbers = arguments(entry)
    sets = [[_number(value, run) for value in numbers] for run in range(RUNS)]
    document = record(model.program(path, source.entry), [*tensors, *sets[0]], sets[1:])
    names = [param.name for param in entry.params if not isinstance(param.type, TensorType)]
    given = [dict(zip(names, values)) for values in sets]
    expected = simulate(program, entry.key, given, RUNS, oracle=lambda buffer, element, epoch: 0)
    assert expected.gaps == ()
    assert bool(document["problems"]) == bool(expected.problems), (document["problems"], expected.problems)
    if not expected.problems:
        assert tasks(document, source) == simulated_tasks(expected, source)
        assert calls(document) == simulated_calls(expected.calls)
    return document


def arguments(entry: Function) -> tuple[list[TensorArgument], list[ScalarType]]:
    """Memory for the tensors, and the types of the scalars."""
    evaluator = Evaluator({}, lambda buffer, element: 0)
    tensors: list[TensorArgument] = []
    numbers: list[ScalarType] = []
    for param in entry.params:
        if isinstance(param.type, TensorType):
            shape = [evaluator.value(extent) for extent in param.type.shape or ()]
            sizes = tuple([size for size in shape if isinstance(size, int)])
            tensors.append(TensorArgument(runtime_name(param.type.dtype), sizes))
        elif isinstance(param.type, ScalarType):
            numbers.append(param.type)
    return tensors, numbers


def _number(type_: ScalarType, run: int) -> Number:
    """Other arguments in every run."""
    value = (2, 0, 3, 1)[run]
    if type_.dtype == "BOOL":
        return value % 2 == 1
    return value + 0.5 if is_float(type_.dtype) else value


# ---- tasks and recordings


class Numbered:
    """Allocations in order of appearance."""

    def __init__(self) -> None:
        self._numbers: dict[object, int] = {}

    def __call__(self, buffer: object) -> int:
        return self._numbers.setdefault(buffer, len(self._numbers))


def tasks(document: Json, source: Orchestration) -> Json:
    """Submissions and definitions, with the names of kernels."""
    number = Numbered()
    submissions = []
    for each in document["submissions"]:
        shown = {**each, **_named(each, source)}
        if each["kind"] == "kernel":
            shown["scalars"] = [_extended(bits, type_) for bits, type_ in zip(each["scalars"], _types(each, source))]
            shown["tensors"] = [{**tensor, "buffer": number(tensor["buffer"])} for tensor in each["tensors"]]
        submissions.append(shown)
    definitions = []
    for each in document["definitions"]:
        nodes = [
            {**node, "block_num": node.get("block_num", 1), **_named(node, source), "scalars": _scalars(node, source)}
            for node in each["nodes"]
        ]
        definitions.append({**each, "nodes": nodes})
    for each in [*submissions, *(node for recorded in definitions for node in recorded["nodes"])]:
        each.pop("kernels", None)
    return {"submissions": submissions, "definitions": definitions}


def _types(node: Json, source: Orchestration) -> list[str]:
    """Data types of a kernel's scalars."""
    if "kernels" not in node:
        return []
    params = source.kernels[max(node["kernels"])].function.params
    return [param.type.dtype for param in params if isinstance(param.type, ScalarType)]


def _scalars(node: Json, source: Orchestration) -> list[Json]:
    found: list[Json] = []
    for scalar, type_ in zip(node["scalars"], _types(node, source)):
        found.append({"static": _extended(scalar["static"], type_)} if "static" in scalar else scalar)
    return found


def _extended(bits: int, dtype: str) -> int:
    """What a kernel reads from a slot, sign-extended: a slot holds a narrow integer zero-extended."""
    width = int(dtype[3:]) if dtype.startswith("INT") and dtype[3:].isdecimal() else 64
    low = bits & ((1 << width) - 1)
    return bits_of(low - (1 << width) if low >> (width - 1) else low)


def _named(node: Json, source: Orchestration) -> Json:
    if "kernels" not in node:
        return {"kernel": None}
    found = source.kernels[max(node["kernels"])]
    both = sum(number >= 0 for number in node["kernels"]) > 1
    return {"kernel": found.name.removesuffix(f"_{found.core}") if both else found.name}


def simulated_tasks(expected: Simulation, source: Orchestration) -> Json:
    number = Numbered()
    types = {
        kernel.function.task_name: [p.type.dtype for p in kernel.function.params if isinstance(p.type, ScalarType)]
        for kernel in source.kernels
    }
    return {
        "submissions": [_task(task, number, types) for task in expected.submissions],
        "definitions": [
            {
                **definition(each),
                "required_heap": each.required_heap,
                "nodes": [_node(node, types) for node in each.nodes],
            }
            for each in expected.definitions
        ],
    }


def _task(task: RingTask, number: Numbered, types: Types) -> Json:
    launch = task.launch
    shown = {"kernel": None, **submission(task)}
    if task.kind == "kernel":
        tensors = [(arg.tensor, arg.tag) for arg in launch.tensors if isinstance(arg.tensor, Tensor)]
        shown.update(
            block_num=1 if launch.core_num is None else launch.core_num,
            predicate=launch.predicate is not None,
            scalars=[_bits(a.value, type_) for a, type_ in zip(launch.scalars, types[launch.kernel or ""])],
            tags=[tag.value for _, tag in tensors],
            tensors=[{"buffer": number(tensor.buffer), **_window(tensor)} for tensor, _ in tensors],
        )
    return shown


def _node(node: Node, types: Types) -> Json:
    shown: Json = {
        "kernel": node.kernel,
        "block_num": 1 if node.core_num is None else node.core_num,
        "fanin": list(node.fanin),
        "tensors": [_classified(tensor) for tensor in node.tensors],
        "scalars": [
            {"static": _bits(scalar.value, type_)} if scalar.boundary is None else {"boundary": scalar.boundary}
            for scalar, type_ in zip(node.scalars, types.get(node.kernel or "", []))
        ],
    }
    predicate = node.predicate
    if predicate is not None:
        operand = _classified(predicate.operand)
        rest = {"element": predicate.element, "op": predicate.op, "target": predicate.target}
        shown["predicate"] = {"operand": operand, **rest}
    return shown


def _classified(tensor: NodeTensor) -> Json:
    shape = {key: value for key, value in _window(tensor.tensor).items() if key != "start"}
    return {"source": tensor.source.value, "index": tensor.index, "offset": tensor.offset, **shape}


def _window(tensor: object) -> Json:
    assert isinstance(tensor, Tensor)
    return {"start": tensor.start, "shape": list(tensor.shape), "strides": list(tensor.strides)}


# ---- what each call uses


def calls(document: Json) -> list[Json]:
    """The first `RUNS` calls of every Graph."""
    number, counts = Numbered(), Counter[int]()

    def placed(run: int, tensor: Json) -> Json:
        return {**tensor, "buffer": number((run, tensor["buffer"]))} if "buffer" in tensor else tensor

    shown = []
    for call in document["calls"]:
        counts[call["definition"]] += 1
        if counts[call["definition"]] <= RUNS:
            nodes = [
                {"tensors": [placed(call["run"], tensor) for tensor in node["tensors"]], "scalars": node["scalars"]}
                for node in call["nodes"]
            ]
            shown.append({"outcome": call["outcome"], "nodes": nodes})
    return shown


def simulated_calls(compared: Sequence[CallComparison]) -> list[Json]:
    number = Numbered()

    def placed(tensor: NodeTensor) -> Json:
        assert isinstance(tensor.tensor, Tensor)
        if tensor.source in (Source.BOUNDARY_EXACT, Source.BOUNDARY_VIEW):
            return {"buffer": number(tensor.tensor.buffer), **_window(tensor.tensor)}
        return {"node": tensor.index, "offset": tensor.offset, **_window(tensor.tensor)}

    def used(call: CallComparison) -> tuple[Node, ...]:
        return call.replayed or call.fresh if call.outcome is not Outcome.ORDINARY else ()

    return [
        {
            "outcome": call.outcome.value,
            "nodes": [
                {"tensors": [placed(t) for t in node.tensors], "scalars": [_bits(s.value) for s in node.scalars]}
                for node in used(call)
            ],
        }
        for call in compared
    ]


def _bits(value: object, type_: str = "") -> int:
    """A number as a kernel reads it from a slot for a parameter of this type."""
    assert isinstance(value, (int, float))
    return bits_of(float(value) if is_float(type_) else value)
