"""The run's task stream against the real compiler and runtime (labelled-orchestrations.md)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pto_lsp.analysis.replay.simulation import Simulation, simulate
from tests.replay.sources import Sources

DATA = Path(__file__).parents[1] / "data" / "labelled-orchestrations.jsonl"
LINES = DATA.read_text(encoding="utf-8").splitlines()
# All 700 agree; an ordinary run looks at a quarter of them, both authoring styles included.
SAMPLE = range(0, len(LINES), 4)


@pytest.fixture(scope="module")
def sources() -> Sources:
    return Sources()


@pytest.mark.parametrize("part", range(4))
def test_tasks_and_edges_are_the_runtimes(sources: Sources, part: int) -> None:
    wrong = []
    for number in SAMPLE[part::4]:
        row: dict[str, Any] = json.loads(LINES[number])
        source = sources.read(row["source"])
        expected = (row["tasks"], sorted(row["edges"]), sorted(row["waits_for_allocation"]))
        if stream(simulate(source.program, source.entry.key, calls=1)) != expected:
            wrong.append(row["id"])
    assert wrong == []


def stream(simulation: Simulation) -> tuple[list[str], list[list[int]], list[int]]:
    """Tasks without allocations, edges between them, and the tasks that wait for an allocation."""
    numbers: dict[int, int] = {}
    names: list[str] = []
    for index, task in enumerate(simulation.submissions):
        if task.launch.kernel is not None or not task.launch.tensors:
            numbers[index] = len(names)
            names.append(task.launch.kernel or "dummy")
    edges = [
        [numbers[producer], numbers[index]]
        for index, task in enumerate(simulation.submissions)
        if index in numbers
        for producer in task.fanin
        if producer in numbers
    ]
    waiting = [
        numbers[index]
        for index, task in enumerate(simulation.submissions)
        if index in numbers and any(producer not in numbers for producer in task.fanin)
    ]
    return names, sorted(edges), sorted(waiting)
