"""What the server remembers of texts that are gone is bounded: edits beyond the first hundreds add next to nothing."""

from __future__ import annotations

import gc
import random

import pytest

from pto_lsp.diagnostics import Position, Range
from pto_lsp.project import Change, Project
from tests.robustness.fuzzing.corpus import SIZES, model

pytestmark = pytest.mark.long

PATH = "/folder/model.py"


def test_objects_of_old_texts_are_let_go() -> None:
    project = Project()
    project.open("/folder/sizes.py", SIZES)
    text = model(150, graph=True)
    project.open(PATH, text)
    project.check(PATH)
    lines = text.split("\n")
    rng = random.Random(1)
    numbers = [number for number, line in enumerate(lines) if line.startswith("    ") and line.endswith(")")]

    def edit(count: int, first: int) -> int:
        """So many edits, each of them to a text that was never there before; how many objects there are then."""
        for fresh in range(first, first + count):
            number = rng.choice(numbers)
            end = Position(number, len(lines[number]))
            addition = f" + {fresh}"
            project.change(PATH, [Change(Range(end, end), addition)])
            project.check(PATH)
            project.change(PATH, [Change(Range(end, Position(number, end.column + len(addition))), "")])
            project.check(PATH)
        gc.collect()
        return len(gc.get_objects())

    warm = edit(60, 0)
    # Without bounds each edit leaves hundreds of objects behind.
    assert edit(60, 1000) - warm < 60 * 100
