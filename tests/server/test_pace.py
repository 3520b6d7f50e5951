"""When findings are held back: while edits come faster than anybody reads, and never for somebody who waits."""

from __future__ import annotations

import random

import pytest

from pto_lsp.server.pace import BURST_SECONDS, OVERDUE, PATIENCE, Pace


def sent_after(gaps: list[float], takes: float) -> list[float]:
    """Edits that far apart, whose findings take that long: for each that are sent the delay behind their edit.

    The last edit comes after all ``gaps``, and nothing after it.
    """
    pace, now, sent = Pace(), 0.0, []
    for gap in [*gaps, float("inf")]:
        pace.edited(now)
        ready = now + takes
        ready += pace.hold(ready)
        if ready < now + gap:
            pace.sent()
            sent.append(ready - now)
        now += gap
    return sent


@pytest.mark.parametrize("takes", [0.0, 0.001, 0.003, 0.0049])
def test_of_a_burst_the_first_and_the_last_are_sent(takes: float) -> None:
    first, last = sent_after([0.005] * 9, takes)
    assert first == takes
    assert last == pytest.approx(max(takes, 0.005 * OVERDUE))


@pytest.mark.parametrize("seed", range(20))
def test_a_burst_that_is_not_regular(seed: int) -> None:
    rng = random.Random(seed)
    assert len(sent_after([0.005 + rng.uniform(0, 0.0009) for _ in range(50)], 0.003)) <= 3


@pytest.mark.parametrize("gap", [BURST_SECONDS * 1.01, 0.03, 0.2])
def test_what_somebody_types_is_sent_at_once(gap: float) -> None:
    assert sent_after([gap] * 20, 0.003) == pytest.approx([0.003] * 21)


@pytest.mark.parametrize("takes", [0.0005, 0.002, 0.004, 0.009])
def test_who_waits_for_findings_is_soon_given_them_at_once(takes: float) -> None:
    pace, now, delays = Pace(), 0.0, []
    for _ in range(40):
        pace.edited(now)
        delay = takes + pace.hold(now + takes)
        pace.sent()
        delays.append(delay)
        now += delay + 0.0002
    assert delays[0] == takes
    assert sum(delay > takes for delay in delays) <= PATIENCE
    assert max(delays) < 2 * BURST_SECONDS


def test_after_a_pause_a_burst_is_a_burst_again() -> None:
    pace, now = Pace(), 0.0
    for _ in range(10):
        pace.edited(now)
        now += 0.003 + pace.hold(now + 0.003)
        pace.sent()
    assert pace.hold(now) == 0.0
    pace.edited(now + 1.0)
    assert pace.hold(now + 1.001) == 0.0
    pace.edited(now + 1.005)
    assert pace.hold(now + 1.006) > 0.0
