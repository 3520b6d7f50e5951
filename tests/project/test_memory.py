"""What is kept of a document does not grow with the number of its edits, whatever they are."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pto_lsp.analysis.node import Referable
from pto_lsp.diagnostics import Position, Range
from pto_lsp.project import Change, Project
from tests.project.test_reuse import ORCHESTRATION

EXAMPLES = Path(__file__).parents[2] / "examples"
TEXTS = {
    "orchestration": ORCHESTRATION,
    "decoder": (EXAMPLES / "decoder" / "decoder_layer.py").read_text(encoding="utf-8"),
    "attention": (EXAMPLES / "attention" / "paged_attention.py").read_text(encoding="utf-8"),
}
PATH = "/memory/model.py"


def nodes() -> int:
    """The statements and functions of the document that are alive."""
    gc.collect()
    found = 0
    for each in gc.get_objects():
        if isinstance(each, Referable) and each.at.source.path == PATH:  # type: ignore[attr-defined]
            found += 1
    return found


class Edited:
    def __init__(self, text: str) -> None:
        self.lines = text.split("\n")
        self.project = Project()
        self.project.open(PATH, text)
        self.project.check(PATH)

    def edit(self, line: int, column: int, length: int, new: str) -> None:
        where = Range(Position(line, column), Position(line, column + length))
        self.project.change(PATH, [Change(where, new)])
        self.project.check(PATH)

    def both_ways(self, line: int, column: int, length: int, new: str) -> None:
        """Make an edit and take it back."""
        old = self.lines[line][column : column + length]
        self.edit(line, column, length, new)
        self.edit(line, column, len(new), old)

    def inside(self) -> Iterator[int]:
        """Lines in functions where something is given a name."""
        for number, line in enumerate(self.lines):
            if line.startswith("    ") and " = " in line:
                yield number


def values(edited: Edited, round_: int) -> None:
    for line in edited.inside():
        edited.both_ways(line, len(edited.lines[line]), 0, f" + {round_}")


def broken(edited: Edited, round_: int) -> None:
    for line in edited.inside():
        edited.both_ways(line, len(edited.lines[line]), 0, f" + (  # {round_}")


def constants(edited: Edited, round_: int) -> None:
    for number, line in enumerate(edited.lines):
        if line[:1].isupper() and " = " in line:
            for _ in range(6):
                edited.both_ways(number, len(line), 0, f" * {round_ + 2}")


@pytest.mark.parametrize("kind", [values, broken, constants], ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("name", TEXTS)
def test_statements_that_were_replaced_go(name: str, kind: Callable[[Edited, int], None]) -> None:
    edited = Edited(TEXTS[name])
    fresh = nodes()
    for round_ in range(1, 4):
        kind(edited, round_)
        # What a function was before the last edits is kept for a while: they may be taken back.
        assert nodes() <= 5 * fresh
