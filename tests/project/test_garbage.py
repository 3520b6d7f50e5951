"""What an edit replaces is freed at once: a garbage collection in the midst of typing would be felt."""

from __future__ import annotations

import gc
from pathlib import Path

import pytest

from pto_lsp.diagnostics import Position, Range
from pto_lsp.project import Change, Project

EXAMPLES = Path(__file__).parents[2] / "examples"
FILES = [
    EXAMPLES / "decoder" / "decoder_layer.py",
    EXAMPLES / "attention" / "paged_attention.py",
    EXAMPLES / "tutorial" / "two_stages.py",
]


def edits(text: str) -> list[tuple[int, int, str]]:
    """A change of a value, and a line that breaks off, at every third line inside a function: (line, column, text)."""
    lines = text.split("\n")
    inside = [number for number, line in enumerate(lines) if line.startswith("    ") and "=" in line]
    return [(number, len(lines[number]), new) for number in inside[::3] for new in (" + 1", " + (")]


@pytest.mark.parametrize("path", FILES, ids=[path.stem for path in FILES])
def test_edits_leave_no_cycles_behind(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    project = Project()
    project.open(str(path), text)
    project.check(str(path))

    def make(line: int, column: int, new: str) -> None:
        for removed, put in ((0, new), (len(new), "")):
            where = Range(Position(line, column), Position(line, column + removed))
            project.change(str(path), [Change(where, put)])
            project.check(str(path))

    wanted = edits(text)
    make(*wanted[0])
    gc.collect()
    enabled = gc.isenabled()
    gc.disable()
    try:
        for each in wanted:
            make(*each)
        assert gc.collect() == 0
    finally:
        if enabled:
            gc.enable()
