"""Programs that a Python function makes: its arguments are those of its calls in the file, or given."""

from __future__ import annotations

from pathlib import Path

import pytest

from pto_lsp.backend.shapes.factories import Factories
from tests.cli.command import pto

FACTORY = """\
import pypto.language as pl


def build(rows: int, tiles: int = 2):
    cols = rows * 4

    @pl.program
    class Twice:
        @pl.function(type=pl.FunctionType.InCore)
        def double(
            self, a: pl.Tensor[[rows, cols], pl.FP32], c: pl.Out[pl.Tensor[[rows, cols], pl.FP32]]
        ) -> pl.Tensor[[rows, cols], pl.FP32]:
            t = pl.load(a, [0, 0], [rows, cols])
            c = pl.store(pl.add(t, t), [0, 0], c)
            return c

        @pl.function(type=pl.FunctionType.Orchestration)
        def main(
            self, x: pl.Tensor[[rows, cols], pl.FP32], y: pl.Out[pl.Tensor[[rows, cols], pl.FP32]]
        ) -> pl.Tensor[[rows, cols], pl.FP32]:
            for i in pl.range(tiles):
                y = self.double(x, y)
            return y

    return Twice
"""
QUALNAME = "build.<locals>.Twice.main"


def shown(code: str, **given: int) -> dict[str, dict[str, int | float]]:
    return Factories(FACTORY + code, QUALNAME).arguments(given, {"EIGHT": 8}.get)


def test_parameters_of_the_functions_around() -> None:
    assert Factories(FACTORY, QUALNAME).parameters == {"rows", "tiles"}
    assert Factories(FACTORY, "Twice.main").parameters == frozenset()
    nested = "def a(x, *, y=1):\n    def b(z):\n        def c(): pass\n"
    assert Factories(nested, "a.<locals>.b.<locals>.c").parameters == {"x", "y", "z"}


@pytest.mark.parametrize(
    ("calls", "known"),
    [
        ("build(16)", {"rows": 16, "tiles": 2}),
        ("build(tiles=3, rows=EIGHT * 2)", {"rows": 16, "tiles": 3}),
        ("build(16)\nbuild(8)", {"tiles": 2}),
        ("build(16)\nbuild(16, 4)", {"rows": 16}),
        ("def main():\n    rows = 16\n    return build(rows)", {"rows": 16, "tiles": 2}),
        ("if __name__ == '__main__':\n    rows = 16\n    build(rows=rows)", {"rows": 16, "tiles": 2}),
        ("for rows in (8, 16):\n    build(rows)", {"tiles": 2}),
        ("build(parsed.rows)", {"tiles": 2}),
        ("build(*numbers)", {}),
        ("numbers = (16, 3)\nbuild(*numbers)", {"rows": 16, "tiles": 3}),
        ("build(16, **rest)", {"rows": 16}),
        ("", {"tiles": 2}),
    ],
)
def test_what_the_calls_agree_about(calls: str, known: dict[str, int]) -> None:
    assert shown(calls) == ({"build": known} if known else {})


def test_what_is_given_wins() -> None:
    assert shown("build(16)", rows=32) == {"build": {"rows": 32, "tiles": 2}}


def test_a_function_defined_twice_says_nothing() -> None:
    assert Factories(f"{FACTORY}\n{FACTORY}\nbuild(16)\n", QUALNAME).arguments({}, {}.get) == {}


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    file = Path("made.py")
    file.write_text(FACTORY)
    return file


def test_a_program_made_with_an_unknown_number_says_which(file: Path) -> None:
    code, out, err = pto("compile", "made.py", "-o", "out")
    assert (code, out) == (1, "")
    assert "'rows', a value of Python that nothing says" in err
    assert not Path("out").exists()


def test_numbers_are_given_or_read_off_a_call(file: Path) -> None:
    code, _, err = pto("compile", "made.py", "-o", "given", "--arg", "rows=16", "--arg", "tiles=3")
    assert (code, err) == (0, "")
    file.write_text(f"{FACTORY}\nprogram = build(16, tiles=3)\n")
    code, _, err = pto("compile", "made.py", "-o", "called")
    assert (code, err) == (0, "")
    given, called = (Path(each, "orchestration/main.cpp").read_text() for each in ("given", "called"))
    assert given == called
    code, out, err = pto("run", "made.py", "--expect", "y == x + x", "--order", "random")
    assert (code, err) == (0, "")
    assert out.startswith("main: 3 tasks") and "x: FP32[16, 64]" in out
    code, out, err = pto("run", "made.py", "--arg", "rows=8")
    assert (code, err) == (0, "")
    assert "x: FP32[8, 32]" in out


def test_a_number_for_nobody_is_refused(file: Path) -> None:
    for command in (["compile", "made.py", "-o", "out"], ["run", "made.py"]):
        code, _, err = pto(*command, "--arg", "rowz=16")
        assert (code, err) == (2, "pto-lsp: error: made.py: --arg: 'main' has no parameter 'rowz'\n")
