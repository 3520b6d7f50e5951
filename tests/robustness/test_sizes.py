"""Files far larger, deeper or stranger than anybody writes: an answer in bounded time, the findings elsewhere kept."""

from __future__ import annotations

import time

import pytest

from pto_lsp.project import Project
from tests.support.worlds import HEAD

FAULTY = """
@pl.jit
def main(x: pl.Tensor[[64, 64], pl.FP32], acc: pl.InOut[pl.Tensor[[64, 64], pl.FP32]], n: pl.Scalar[pl.INDEX]):
    v = {expression}
    with pl.at(level=pl.Level.CORE_GROUP):
        acc[:, :] = pl.add(pl.add(x, acc), nowhere)
    return acc
"""


def codes(text: str) -> list[str]:
    project = Project()
    project.open("/main.py", text)
    return [d.code for d in project.check("/main.py")]


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("(" * 10_000 + "n" + ")" * 10_000, ["PTO008"]),
        ("-" * 3_000 + "n", ["PTO008"]),
        (" + ".join(["n"] * 5_000), ["PTO008"]),
        ("not " * 3_000 + "n", ["PTO008"]),
        ("n" + ".a" * 5_000, ["PTO008"]),
        ("n" + "[0]" * 5_000, ["PTO008"]),
        (" + ".join(["n"] * 300), []),
        ("[" + ", ".join(["1"] * 5_000) + "]", []),
        ("'" + "長" * 1_000_000 + "'", []),
        ("1" * 4_000, []),
    ],
)
def test_an_extreme_expression_costs_only_itself(expression: str, expected: list[str]) -> None:
    found = codes(HEAD + FAULTY.format(expression=expression))
    assert "PTO003" in found
    assert [code for code in found if code in ("PTO001", "PTO008")] == expected


@pytest.mark.long
def test_a_file_of_200_000_lines() -> None:
    started = time.process_time()
    found = codes(HEAD + "x = 1\n" * 200_000 + FAULTY.format(expression="n"))
    assert "PTO003" in found
    # Far from a measurement: only quadratic work would get here.
    assert time.process_time() - started < 60


LONG = """
@pl.jit
def main(x: pl.Tensor[[64, 64], pl.FP32], acc: pl.InOut[pl.Tensor[[64, 64], pl.FP32]], n: pl.Scalar[pl.INDEX]):
    t = nowhere
    s = 0
{loops}
    with pl.at(level=pl.Level.CORE_GROUP):
        acc[:, :] = pl.add(x, acc)
    return acc
"""


@pytest.mark.parametrize("trips", [(1_000_000,), (1_000, 1_000), (40, 40, 40, 40), (1 << 40,), (2, 1_000_000)])
@pytest.mark.parametrize("body", ["v = pl.slice(x, [1, 64], [i0, 0])", "s = s + i0", "s = pl.read(x, [0, 0])"])
def test_loops_without_tasks_are_not_walked_to_their_end(trips: tuple[int, ...], body: str) -> None:
    lines = [f"{'    ' * (depth + 1)}for i{depth} in pl.range({count}):" for depth, count in enumerate(trips)]
    loops = "\n".join([*lines, f"{'    ' * (len(trips) + 1)}{body}"])
    started = time.process_time()
    assert "PTO003" in codes(HEAD + LONG.format(loops=loops))
    assert time.process_time() - started < 1.5


def test_deep_blocks() -> None:
    body = "".join("    " * depth + "if b:\n" for depth in range(1, 90)) + "    " * 90 + "v = nowhere\n"
    found = codes(HEAD + "@pl.jit\ndef main(b: pl.Scalar[pl.BOOL]):\n" + body)
    assert "PTO003" in found


def test_helpers_that_splice_each_other() -> None:
    text = HEAD + (
        "T = pl.Tensor[[64, 64], pl.FP32]\n"
        "@pl.jit.inline\ndef ping(x: T):\n    x = pong(x)\n    return x\n"
        "@pl.jit.inline\ndef pong(x: T):\n    x = ping(x)\n    return x\n"
        "@pl.jit.inline\ndef own(x: T):\n    x = own(x)\n    return x\n"
        "@pl.jit\ndef main(x: T):\n    x = ping(x)\n    x = own(x)\n    v = nowhere\n    return x\n"
    )
    assert "PTO003" in codes(text)


@pytest.mark.parametrize("strange", ["\x00", "\ud800", "\ufeff", "\u2028", "\x0c", "\x85"])
def test_strange_characters(strange: str) -> None:
    text = HEAD + FAULTY.format(expression="n")
    for at in (0, len(HEAD), text.index("v ="), text.index("nowhere") + 3, len(text)):
        codes(text[:at] + strange + text[at:])
