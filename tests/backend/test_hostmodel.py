"""The host model against the replay simulator, and against what the runtime is known to do."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pto_lsp.analysis.graph_boundary.legalize import legalize
from pto_lsp.analysis.replay.document import definition, submission
from pto_lsp.analysis.replay.simulation import simulate
from pto_lsp.backend.hostmodel.record import (
    CompileError,
    HostModel,
    TensorArgument,
    bits_of,
    find_compiler,
    record,
)
from pto_lsp.cli.program import Session
from tests.cli.command import EXAMPLES, IN_CLASS

HERE = Path(__file__).parent / "orchestrations"
ENTRY = "aicpu_orchestration_entry"
COMPILER = find_compiler()
pytestmark = [pytest.mark.long, pytest.mark.skipif(COMPILER is None, reason="no C++ compiler")]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> HostModel:
    assert COMPILER is not None
    return HostModel(tmp_path_factory.mktemp("hostmodel"), COMPILER)


@pytest.fixture(scope="module")
def cases(model: HostModel) -> Path:
    return model.program(HERE / "cases.cpp", ENTRY)


def run(cases: Path, number: int) -> dict[str, Any]:
    return record(cases, [TensorArgument("FLOAT32", (8, 16)), TensorArgument("FLOAT32", (8, 16)), number])


def named(document: dict[str, Any], kernels: list[str]) -> dict[str, Any]:
    """Submissions and definitions as the simulator writes them."""

    def kernel(node: dict[str, Any]) -> str | None:
        return kernels[max(node["kernels"])] if "kernels" in node else None

    submissions = [
        {"kind": each["kind"], **({"kernel": kernel(each)} if kernel(each) else {}), "fanin": each["fanin"]}
        for each in document["submissions"]
    ]
    keys = ("fanin", "tensors", "scalars")
    definitions = [
        {
            "boundary_scalars": each["boundary_scalars"],
            "boundary": each["boundary"],
            "nodes": [{"kernel": kernel(node), **{key: node[key] for key in keys}} for node in each["nodes"]],
        }
        for each in document["definitions"]
    ]
    return {"submissions": submissions, "definitions": definitions}


def simulated(file: Path) -> dict[str, Any]:
    entry = Session().open(str(file)).graph_entry(None)
    start = entry.recorded
    assert start is not None
    found = simulate(legalize(entry.analysis.plan), start.key)
    return {
        "submissions": [submission(task) for task in found.submissions],
        "definitions": [definition(each) for each in found.definitions],
    }


def test_a_graph_with_a_hoisted_scalar_records_as_the_simulator_says(model: HostModel, tmp_path: Path) -> None:
    source = tmp_path / "a.py"
    source.write_text(IN_CLASS)
    tensor = TensorArgument("FLOAT32", (64, 64))
    found = record(model.program(HERE / "shift.cpp", ENTRY), [tensor, tensor])
    assert found["problems"] == []
    assert named(found, ["shift"]) == simulated(source)
    assert [call["outcome"] for call in found["calls"]] == ["recorded", "replayed", "replayed"]
    assert [call["nodes"][0]["scalars"] for call in found["calls"]] == [[0], [8], [16]]


def test_the_experts_example_records_as_the_simulator_says(model: HostModel) -> None:
    shapes = [(8, 256), (256, 4), (3072, 256), (8, 256)]
    program = model.program(HERE / "experts.cpp", ENTRY)
    found = record(program, [TensorArgument("FLOAT32", shape) for shape in shapes])
    assert found["problems"] == []
    kernels = ["route", "load_of_experts", "expert", "weigh", "combine"]
    assert named(found, kernels) == simulated(EXAMPLES / "moe" / "moe_region.py")
    starts = [[node["tensors"][1]["start"] for node in call["nodes"][2:10:2]] for call in found["calls"]]
    assert starts == [[(4 * layer + e) * 256 * 256 for e in range(4)] for layer in range(3)]


def test_edges_between_tasks(cases: Path) -> None:
    found = run(cases, 0)
    # A write-only argument waits for nobody; the in-out one replaces every writer, newest first.
    assert [task["fanin"] for task in found["submissions"]] == [[], [], [1, 0], [1], [], [4, 1, 0], [5]]


def test_which_scalars_are_refreshed(cases: Path) -> None:
    found = run(cases, 1)
    nodes = [node["scalars"] for node in found["definitions"][0]["nodes"]]
    assert nodes == [
        [{"boundary": 1}],
        [{"static": 11}],
        [{"static": 10}, {"static": 11}],
        [{"boundary": 1}],
        [{"static": 11}],
    ]
    assert [node["scalars"] for node in found["calls"][1]["nodes"]] == [[21], [11], [10, 11], [21], [11]]


def test_slots_with_one_view_in_the_first_call_stay_one(cases: Path) -> None:
    replayed = run(cases, 2)["calls"][1]
    assert replayed["outcome"] == "replayed"
    assert [node["tensors"][0]["start"] for node in replayed["nodes"]] == [32, 32]


def test_a_boundary_that_does_not_fit_runs_as_ordinary_tasks(cases: Path) -> None:
    found = run(cases, 3)
    assert [call["outcome"] for call in found["calls"]] == ["recorded", "ordinary tasks", "ordinary tasks"]
    assert [task["kind"] for task in found["submissions"]] == ["graph"] + ["kernel"] * 4


def test_memory_and_manual_scopes_in_a_body(cases: Path) -> None:
    recorded = run(cases, 4)["definitions"][0]
    assert recorded["required_heap"] == 2048
    shown = [(n["fanin"], [(t["source"], t["index"], t["offset"]) for t in n["tensors"]]) for n in recorded["nodes"]]
    assert shown == [
        ([], [("OWN_OUTPUT", 0, 0), ("OWN_OUTPUT", 0, 1024)]),
        ([0], [("INTERNAL", 0, 1024)]),
        ([1], [("BOUNDARY_VIEW", 0, 16)]),
    ]


def test_construction_parameters_are_part_of_the_key(cases: Path) -> None:
    found = run(cases, 5)
    assert [len(each["nodes"]) for each in found["definitions"]] == [1, 2]
    assert [(call["definition"], call["outcome"]) for call in found["calls"]] == [
        (0, "recorded"),
        (1, "recorded"),
        (0, "replayed"),
    ]
    assert [task["fanin"] for task in found["submissions"]] == [[], [0], [1]]


@pytest.mark.parametrize(
    ("case", "problem"),
    [
        (6, "-5: a Graph inside a Graph"),
        (7, "-5: a dependency on an invalid task id"),
        (8, "-5: an automatic scope inside a manual one"),
        (10, "-1: "),
    ],
)
def test_what_ends_the_run(cases: Path, case: int, problem: str) -> None:
    problems = run(cases, case)["problems"]
    assert len(problems) == 1
    assert problems[0].startswith(problem)


def test_manual_scopes_infer_nothing(cases: Path) -> None:
    assert [task["fanin"] for task in run(cases, 8)["submissions"]] == [[], []]


def test_attributes_of_a_launch_and_access_by_the_host(cases: Path) -> None:
    found = run(cases, 9)
    first, second, _ = found["submissions"]
    assert (first["kernels"], first["block_num"], first["predicate"], first["tags"]) == (
        [-1, 7, -1],
        6,
        True,
        ["no_dep"],
    )
    assert first["scalars"] == [bits_of(0.5), 0xFFFFFFFF]
    assert (second["tensors"][0]["shape"], second["tensors"][0]["strides"]) == ([16, 8], [1, 16])
    assert found["problems"] == ["-5: the host accesses a tensor that a task writes"]


def test_an_entry_gets_the_arguments_it_expects(cases: Path) -> None:
    assert record(cases, [1])["problems"] == ["the entry expects another number of arguments"]


@pytest.mark.parametrize(
    "statement",
    ["args.add_input(t.view(shape, shape));", "args.add_scalar(t);", "alloc_tensors(info).get_ref(0);"],
)
def test_what_the_interface_does_not_allow_does_not_compile(model: HostModel, tmp_path: Path, statement: str) -> None:
    source = tmp_path / "wrong.cpp"
    start = """#include "pto_orchestration_api.h"
void f(const ChipTensor &t);
void f(const ChipTensor &t) {
    CoreTaskArgs args;
    const uint32_t shape[] = {1};
    TensorCreateInfo info(shape, 1);
    args.add_input(t);
    args.add_output(info);
"""
    source.write_text(start + "}\n")
    model.check(source)
    source.write_text(start + statement + "\n}\n")
    with pytest.raises(CompileError, match="error"):
        model.check(source)
