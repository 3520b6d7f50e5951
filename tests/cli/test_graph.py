"""``pto-lsp graph``: one graph in several forms."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import pytest

from tests.cli.command import EXAMPLES, IN_CLASS, JIT, pto

TUTORIAL = str(EXAMPLES / "tutorial/two_stages.py")
RACE = (
    JIT.split("@pl.jit\n")[0]
    + """\
@pl.jit
def main(
    x: pl.Tensor[[64, 64], pl.FP32],
    s: pl.InOut[pl.Tensor[[64, 64], pl.FP32]],
    y: pl.InOut[pl.Tensor[[64, 64], pl.FP32]],
):
    y = add(s, y)
    s = add(x, s)
    return y
"""
)


@pytest.fixture(autouse=True)
def inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.py").write_text(IN_CLASS)
    Path("b.py").write_text(JIT)
    Path("race.py").write_text(RACE)


def document(*words: str) -> Any:
    code, out, err = pto("graph", *words, "--format", "json")
    assert (code, err) == (0, "")
    return json.loads(out)


def test_text_is_the_default() -> None:
    code, out, err = pto("graph", TUTORIAL)
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0].startswith("two_stages: 2 tasks")
    assert lines[1] == "  longest chain (in tasks, not in time): stage1 → stage2"
    assert lines[2].startswith("[1] stage1  at at L14  ×1")
    assert lines[3] == "[2] stage2  at at L16  ×1   waits: [1] stage1 (RAW scratch)"


def test_the_document_is_that_of_the_contract() -> None:
    found = document(TUTORIAL)
    assert {"version", "function", "exact", "unknown", "nodes", "tensors", "loops", "edges", "missing"} <= set(found)
    summary = found["summary"]
    assert {name: summary[name] for name in ("tasks", "dummies", "edges", "depth", "roots", "leaves")} == {
        "tasks": 2,
        "dummies": 0,
        "edges": 1,
        "depth": 2,
        "roots": 1,
        "leaves": 1,
    }
    assert [node["site"] for node in found["nodes"]] == [f"{TUTORIAL}#L14", f"{TUTORIAL}#L16"]
    (edge,) = found["edges"]
    assert (edge["source"], edge["hazard"], edge["redundant"]) == ("tensormap", "RAW", False)
    assert "unrolled" not in found


def test_unrolled_lists_every_task() -> None:
    found = document("a.py", "--unroll")["unrolled"]
    assert found["tasks"] == [{"kernel": "layer", "line": 35}] * 3
    assert [(edge["pred"], edge["succ"], edge["source"], edge["tensor"]) for edge in found["edges"]] == [
        (0, 1, "tensormap", "c"),
        (1, 2, "tensormap", "c"),
    ]
    assert pto("graph", "a.py", "--unroll")[1].splitlines() == [
        "main: 3 tasks, 2 edges",
        "0  layer  L35",
        "1  layer  L35  waits: 0 (WAW c)",
        "2  layer  L35  waits: 1 (WAW c)",
    ]


def test_a_graph_by_name_shows_the_tasks_inside() -> None:
    assert [node["name"] for node in document("a.py::layer")["nodes"]] == ["shift"]
    assert [node["name"] for node in document("b.py::block")["nodes"]] == ["add"]
    assert [node["kind"] for node in document("b.py::stacked")["nodes"]] == ["graph"]


def test_the_first_orchestration_is_the_default() -> None:
    assert document("b.py")["function"] == "plain"
    assert document("b.py::stacked")["function"] == "stacked"


def test_a_loop_of_unknown_length_is_not_unrolled() -> None:
    text = JIT.replace("    c = add(a, c)\n    c = add(a, c)\n", "    for i in pl.range(n):\n        c = add(a, c)\n")
    text = text.replace("def plain(", "def plain(n: pl.Scalar[pl.INDEX], ")
    Path("open.py").write_text(text)
    note = "pto-lsp: note: open.py: not every trip count and condition of 'plain' is constant: not unrolled\n"
    code, out, err = pto("graph", "open.py", "--unroll", "--format", "json")
    assert (code, err) == (0, note)
    found = json.loads(out)
    assert "unrolled" not in found
    assert (found["summary"]["tasks"], found["exact"]) == ("n", False)
    code, out, err = pto("graph", "open.py", "--unroll")
    assert (code, err) == (0, note)
    assert "×n" in out


def test_several_files_make_an_array_and_one_does_not() -> None:
    assert [each["function"] for each in document("a.py", TUTORIAL)] == ["main", "two_stages"]
    code, out, err = pto("graph", "a.py", "gone.py", "b.py::stacked", "--format", "json")
    assert (code, err) == (2, "pto-lsp: error: gone.py: cannot be read: no such file or directory\n")
    assert [each["function"] for each in json.loads(out)] == ["main", "stacked"]
    assert pto("graph", "gone.py", "--format", "json")[:2] == (2, "")
    text = pto("graph", "a.py", "b.py")[1]
    assert text == pto("graph", "a.py")[1] + "\n" + pto("graph", "b.py")[1]


def test_drawn_forms() -> None:
    code, out, err = pto("graph", TUTORIAL, "--format", "dot")
    assert (code, err) == (0, "")
    assert out.startswith('digraph "two_stages" {') and 'n1 -> n2 [label="RAW scratch"' in out
    code, out, err = pto("graph", TUTORIAL, "--format", "mermaid")
    assert (code, err) == (0, "")
    assert out.startswith("flowchart LR\n") and 'n1 -->|"RAW scratch"| n2' in out
    code, out, err = pto("graph", TUTORIAL, "--format", "svg")
    assert (code, err) == (0, "")
    assert ElementTree.fromstring(out).tag == "{http://www.w3.org/2000/svg}svg"


@pytest.mark.parametrize(
    "words",
    [
        ["a.py", "b.py", "--format", "svg"],
        ["a.py", "b.py", "--format", "mermaid"],
        ["a.py", "--unroll", "--format", "dot"],
        ["a.py", "--fail-on", "everything"],
    ],
)
def test_what_makes_no_sense_is_refused(words: list[str]) -> None:
    code, out, err = pto("graph", *words)
    assert (code, out) == (2, "")
    assert "error: " in err


def test_too_many_edges_for_mermaid_are_drawn_as_dot() -> None:
    calls = "".join(f"    c = add(a{number}, c)\n" for number in range(160))
    params = ", ".join(f"a{number}: pl.Tensor[[64, 64], pl.FP32]" for number in range(160))
    source = JIT.split("@pl.jit\n")[0]
    source += f"@pl.jit\ndef main({params}, c: pl.InOut[pl.Tensor[[64, 64], pl.FP32]]):\n{calls}    return c\n"
    Path("many.py").write_text(source)
    code, out, err = pto("graph", "many.py", "--format", "mermaid")
    assert (code, err) == (0, "pto-lsp: note: more than 150 edges, too many for Mermaid: this is DOT\n")
    assert out.startswith('digraph "main" {')


def test_races_fail_only_when_asked_for() -> None:
    assert pto("graph", "race.py")[::2] == (0, "")
    code, out, err = pto("graph", "race.py", "--fail-on", "race")
    assert (code, out) == (1, pto("graph", "race.py")[1])
    assert " ".join(err.split()[:3]) == "race.py:17:16: PTO701 'add'"
    assert "(none: WAR s)" in out
    code, out, err = pto("graph", "a.py", "race.py", "--fail-on", "race", "--format", "json")
    assert (code, len(json.loads(out))) == (1, 2)
    assert pto("graph", "a.py", "--fail-on", "race")[::2] == (0, "")


def test_a_silenced_race_does_not_fail() -> None:
    Path("race.py").write_text(RACE.replace("s = add(x, s)", "s = add(x, s)  # pto: ignore[PTO701]"))
    assert pto("graph", "race.py", "--fail-on", "race")[::2] == (0, "")
    Path("race.py").write_text(RACE)
    Path("pto-lsp.toml").write_text("ignore = ['PTO7']\n")
    assert pto("graph", "race.py", "--fail-on", "race")[::2] == (0, "")
    Path("pto-lsp.toml").unlink()


def test_a_race_elsewhere_in_the_file_is_not_this_functions() -> None:
    Path("race.py").write_text(RACE + JIT.partition("@pl.jit\n")[1] + JIT.partition("@pl.jit\n")[2])
    assert pto("graph", "race.py::plain", "--fail-on", "race")[::2] == (0, "")
    assert pto("graph", "race.py::main", "--fail-on", "race")[0] == 1


def test_edge_modes_choose_what_is_drawn(tmp_path: Path) -> None:
    file = tmp_path / "chain.py"
    file.write_text(
        "import pypto.language as pl\n\nT = pl.Tensor[[64, 64], pl.FP32]\n\n\n"
        "@pl.jit.incore\ndef add(a: T, c: pl.InOut[T]):\n"
        "    t = pl.add(pl.load(a, [0, 0], [64, 64]), pl.load(c, [0, 0], [64, 64]))\n"
        "    c = pl.store(t, [0, 0], c)\n    return c\n\n\n"
        "@pl.jit\ndef main(a: pl.InOut[T], c: pl.InOut[T]):\n"
        "    a = add(c, a)\n    c = add(a, c)\n    c = add(a, c)\n    return a, c\n"
    )
    drawn = {}
    for mode in ("full", "reduced", "omitted", "reduced_dataflow", "omitted_dataflow"):
        code, out, err = pto("graph", str(file), "--format", "dot", "--edges", mode)
        assert (code, err) == (0, "")
        drawn[mode] = re.findall(r"n(\d) -> n(\d)", out)
    assert drawn["omitted"] == [("1", "3")] and drawn["omitted_dataflow"] == []
    assert drawn["full"] == drawn["reduced_dataflow"]
    assert sorted(drawn["reduced"] + drawn["omitted"]) == sorted(drawn["full"])
    code, _, err = pto("graph", str(file), "--edges", "full")
    assert code == 2 and "--edges selects what is drawn" in err


def test_a_graph_of_the_decoder_says_where_helpers_are_called() -> None:
    code, out, _ = pto("graph", f"{EXAMPLES / 'decoder/decoder_layer.py'}::decoder_layer")
    assert code == 0
    assert [line.split("at L")[1].split()[0] for line in out.splitlines()[2:]] == ["38", "39", "44", "44"]


def recorded(folder: Path, edges: list[tuple[int, int]]) -> str:
    """A record of the two tasks of the tutorial."""
    tasks = [{"task_id": str((1 << 32) + n), "kernel_ids": [-1, n, -1]} for n in (0, 1)]
    waits = [{"pred": str((1 << 32) + a), "succ": str((1 << 32) + b), "source": "tensormap"} for a, b in edges]
    (folder / "deps.json").write_text(json.dumps({"tasks": tasks, "tensors": [], "edges": waits}))
    (folder / "name_map_run.json").write_text(json.dumps({"callable_id_to_name": {"0": "stage1", "1": "stage2"}}))
    return str(folder / "deps.json")


def test_a_recorded_graph(tmp_path: Path) -> None:
    code, out, err = pto("graph", TUTORIAL, "--observed", recorded(tmp_path, [(0, 1)]))
    assert (code, err) == (0, "")
    assert out.splitlines()[2] == "  record: 1 waits in both, 0 only predicted, 0 only in the record"
    assert out.splitlines()[4].endswith("waits: [1] stage1 (RAW scratch, recorded)")
    found = document(TUTORIAL, "--observed", recorded(tmp_path, []))
    assert found["record"]["predicted"] == 1 and found["edges"][0]["observed"] == "predicted"
    for form in ("dot", "mermaid", "svg"):
        code, out, err = pto("graph", TUTORIAL, "--format", form, "--observed", recorded(tmp_path, []))
        assert (code, err) == (0, "") and "not recorded" in out


def test_a_record_without_names(tmp_path: Path) -> None:
    path = recorded(tmp_path, [(0, 1)])
    (tmp_path / "name_map_run.json").unlink()
    code, out, err = pto("graph", TUTORIAL, "--observed", path)
    assert code == 0 and "1 waits in both" in out
    assert "no name_map*.json beside it" in err


@pytest.mark.parametrize(
    ("content", "message"),
    [(None, "cannot be read"), (b"{", "no JSON"), (b"[]", "no object"), (b"\x00\xff", "null bytes")],
)
def test_a_record_that_is_none(content: bytes | None, message: str, tmp_path: Path) -> None:
    path = tmp_path / "deps.json"
    if content is not None:
        path.write_bytes(content)
    code, out, err = pto("graph", TUTORIAL, "--observed", str(path))
    assert (code, out) == (2, "") and str(path) in err and message in err


def test_a_record_is_of_one_program() -> None:
    code, out, err = pto("graph", "a.py", "b.py", "--observed", "deps.json")
    assert (code, out) == (2, "") and "one FILE" in err
