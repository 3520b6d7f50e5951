"""Dynamic dimensions of helpers that are spliced into their caller."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.command import pto

PROGRAM = """\
import pypto.language as pl

ROWS = pl.dynamic("ROWS")
INNER = pl.dynamic("INNER")
ALL = pl.dynamic("ALL")


@pl.jit.incore
def add(x: pl.Tensor[[32, 64], pl.FP32], y: pl.InOut[pl.Tensor[[32, 64], pl.FP32]]):
    y = pl.store(pl.add(pl.load(x, [0, 0], [32, 64]), pl.load(y, [0, 0], [32, 64])), [0, 0], y)
    return y


@pl.jit.inline
def inner(x: pl.Tensor[[INNER, 64], pl.FP32], y: pl.InOut[pl.Tensor[[32, 64], pl.FP32]]):
    for i in pl.range(INNER // 32):
        y = add(pl.slice(x, [32, 64], [i * 32, 0]), y)
    return y


@pl.jit.inline
def helper(x: pl.Tensor[[ROWS, 64], pl.FP32], y: pl.InOut[pl.Tensor[[32, 64], pl.FP32]]):
    tmp = pl.create_tensor([ROWS, 64], dtype=pl.FP32)
    y = inner(tmp, y)
    y = inner(x, y)
    return y


@pl.jit
def main(x: pl.Tensor[[<ROWS>, 64], pl.FP32], y: pl.InOut[pl.Tensor[[32, 64], pl.FP32]]):
    y = helper(x, y)
    return y
"""


@pytest.fixture(autouse=True)
def inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def compiled(text: str) -> str:
    Path("a.py").write_text(text)
    code, _, err = pto("compile", "a.py", "-o", "out")
    assert code == 0, err
    return Path("out/orchestration/main.cpp").read_text()


def test_they_are_the_extents_of_the_arguments() -> None:
    text = compiled(PROGRAM.replace("<ROWS>", "128"))
    assert "tmp_shape[] = {static_cast<uint32_t>(128), 64};" in text
    assert text.count("i < 128 / 32") == 1 and text.count("< 128 / 32") == 2


def test_they_are_dimensions_of_the_caller() -> None:
    text = compiled(PROGRAM.replace("<ROWS>", "ALL"))
    assert "const int64_t ALL = x.shapes[0];" in text
    assert "tmp_shape[] = {static_cast<uint32_t>(ALL), 64};" in text and text.count("< ALL / 32") == 2


def test_what_differs_from_call_to_call_is_not_guessed() -> None:
    call = "    y = helper(x, y)\n"
    again = "    z = pl.create_tensor([64, 64], dtype=pl.FP32)\n    y = helper(z, y)\n"
    Path("a.py").write_text(PROGRAM.replace("<ROWS>", "128").replace(call, call + again))
    code, _, err = pto("compile", "a.py", "-o", "out")
    assert (
        code == 1
        and "PTO007 in 'main': no C++ code for the dynamic dimension 'ROWS', whose extent no tensor here says" in err
    )
