"""Static search for tensors bound to the wrong boundary slot, against the simulation."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

from pto_lsp.analysis.replay.aliases import aliased_bindings
from pto_lsp.analysis.replay.compare import Cause
from pto_lsp.analysis.replay.simulation import simulate
from tests.replay.generator import Generator, Options, Style
from tests.replay.sources import Source, Sources
from tests.support.effort import examples

DATA = Path(__file__).parents[1] / "data" / "recorded-definitions.jsonl"


def simulated(source: Source) -> set[str]:
    run = simulate(source.legal, "main")
    found = [d for call in run.calls for d in call.differences]
    return {d.variable for d in found if d.cause is Cause.ALIASED and d.what != "fan-in"}


def predicted(source: Source) -> set[str]:
    return {binding.label for binding in aliased_bindings(source.legal, "layer")}


def test_recorded_programs() -> None:
    """Programs that the compiler accepts and the runtime replays wrongly are found without running them."""
    sources = Sources()
    hazards = 0
    for line in DATA.read_text(encoding="utf-8").splitlines():
        row: dict[str, Any] = json.loads(line)
        source = sources.read(row["source"])
        assert predicted(source) == simulated(source), row["id"]
        hazards += bool(predicted(source))
    assert hazards > 3


def test_random_programs() -> None:
    """The search looks at two trips of every loop and three calls: what it finds is real."""
    sources = Sources()
    for seed in range(examples(120)):
        source = sources.read(Generator(Random(seed), Options(Style.PROGRAM, 0.0)).source)
        assert predicted(source) <= simulated(source) or simulate(source.legal, "main").problems, source.text


def test_the_message_names_both_parameters() -> None:
    text = Generator(Random(0), Options(Style.PROGRAM, 0.0)).source
    head, _, _ = text.partition("    @pl.function(type=pl.FunctionType.Graph)")
    source = Sources().read(
        head
        + """\
    @pl.function(type=pl.FunctionType.Graph)
    def layer(
        self, w: pl.Tensor[[512, 64], pl.FP32], c: pl.InOut[pl.Tensor[[64, 64], pl.FP32]], p: pl.Scalar[pl.INDEX]
    ) -> pl.Tensor[[64, 64], pl.FP32]:
        u = pl.slice(w, [64, 64], [p * 8, 0])
        v = pl.slice(w, [64, 64], [p * 16, 0])
        c = self.bump(u, c)
        c = self.bump(v, c)
        return c

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(
        self, w: pl.Tensor[[512, 64], pl.FP32], c: pl.InOut[pl.Tensor[[64, 64], pl.FP32]]
    ) -> pl.Tensor[[64, 64], pl.FP32]:
        for k in pl.range(4):
            c = self.layer(w, c, k)
        return c
"""
    )
    (found,) = aliased_bindings(source.legal, "layer")
    assert (found.own, found.taken_for) == ("v", "u")
    assert found.message == (
        "call 2: 'v' starts at element 512, should start at 1024, because the recording took it for 'u'"
    )
