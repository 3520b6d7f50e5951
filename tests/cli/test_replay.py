"""``pto-lsp replay``: what a replay uses beside what is right."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.command import EXAMPLES, IN_CLASS, JIT, pto


@pytest.fixture(autouse=True)
def inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.py").write_text(IN_CLASS)
    Path("b.py").write_text(JIT)


def document(*words: str, code: int = 0) -> Any:
    done, out, err = pto("replay", *words, "--format", "json")
    assert (done, err) == (code, "")
    return json.loads(out)


def test_the_table_shows_the_stale_value_and_what_legalizing_makes_of_it() -> None:
    code, out, err = pto("replay", "a.py")
    assert (code, err) == (0, "")
    assert out.splitlines() == [
        "layer call 1: recorded, 1 task",
        "layer call 2: replayed, wrong, 1 task",
        "  node  kernel  argument  variable  a replay uses  after legalizing  right",
        "  0     shift   scalar 0  base      0 ✗            8                 8",
        "layer call 3: replayed, wrong, 1 task",
        "  node  kernel  argument  variable  a replay uses  after legalizing  right",
        "  0     shift   scalar 0  base      0 ✗            16                16",
        "2 of 3 calls go wrong as written. After legalizing every replay equals a fresh run.",
    ]


def test_the_document_is_that_of_the_contract() -> None:
    found = document("a.py")
    assert found["submissions"] == [
        {"kind": "graph", "fanin": []},
        {"kind": "graph", "fanin": [0]},
        {"kind": "graph", "fanin": [1]},
    ]
    (recorded,) = found["definitions"]
    assert recorded["boundary_scalars"] == 2
    assert [(slot["tag"], slot["shape"], slot["alias_of"]) for slot in recorded["boundary"]] == [
        ("input", [64, 64], 0),
        ("inout", [64, 64], 1),
    ]
    assert [(node["kernel"], node["scalars"]) for node in recorded["nodes"]] == [("shift", [{"boundary": 1}])]
    assert [(call["call"], call["equal"]) for call in found["calls"]] == [(1, True), (2, False), (3, False)]
    assert found["calls"][1]["differences"] == [
        {"node": 0, "kernel": "shift", "what": "scalar 0", "variable": "base", "replayed": 0, "fresh": 8}
    ]
    assert found["equal"] is False
    assert found["legalized"]["equal"] is True


@pytest.mark.parametrize("calls", [1, 2, 5])
def test_calls_are_counted_by_graph(calls: int) -> None:
    numbers = [call["call"] for call in document("a.py", "--calls", str(calls))["calls"]]
    assert numbers == list(range(1, calls + 1))
    assert document("b.py", "--calls", str(calls))["legalized"]["equal"] is True


@pytest.mark.parametrize("number", ["0", "-1", "many"])
def test_a_number_of_calls_is_positive(number: str) -> None:
    code, out, err = pto("replay", "a.py", "--calls", number)
    assert (code, out) == (2, "")
    assert "--calls" in err


def test_nothing_is_recorded_without_a_graph() -> None:
    message = "pto-lsp: error: b.py: 'plain' calls no Graph: nothing is recorded\n"
    assert pto("replay", "b.py::plain") == (2, "", message)
    Path("b.py").write_text(JIT.rpartition("@pl.jit\n")[0])
    assert pto("replay", "b.py") == (2, "", message)


def test_what_hoisting_cannot_save_fails() -> None:
    # A count that only the device knows decides how the recorded window moves.
    text = IN_CLASS.replace("base = i * 8", "base = pl.tensor.read(n, [0])").replace(
        "        i: pl.Scalar[pl.INDEX],\n", "        n: pl.Tensor[[4], pl.INDEX],\n"
    )
    text = text.replace(
        "def main(\n        self,\n", "def main(\n        self,\n        n: pl.Tensor[[4], pl.INDEX],\n"
    )
    text = text.replace("for n in pl.range(3)", "for k in pl.range(8)")
    Path("bad.py").write_text(text)
    assert pto("legalize", "bad.py")[0] == 1
    found = document("bad.py", code=1)
    assert found["legalized"]["equal"] is False
    assert "After legalizing: " in pto("replay", "bad.py")[1]


def test_the_example_as_its_readers_see_it() -> None:
    code, out, err = pto("replay", str(EXAMPLES / "decoder/decoder_layer.py"), "--calls", "4")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert [line for line in lines if "call" in line and not line.startswith(" ")] == [
        "decoder_layer call 1: recorded, 5 tasks",
        "decoder_layer call 2: replayed, wrong, 5 tasks",
        "decoder_layer call 3: replayed, wrong, 5 tasks",
        "decoder_layer call 4: replayed, wrong, 5 tasks",
        "3 of 4 calls go wrong as written. After legalizing every replay equals a fresh run.",
    ]
    assert "  1     rms_norm  tensor 1 offset  gamma_row     0 ✗            512               512" in lines


def test_the_explicit_example_is_right_as_written() -> None:
    code, out, _ = pto("replay", str(EXAMPLES / "decoder/decoder_layer_explicit.py"))
    assert code == 0
    assert out.splitlines()[-1] == "Every replay equals a fresh run."
