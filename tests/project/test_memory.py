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

pytestmark = pytest.mark.usefixtures("only_what_comes")

EXAMPLES = Path(__file__).parents[2] / "examples"
TEXTS = {
    "orchestration": ORCHESTRATION,
    "decoder": (EXAMPLES / "decoder" / "decoder_layer.py").read_text(encoding="utf-8"),
    "attention": (EXAMPLES / "attention" / "paged_attention.py").read_text(encoding="utf-8"),
}
PATH = "/memory/model.py"
ENTRY = """
import pypto.language as pl
from kernels import layer, T


@pl.jit
def main(x: pl.Tensor[[T, T], pl.FP32], out: pl.Out[pl.Tensor[[T, T], pl.FP32]]):
    layer(x, x, out, 0)
    return out
"""


def nodes(path: str = PATH) -> int:
    """The statements and functions of the document that are alive."""
    gc.collect()
    found = 0
    for each in gc.get_objects():
        if isinstance(each, Referable) and each.at.source.path == path:  # type: ignore[attr-defined]
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


NAMES = [pytest.param(name, marks=pytest.mark.long if name == "orchestration" else ()) for name in TEXTS]


@pytest.mark.parametrize("kind", [values, broken, constants], ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("name", NAMES)
def test_statements_that_were_replaced_go(name: str, kind: Callable[[Edited, int], None]) -> None:
    edited = Edited(TEXTS[name])
    fresh = nodes()
    for round_ in range(1, 4):
        kind(edited, round_)
        # What a function was before the last edits is kept for a while: they may be taken back.
        assert nodes() <= 5 * fresh


def functions(edited: Edited, round_: int) -> None:
    """Names of functions typed letter by letter, and heads that break off."""
    for number, line in enumerate(edited.lines):
        if line.lstrip().startswith("def "):
            column = line.index("(")
            word = f"_{round_}_again"
            for at, letter in enumerate(word):
                edited.edit(number, column + at, 0, letter)
            edited.edit(number, column, len(word), "")
            edited.both_ways(number, column, 1, "")


@pytest.mark.parametrize("name", NAMES)
def test_functions_that_are_renamed_or_deleted_go(name: str) -> None:
    edited = Edited(TEXTS[name])
    fresh = nodes()
    for round_ in range(1, 3):
        functions(edited, round_)
        values(edited, round_)
        assert nodes() <= 5 * fresh


def test_functions_of_modules_that_are_read_anew_go(tmp_path: Path) -> None:
    imported, entry = tmp_path / "kernels.py", tmp_path / "model.py"
    imported.write_text(ORCHESTRATION, encoding="utf-8")
    entry.write_text(ENTRY, encoding="utf-8")
    project = Project()
    project.open(str(entry), ENTRY)
    project.check(str(entry))
    fresh = nodes(str(imported))
    assert fresh > 100
    for number in range(20):
        imported.write_text(f"# {number}\n{ORCHESTRATION}", encoding="utf-8")
        project.forget(str(imported))
        project.check(str(entry))
    assert nodes(str(imported)) <= 5 * fresh


def test_kernels_that_are_called_something_else_go() -> None:
    edited = Edited(ORCHESTRATION)
    fresh = nodes()
    hint = 'name_hint="'
    lines = [(number, line.index(hint) + len(hint)) for number, line in enumerate(edited.lines) if hint in line]
    for round_ in range(20):
        for number, column in lines:
            edited.both_ways(number, column, 0, f"k{round_}_{number}_")
        assert nodes() <= 2 * fresh
