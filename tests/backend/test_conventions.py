"""The emitter's visible conventions (rules.md K1-K8)."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pto_lsp.backend.manifest import manifest
from tests.backend.constructs import HEAD, program
from tests.backend.streams import emitted


@pytest.fixture
def text(tmp_path: Path) -> str:
    """A Graph called in a loop and once more, another one beside it, a third that nobody calls."""
    body = ["for i in pl.range(2):", "    z, y = self.chain(x, y, z, i + 1)", "y, z = self.chain(x, z, y, 7)"]
    return of(
        tmp_path, HEAD + "".join(f"        {line}\n" for line in [*body, "y = self.gated(x, y, flag)", "return y"])
    )


def of(folder: Path, source: str) -> str:
    file = folder / "program.py"
    file.write_text(source)
    return emitted(file)[2].text


def body_of(text: str, function: str) -> str:
    return text.partition(f"{function}(")[2].partition("\n}\n")[0]


def entry_of(text: str) -> str:
    return body_of(text, "void aicpu_orchestration_entry")


def test_k1_one_static_function_for_each_called_graph_before_the_entry(text: str) -> None:
    functions = re.findall(r"^(?:static )?void (\w+)\((.*?)\)", text, re.MULTILINE)
    assert functions == [
        ("pypto_graph_chain", "const GraphTaskArgs &args"),
        ("pypto_graph_gated", "const GraphTaskArgs &args"),
        ("aicpu_orchestration_entry", "[[maybe_unused]] const ChipTaskArgs &args"),
    ]
    assert text.count("static void pypto_graph_") == 2 and "never_called" not in text


def test_k2_tensors_and_scalars_are_counted_apart(tmp_path: Path) -> None:
    source = (
        program("scalars after tensors")
        .replace(
            "        x: pl.Tensor[[8, 8], pl.FP32],\n        y: pl.InOut",
            "        m: pl.Scalar[pl.INDEX],\n        x: pl.Tensor[[8, 8], pl.FP32],\n        y: pl.InOut",
        )
        .replace("return y\n", "return y\n", 1)
    )
    entry = entry_of(of(tmp_path, source.replace("y = self.k(x, y, -3)", "y = self.k(x, y, m)")))
    assert "const ChipTensor &x = args.tensor(0).ref();" in entry
    assert "const ChipTensor &y = args.tensor(1).ref();" in entry
    assert "const int64_t m = from_u64<int64_t>(args.scalar(0));" in entry
    assert "const int64_t n = from_u64<int64_t>(args.scalar(1));" in entry


def test_k3_a_call_adds_tensors_by_direction_then_scalars_and_binds_nothing(text: str) -> None:
    call = entry_of(text).partition("GraphTaskArgs params_t1;")[2]
    added = [line.strip() for line in call.splitlines() if "params_t1" in line]
    assert [line.partition("(")[0].removeprefix("params_t1.") for line in added] == [
        "add_input",
        *["add_inout"] * 4,
        "add_scalar",
        "rt_submit_graph",
    ]
    assert [line[:24] for line in added[:3]] == [
        "params_t1.add_input(x);",
        "params_t1.add_inout(z);",
        "params_t1.add_inout(y);",
    ]
    assert added[-1] == "rt_submit_graph(&pypto_graph_chain, params_t1);" and "GRAPH_KEY" not in text


def test_k4_tasks_of_a_graph_are_numbered_by_graph(text: str) -> None:
    tasks = r"CoreTaskArgs params_(\w+);"
    assert re.findall(tasks, body_of(text, "pypto_graph_chain")) == ["g0_t0", "g0_t1", "g0_t2", "g0_t3"]
    assert re.findall(tasks, body_of(text, "pypto_graph_gated")) == ["g1_t0", "g1_t1", "g1_t2"]


def test_k5_a_graph_is_no_kernel(tmp_path: Path) -> None:
    file = tmp_path / "program.py"
    file.write_text(program("a Graph"))
    _, entry, source = emitted(file)
    assert [kernel.name for kernel in source.kernels] == ["k", "mixed_aic", "mixed_aiv"]
    assert '"runtime": "host_build_graph"' in manifest(entry, source) and "chain" not in manifest(entry, source)


def test_k6_a_hoisted_buffer_is_made_by_the_caller_and_results_may_be_swapped(text: str) -> None:
    graph, entry = body_of(text, "pypto_graph_chain"), entry_of(text)
    assert "t_info" not in graph and "t_graph_arg0_info" in entry
    # The Graph returns its third parameter and then its second, which the callers bind in that order.
    calls = re.findall(r"GraphTaskArgs.*?rt_submit_graph", entry, re.DOTALL)
    assert [re.findall(r"add_inout\(([yz])\)", call) for call in calls] == [["y", "z"], ["z", "y"], ["y"]]


def test_k7_a_later_call_takes_the_argument_and_not_the_result_of_an_earlier_one(text: str) -> None:
    assert "task_id" not in entry_of(text) and not re.search(r"=\s*rt_submit_graph", text)


def test_k8_an_allocation_has_at_most_16_tensors(tmp_path: Path) -> None:
    calls = re.findall(r"alloc_tensors\((.*?)\);", of(tmp_path, program("more than one batch")))
    assert [len(call.split(",")) for call in calls] == [16, 2]
