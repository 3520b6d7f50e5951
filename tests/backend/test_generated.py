"""Generated programs on the host model: what is accepted compiles and submits what the simulator says."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, Phase, given, note, settings
from hypothesis import strategies as st

from pto_lsp.analysis.graph_boundary.graph_plan import REFUSALS
from pto_lsp.analysis.replay.simulation import simulate
from pto_lsp.backend.hostmodel.record import HostModel
from pto_lsp.backend.orchestration.emit import emit_orchestration
from tests.backend.streams import COMPILER, compare, needs_compiler
from tests.replay.generator import Generator
from tests.replay.sources import Source, Sources

SOURCES = Sources()


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> HostModel:
    assert COMPILER is not None
    return HostModel(tmp_path_factory.mktemp("hostmodel"), COMPILER)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("generated")


def check(model: HostModel, folder: Path, source: Source) -> bool:
    """Whether the program was accepted, and its run could be compared."""
    if any(finding.code in REFUSALS for finding in source.findings):
        return False
    entry = source.legal.functions["main"]
    orchestration = emit_orchestration(source.legal, entry, lambda place: "")
    assert [str(fault.cause) for fault in orchestration.faults] == []
    if simulate(source.legal, "main").gaps:
        return False
    compare(model, folder / "entry.cpp", source.legal, entry, orchestration)
    return True


@needs_compiler
@pytest.mark.long
@settings(
    max_examples=15,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    # Each example is compiled: shrinking would take minutes.
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
)
@given(st.randoms(use_true_random=False))
def test_accepted_programs_submit_what_the_simulator_says(model: HostModel, folder: Path, random: Random) -> None:
    source = SOURCES.read(Generator(random).source)
    note(source.text)
    check(model, folder, source)


@needs_compiler
@pytest.mark.slow
def test_many_accepted_programs(model: HostModel, folder: Path) -> None:
    accepted = 0
    for seed in range(300):
        source = SOURCES.read(Generator(Random(seed)).source)
        try:
            accepted += check(model, folder, source)
        except AssertionError as fault:
            raise AssertionError(f"seed {seed}:\n{source.text}") from fault
    assert accepted > 60
