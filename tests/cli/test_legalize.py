"""``pto-lsp legalize``: the program on standard output, findings on standard error or in the document."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.command import EXAMPLES, IN_CLASS, JIT, pto

WITH_EXAMPLES = pytest.mark.parametrize("example", ["decoder/decoder_layer.py", "moe/moe_region.py"])


@pytest.fixture(autouse=True)
def inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.py").write_text(IN_CLASS)
    Path("b.py").write_text(JIT)


def document(*words: str, code: int = 0) -> Any:
    done, out, err = pto("legalize", *words, "--format", "json")
    assert (done, err) == (code, "")
    return json.loads(out)


def places(err: str) -> list[str]:
    """Place and code of each finding."""
    return [" ".join(line.split()[:2]) for line in err.splitlines()]


def test_methods_get_parameters_and_callers_their_values() -> None:
    code, out, err = pto("legalize", "a.py")
    assert code == 0
    assert "        base: pl.Scalar[pl.INDEX],\n    ) -> pl.Tensor[[64, 64], pl.FP32]:\n" in out
    assert "        c = self.shift(a, c, base)\n" in out and "base = i * 8" not in out
    assert "            base__graph_arg0 = n * 8\n            c = self.layer(a, c, n, base__graph_arg0)\n" in out
    assert places(err) == ["a.py:24:9: PTO101"]


def test_a_graph_scope_becomes_a_function() -> None:
    code, out, err = pto("legalize", "b.py")
    assert code == 0
    assert "@pl.jit.graph\ndef block(" in out
    assert "    v__graph_arg0 = pl.slice(w, [64, 64], [n * 64, 0])\n" in out
    assert "plain" not in out
    assert places(err) == ["b.py:21:17: PTO201"]


def test_the_document_is_that_of_the_contract() -> None:
    found = document("a.py")
    assert list(found) == ["functions", "call_sites", "verified", "diagnostics"]
    assert found["functions"][0] == {
        "name": "layer",
        "kind": "graph",
        "parameters": [
            {"name": "a", "kind": "tensor", "direction": "in", "hoisted": False},
            {"name": "c", "kind": "tensor", "direction": "inout", "hoisted": False},
            {"name": "i", "kind": "scalar", "direction": "in", "hoisted": False},
            {"name": "base", "kind": "scalar", "direction": "in", "hoisted": True},
        ],
        "nodes": 1,
        "calls": [{"callee": "shift", "arguments": ["a", "c", "base"], "line": 25}],
        "returns": ["c"],
    }
    assert found["call_sites"] == [
        {
            "caller": "main",
            "callee": "layer",
            "line": 35,
            "hoisted": [{"name": "base__graph_arg0", "value": "n * 8", "kind": "scalar"}],
            "arguments": ["a", "c", "n", "base__graph_arg0"],
        }
    ]
    assert found["verified"] is True
    (warning,) = found["diagnostics"]
    assert (warning["code"], warning["filename"], warning["subject"]) == ("PTO101", "a.py", "base")
    assert (warning["location"], warning["end_location"]) == ({"row": 24, "column": 9}, {"row": 24, "column": 13})


def test_the_diagnostics_are_those_of_check() -> None:
    Path("pto-lsp.toml").write_text("severity = { PTO101 = 'error' }\n")
    found = document("a.py", code=1)["diagnostics"]
    assert [each["severity"] for each in found] == ["error"]
    assert found[0]["fix"]["title"] == "Hoist 'base' to call site"
    assert found == json.loads(pto("check", "a.py", "--output-format", "json")[1])


def test_comments_and_settings_silence() -> None:
    Path("a.py").write_text(IN_CLASS.replace("base = i * 8", "base = i * 8  # pto: ignore"))
    assert document("a.py")["diagnostics"] == []
    Path("pto-lsp.toml").write_text("ignore = ['PTO2']\n")
    assert pto("legalize", "b.py")[2] == ""


REFUSED = IN_CLASS.replace(
    "c = self.shift(a, c, base)", "m = pl.tensor.full([64, 64], 0.0)\n        c = self.shift(a, c, base)"
)


def test_a_refused_program_is_printed_with_what_is_wrong() -> None:
    Path("bad.py").write_text(REFUSED)
    code, out, err = pto("legalize", "bad.py")
    assert code == 1
    assert "base__graph_arg0 = n * 8" in out
    assert "bad.py:25:13: PTO303" in places(err)
    assert document("bad.py", code=1)["functions"][0]["parameters"][-1]["name"] == "base"


def test_silencing_a_refusal_does_not_make_it_accepted() -> None:
    Path("bad.py").write_text("# pto: ignore-file\n" + REFUSED)
    assert document("bad.py", code=1)["diagnostics"] == []


def test_conformance_comes_from_the_configuration() -> None:
    text = IN_CLASS.replace(
        "c = self.shift(a, c, base)",
        "for k in pl.range(4):\n            t = 8\n            off = k * t\n            c = self.shift(a, c, off)",
    )
    Path("x.py").write_text(text)
    assert "PTO103" not in [each["code"] for each in document("x.py")["diagnostics"]]
    Path("pto-lsp.toml").write_text("conformance = 'reference'\n")
    assert "PTO103" in [each["code"] for each in document("x.py", code=1)["diagnostics"]]


def test_findings_of_other_programs_in_the_file_are_left_out() -> None:
    other = (
        IN_CLASS.replace("import pypto.language as pl\n", "").replace("class P", "class Q").replace("i * 8", "i * 4")
    )
    Path("two.py").write_text(IN_CLASS + other)
    first, second = document("two.py"), document("two.py::Q")
    assert [each["location"]["row"] for each in first["diagnostics"]] == [24]
    assert [each["location"]["row"] for each in second["diagnostics"]] == [24 + 35]
    assert second["call_sites"][0]["hoisted"][0]["value"] == "n * 4"


HELPER = """\
import pypto.language as pl


@pl.jit.incore
def add(a: pl.Tensor[[64, 64], pl.FP32], c: pl.InOut[pl.Tensor[[64, 64], pl.FP32]]):
    c[:, :] = pl.add(a[:, :], c[:, :])
    return c


@pl.jit.inline
def spliced(w: pl.Tensor[[256, 64], pl.FP32], n: pl.Scalar[pl.INDEX], c: pl.Tensor[[64, 64], pl.FP32]):
    v = pl.slice(w, [64, 64], [n * 64, 0])
    c = add(v, c)
    return c
"""
CALLER = """\
import pypto.language as pl

from helper import spliced


@pl.jit.graph
def layer(w: pl.Tensor[[256, 64], pl.FP32], n: pl.Scalar[pl.INDEX], c: pl.InOut[pl.Tensor[[64, 64], pl.FP32]]):
    c = spliced(w, n, c)
    return c


@pl.jit
def main(w: pl.Tensor[[256, 64], pl.FP32], c: pl.InOut[pl.Tensor[[64, 64], pl.FP32]]):
    for n in pl.range(4):
        c = layer(w, n, c)
    return c
"""


def test_what_is_spliced_in_counts_where_it_is_called_and_is_found_where_it_is_written() -> None:
    Path("helper.py").write_text(HELPER)
    Path("caller.py").write_text(CALLER)
    found = document("caller.py")
    assert [call["line"] for call in found["functions"][0]["calls"]] == [8]
    assert [(each["code"], each["filename"], each["location"]["row"]) for each in found["diagnostics"]] == [
        ("PTO201", "helper.py", 12)
    ]


def test_paths_are_as_given() -> None:
    Path("sub").mkdir()
    Path("sub/helper.py").write_text(HELPER)
    Path("sub/caller.py").write_text(CALLER)
    assert places(pto("legalize", "sub/../sub/caller.py")[2]) == ["sub/helper.py:12:9: PTO201"]
    target = str(Path("sub/caller.py").resolve())
    assert document(target)["diagnostics"][0]["filename"] == "sub/helper.py"


@WITH_EXAMPLES
def test_the_output_is_source_that_needs_nothing_more(example: str) -> None:
    code, out, _ = pto("legalize", str(EXAMPLES / example))
    assert code == 0
    Path("legal.py").write_text(out)
    again = document("legal.py")
    assert [site["hoisted"] for site in again["call_sites"]] == [[] for _ in again["call_sites"]]
    assert again["verified"] is True
    assert pto("legalize", "legal.py")[:2] == (0, out)


def test_the_layer_of_the_example_reads_as_its_explicit_form() -> None:
    code, out, err = pto("legalize", str(EXAMPLES / "decoder/decoder_layer.py"))
    assert code == 0
    for line in (
        "for layer in pl.range(4):",
        "base__graph_arg0 = layer * 512",
        "gamma_row__graph_arg1 = pl.slice(gamma, [1, 512], [layer, 0])",
        "w_o_layer__graph_arg2 = pl.slice(w_o, [512, 512], [base__graph_arg0, 0])",
        "hidden__graph_arg6 = pl.create_tensor([16, 1024], dtype=pl.FP32)",
        "normed: pl.InOut[pl.Tensor[[16, 512], pl.FP32]],",
        "normed = self.rms_norm(x, gamma_row, normed)",
        "x = self.mlp_down_spmd(hidden, w_down_layer, x, core_num=8)",
    ):
        assert f" {line}\n" in out
    assert sorted(place.split()[1] for place in places(err)) == ["PTO101", *["PTO201"] * 4, *["PTO301"] * 2]
