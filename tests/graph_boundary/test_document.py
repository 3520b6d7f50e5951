"""The data behind ``legalize --format json``."""

from __future__ import annotations

import json
from typing import Any

from pto_lsp.analysis.graph_boundary.document import legalize_document
from tests.graph_boundary.cases import BUMP, CREATE, layer, looped
from tests.graph_boundary.harness import Analysed, analysed, program_of


def document(program: Analysed) -> dict[str, Any]:
    made: dict[str, Any] = json.loads(json.dumps(legalize_document(program.plan, program.line_of)))
    return made


def line(program: Analysed, text: str) -> int:
    return program.text[: program.text.index(text)].count("\n") + 1


def test_the_document_of_a_hoisted_scalar() -> None:
    program = analysed(
        program_of(layer("base = idx * 128\nc = self.shift(a, c, base)\nreturn c", "idx: IDX"), looped())
    )
    made = document(program)
    graph = made["functions"][0]
    assert graph == {
        "name": "layer",
        "kind": "graph",
        "parameters": [
            {"name": "a", "kind": "tensor", "direction": "in", "hoisted": False},
            {"name": "c", "kind": "tensor", "direction": "inout", "hoisted": False},
            {"name": "idx", "kind": "scalar", "direction": "in", "hoisted": False},
            {"name": "base", "kind": "scalar", "direction": "in", "hoisted": True},
        ],
        "nodes": 1,
        "calls": [
            {"callee": "shift", "arguments": ["a", "c", "base"], "line": line(program, "self.shift(a, c, base)")}
        ],
        "returns": ["c"],
    }
    assert made["call_sites"] == [
        {
            "caller": "main",
            "callee": "layer",
            "line": line(program, "self.layer(a, c, i)"),
            "hoisted": [{"name": "base__graph_arg0", "value": "i * 128", "kind": "scalar"}],
            "arguments": ["a", "c", "i", "base__graph_arg0"],
        }
    ]
    assert made["verified"] is True


def test_callers_are_listed_after_the_graphs_and_kernels_not_at_all() -> None:
    made = document(analysed(program_of(layer(BUMP))))
    assert [(f["name"], f["kind"], f["nodes"]) for f in made["functions"]] == [
        ("layer", "graph", 1),
        ("main", "orchestration", None),
    ]
    assert made["call_sites"][0]["hoisted"] == []


def test_a_refused_program_is_shown_and_not_verified() -> None:
    made = document(analysed(program_of(layer("c = self.shift(a, c, idx * 2)\nreturn c", "idx: IDX"))))
    assert made["verified"] is False
    assert made["functions"][0]["calls"][0]["arguments"] == ["a", "c", "idx * 2"]


def test_allocations_are_values_of_call_sites() -> None:
    made = document(analysed(program_of(layer(f"tmp = {CREATE}\ntmp = self.bump(a, tmp)\n{BUMP}"))))
    assert made["call_sites"][0]["hoisted"] == [{"name": "tmp__graph_arg0", "value": CREATE, "kind": "create"}]


def test_a_program_without_graphs() -> None:
    program = analysed(
        program_of("", "@ORCH\ndef main(self, a: T, c: pl.InOut[T]) -> T:\n    c = self.bump(a, c)\n    return c\n")
    )
    made = document(program)
    assert made["call_sites"] == [] and made["verified"] is True
    assert [f["name"] for f in made["functions"]] == ["main"]
