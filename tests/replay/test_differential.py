"""Accepted programs replay right after legalizing; refused ones would have frozen something (issue: "Differential")."""

from __future__ import annotations

from random import Random

from hypothesis import HealthCheck, given, note, settings
from hypothesis import strategies as st

from pto_lsp.analysis.graph_boundary.limits import Conformance
from tests.replay.generator import Generator, Options, Style
from tests.replay.oracle import FROZEN, judge
from tests.replay.sources import Sources
from tests.support.effort import examples

# What the reference and this project do not share is only the acceptance of more programs.
SOURCES: dict[Conformance, Sources] = {"reference": Sources("reference"), "extended": Sources("extended")}


@settings(max_examples=examples(300), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.randoms(use_true_random=False))
def test_plan_and_replay_agree(random: Random) -> None:
    text = Generator(random).source
    note(text)
    for sources in SOURCES.values():
        verdict = judge(sources.read(text))
        assert verdict.broken == [], text


def test_the_generator_reaches_both_sides() -> None:
    """A property that holds because nothing is ever accepted, or refused, would say nothing."""
    seen: set[str] = set()
    for seed in range(90):
        text = Generator(Random(seed), Options(random_style(seed), 0.35)).source
        verdict = judge(SOURCES["extended"].read(text))
        assert verdict.broken == [], text
        seen.update(verdict.refusals or ("accepted",))
    assert {"accepted", *FROZEN} <= seen


def random_style(seed: int) -> Style:
    return list(Style)[seed % 3]


def test_a_window_that_freezes_may_meet_a_slot_on_the_first_call() -> None:
    """Seed 21142: PTO204 names 'v5', whose frozen window is that of the hoisted 'v9' on the first call."""
    for sources in SOURCES.values():
        text = Generator(Random(21142)).source
        source = sources.read(text)
        verdict = judge(source)
        assert ("PTO204", "v5") in {(finding.code, finding.subject) for finding in source.findings}
        assert (verdict.broken, verdict.warned) == ([], True), text
