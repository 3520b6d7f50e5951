"""The JSON document and the table of ``pto-lsp replay`` (rule-codes.md "Command line")."""

from __future__ import annotations

import json
import re

from pto_lsp.analysis.replay.document import replay_document
from pto_lsp.analysis.replay.simulation import Simulation, simulate
from pto_lsp.analysis.replay.table import replay_page, replay_table
from tests.replay.sources import Source, Sources

HEADER = """\
import pypto.language as pl


@pl.program
class P:
    @pl.function(type=pl.FunctionType.InCore)
    def shift(
        self, a: pl.Tensor[[64, 64], pl.FP32], c: pl.InOut[pl.Tensor[[64, 64], pl.FP32]], off: pl.Scalar[pl.INDEX]
    ) -> pl.Tensor[[64, 64], pl.FP32]:
        t = pl.load(a, [off, 0], [8, 64])
        c = pl.store(t, [0, 0], c)
        return c

    @pl.function(type=pl.FunctionType.Graph)
    def layer(
        self,
        w: pl.Tensor[[512, 64], pl.FP32],
        c: pl.InOut[pl.Tensor[[64, 64], pl.FP32]],
        idx: pl.Scalar[pl.INDEX],
    ) -> pl.Tensor[[64, 64], pl.FP32]:
"""
MAIN = """
    @pl.function(type=pl.FunctionType.Orchestration)
    def main(
        self, w: pl.Tensor[[512, 64], pl.FP32], c: pl.InOut[pl.Tensor[[64, 64], pl.FP32]]
    ) -> pl.Tensor[[64, 64], pl.FP32]:
        for i in pl.range(3):
            c = self.layer(w, c, i)
        return c
"""


def read(*body: str) -> Source:
    return Sources().read(HEADER + "".join(f"        {line}\n" for line in body) + MAIN)


def simulations(source: Source) -> tuple[Simulation, Simulation]:
    return simulate(source.program, "main"), simulate(source.legal, "main")


HOISTED = read(
    "base = idx * 64",
    "wl = pl.slice(w, [64, 64], [base, 0])",
    "m = pl.create_tensor([64, 64], dtype=pl.FP32)",
    "m = self.shift(wl, m, idx)",
    "c = self.shift(m, c, base)",
    "return c",
)


def test_the_document_shows_the_program_as_written_and_legalized() -> None:
    document = json.loads(json.dumps(replay_document(*simulations(HOISTED))))
    assert [s["kind"] for s in document["submissions"]] == ["dummy", "graph"] * 3
    assert [[node["kernel"] for node in d["nodes"]] for d in document["definitions"]] == [["shift", "shift"]]
    assert document["equal"] is False and document["legalized"]["equal"] is True
    assert [call["equal"] for call in document["calls"]] == [True, False, False]
    second = document["calls"][1]
    assert second["call"] == 2 and second["graph"] == "layer" and second["outcome"] == "replayed"
    assert second["differences"] == [
        {"node": 1, "kernel": "shift", "what": "tensor 0 offset", "variable": "wl", "replayed": 0, "fresh": 4096},
        {"node": 2, "kernel": "shift", "what": "scalar 0", "variable": "base", "replayed": 0, "fresh": 64},
    ]
    assert document["problems"] == [] and document["gaps"] == []


def test_the_table_puts_the_legalized_value_beside_the_stale_one() -> None:
    assert replay_table(*simulations(HOISTED)).splitlines() == [
        "layer call 1: recorded, 3 tasks",
        "layer call 2: replayed, wrong, 3 tasks",
        "  node  kernel  argument         variable  a replay uses  after legalizing  right",
        "  1     shift   scalar 0         idx       1              1                 1",
        "  1     shift   tensor 0 offset  wl        0 ✗            4096              4096",
        "  2     shift   scalar 0         base      0 ✗            64                64",
        "layer call 3: replayed, wrong, 3 tasks",
        "  node  kernel  argument         variable  a replay uses  after legalizing  right",
        "  1     shift   scalar 0         idx       2              2                 2",
        "  1     shift   tensor 0 offset  wl        0 ✗            8192              8192",
        "  2     shift   scalar 0         base      0 ✗            128               128",
        "2 of 3 calls go wrong as written. After legalizing every replay equals a fresh run.",
    ]


def test_the_page_has_the_same_cells_as_the_table() -> None:
    page = replay_page(*simulations(HOISTED))
    assert "layer call 2: replayed, wrong, 3 tasks\n\n| node | kernel |" in page
    cells = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in page.splitlines() if line.startswith("|")
    ]
    rows = [
        re.split(r" {2,}", line.strip()) for line in replay_table(*simulations(HOISTED)).splitlines() if line[0] == " "
    ]
    assert [row for row in cells if set(row) != {"---"}] == rows


def test_the_table_of_a_program_that_needs_nothing() -> None:
    source = read("c = self.shift(c, c, idx)", "return c")
    assert replay_table(simulate(source.program, "main")).splitlines() == [
        "layer call 1: recorded, 1 task",
        "layer call 2: replayed, equal, 1 task",
        "  node  kernel  argument  variable  a replay uses  right",
        "  0     shift   scalar 0  idx       1              1",
        "layer call 3: replayed, equal, 1 task",
        "  node  kernel  argument  variable  a replay uses  right",
        "  0     shift   scalar 0  idx       2              2",
        "Every replay equals a fresh run.",
    ]


def test_the_table_says_why_a_call_was_not_replayed() -> None:
    source = read("for j in pl.range(idx + 1):", "    c = self.shift(c, c, 0)", "return c")
    lines = replay_table(simulate(source.program, "main")).splitlines()
    assert [line.split() for line in lines if "nodes" in line] == [
        ["1", "nodes", "1", "✗", "2"],
        ["1", "nodes", "1", "✗", "3"],
    ]
    assert lines[-1] == "2 of 3 calls go wrong as written."
    empty = read("return c")
    assert replay_table(simulate(empty.program, "main")).splitlines()[0] == (
        "layer call 1: failed (no task was recorded), 0 tasks"
    )
