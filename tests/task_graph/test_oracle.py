"""The oracle itself, on streams whose answer is known from the numbered rules of the semantics."""

from __future__ import annotations

import pytest

from tests.task_graph import oracle

FRAME = """
import pypto.language as pl

@pl.jit.incore
def put(a: pl.Tensor[[8, 4], pl.FP32], o: pl.Out[pl.Tensor[[8, 4], pl.FP32]]):
    return o

@pl.jit.incore
def bump(a: pl.Tensor[[8, 4], pl.FP32], o: pl.InOut[pl.Tensor[[8, 4], pl.FP32]]):
    return o

@pl.jit
def main(
    x: pl.Tensor[[8, 4], pl.FP32],
    w: pl.Out[pl.Tensor[[32, 4], pl.FP32]],
    s: pl.Out[pl.Tensor[[8, 4], pl.FP32]],
    y: pl.InOut[pl.Tensor[[8, 4], pl.FP32]],
):
"""


def edges(body: str) -> list[tuple[int, int]]:
    runtime = oracle.run(FRAME + "".join(f"    {line}\n" for line in body.strip().splitlines()) + "    return y\n")
    return sorted((pred, succ) for succ, waits in enumerate(runtime.waits) for pred in waits)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("s = put(x, s)\ny = put(s, y)", [(0, 1)]),
        ("s = put(x, s)\ns = put(x, s)", [(0, 1)]),
        ("s = put(x, s)\ny = put(s, y)\ns = put(x, s)", [(0, 1), (0, 2)]),
        ("a = pl.slice(w, [8, 4], [0, 0])\na = put(x, a)\nb = pl.slice(w, [8, 4], [4, 0])\nb = put(x, b)", []),
        ("for i in pl.range(3):\n    s = put(x, s)", [(0, 1), (1, 2)]),
        ("for i in pl.parallel(3):\n    s = put(x, s)", []),
        (
            "for i in pl.range(2):\n    t = pl.create_tensor([8, 4])\n    t = put(x, t)\n    y = bump(t, y)",
            [(0, 1), (1, 3), (2, 3)],
        ),
        ("with pl.manual_scope():\n    s = put(x, s)\n    y = put(s, y)\ns = put(y, s)", []),
    ],
)
def test_rules(body: str, expected: list[tuple[int, int]]) -> None:
    assert edges(body) == expected
