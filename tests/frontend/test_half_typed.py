"""While a line is being typed, nothing is said of the uses of what it binds."""

from __future__ import annotations

import pytest

from pto_lsp.analysis.frontend.half_typed import bound_by
from pto_lsp.project import Project

HEAD = """import pypto.language as pl


@pl.jit
def main(x: pl.InOut[pl.Tensor[[64, 64], pl.FP32]], n: pl.Scalar[pl.INDEX]):
"""


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("scratch = pl.", "scratch"),
        ("scratch=(", "scratch"),
        ("a, b = f(", "a b"),
        ("(a, b) = f(", "a b"),
        ("a, = (", "a"),
        ("rows: pl.Scalar[pl.INDEX] = (", "rows"),
        ("rows += (", "rows"),
        ("rows //= (", "rows"),
        ("for i in pl.range(", "i"),
        ("for i, (acc,) in pl.range(4, init_values=(", "i"),
        ("for i", "i"),
        ("with pl.at(level=pl.Level.CORE_GROUP) as tid", "tid"),
        ("with pl.at(level=(pl.Level.CORE_GROUP) as tid:", "tid"),
        ("x[0:8, :] = pl.", ""),
        ("x.y = (", ""),
        ("a == (", ""),
        ("if a == (", ""),
        ("if a <= (", ""),
        ("f(a=", ""),
        ("return (", ""),
        ("for in", ""),
        ("scra", ""),
        ("def = (", ""),
    ],
)
def test_names_at_the_beginning(text: str, names: str) -> None:
    found = bound_by(text)
    assert [var.name for var in found] == names.split()
    assert [text[var.span.start : var.span.end] for var in found] == names.split()


@pytest.mark.parametrize(
    ("begin", "rest", "later"),
    [
        ("scratch =", " pl.create_tensor([64, 64], dtype=pl.FP32)", ["view = pl.slice(scratch, [8, 64], [0, 0])"]),
        ("rows =", " n * 2 + pl.max(n, (4))", ["view = pl.slice(x, [8, 64], [rows, 0])"]),
        ("for i", " in pl.range(n):", ["    view = pl.slice(x, [8, 64], [i, 0])"]),
        (
            "with pl.at(level=pl.Level.CORE_GROUP) as tid",
            ":",
            [
                "    x[:, :] = pl.exp(x)",
                "with pl.at(level=pl.Level.CORE_GROUP, deps=[tid]):",
                "    x[:, :] = pl.exp(x)",
            ],
        ),
    ],
)
def test_no_use_is_undefined_while_the_line_is_typed(begin: str, rest: str, later: list[str]) -> None:
    project, at = Project(), HEAD.count("\n")
    for length in range(len(rest) + 1):
        lines = "".join([f"    {line}\n" for line in (begin + rest[:length], *later, "return x")])
        project.open("typed.py", HEAD + lines)
        elsewhere = [found for found in project.check("typed.py") if found.range.start.line != at]
        assert [found for found in elsewhere if found.code == "PTO003"] == [], lines


def test_what_was_bound_before_is_unknown_after_a_line_that_binds_it_again() -> None:
    project = Project()
    source = f"{HEAD}    rows = 4\n    rows = (\n    x = pl.slice(x, [rows, 64], [0, 0])\n    return x\n"
    project.open("typed.py", source)
    assert {found.code for found in project.check("typed.py")} == {"PTO001"}
