"""What kernels touch, against executing their loops."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pto_lsp.analysis.task_graph.regions import View
from pto_lsp.analysis.task_graph.touched import Touch
from tests.task_graph.build import Source, jit

ROWS, COLS = 128, 64
LOOPS = ("a", "b")


@st.composite
def kernels(draw: st.DrawFn) -> tuple[str, set[int], set[int]]:
    """A region over ``w``, with the rows it surely reads and writes: first the text, then the two sets."""
    blocks = draw(st.integers(1, 3))
    trips = {name: draw(st.integers(1, 3)) for name in LOOPS}
    factors = {name: draw(st.sampled_from((0, 1, 2, 4, 8))) for name in ("k", *LOOPS)}
    start, extent = draw(st.integers(0, 4)), draw(st.sampled_from((1, 2, 4, 8)))
    form = draw(st.sampled_from(("linear", "halved", "rest")))
    shown = {"linear": "k", "halved": "(k // 2)", "rest": "(k % 2)"}[form]
    row = f"{start} + {shown} * {factors['k']} + a * {factors['a']} + b * {factors['b']}"
    reading = draw(st.booleans())
    value = f"w[row : row + {extent}, :]" if reading else f"pl.full([{extent}, {COLS}], dtype=pl.FP32, value=0.0)"
    text = (
        f'with pl.spmd({blocks}, name_hint="kernel"):\n'
        "    k = pl.tile.get_block_idx()\n"
        f"    for a in pl.range({trips['a']}):\n"
        f"        for b in pl.range({trips['b']}):\n"
        f"            row = {row}\n"
        f"            w[row : row + {extent}, :] = pl.mul({value}, 2.0)\n"
    )
    touched: set[int] = set()
    for k, a, b in product(range(blocks), range(trips["a"]), range(trips["b"])):
        index = {"linear": k, "halved": k // 2, "rest": k % 2}[form]
        first = start + index * factors["k"] + a * factors["a"] + b * factors["b"]
        touched |= set(range(first, first + extent))
    return text, touched if reading else set(), touched


def rows(view: View | None) -> set[int]:
    if view is None:
        return set()
    assert view.shape is not None and view.offsets[1] == 0 and view.shape[1] == COLS
    low, extent = view.offsets[0], view.shape[0]
    assert isinstance(low, int) and isinstance(extent, int)
    return set(range(low, low + extent))


def touches(text: str) -> list[Touch]:
    graph = Source(jit(text)).graph()
    return [touch for touch in graph.conflicts.of(0) if touch.buffer.label == "w"]


@settings(max_examples=60, deadline=None)
@given(kernels())
def test_hull_and_least_enclose_the_truth(kernel: tuple[str, set[int], set[int]]) -> None:
    text, reads, writes = kernel
    found = touches(text)
    for actual, mine in ((reads, [t for t in found if not t.write]), (writes, [t for t in found if t.write])):
        hull = set().union(*(rows(touch.hull) for touch in mine)) if mine else set()
        least = set().union(*(rows(touch.least) for touch in mine)) if mine else set()
        assert least <= actual <= hull
        for touch in mine:
            assert not touch.exact or rows(touch.hull) == actual


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("w[0:32, :] = pl.add(x, x)", {("w", 32, True)}),
        ("w[0:32, :] = pl.add(w[32:64, :], x)", {("r", 32, True), ("w", 32, True)}),
        ("w = pl.assemble(w, x, [32, 0])", {("w", 32, True)}),
        ("w = pl.assemble(w, x, [32, 0], atomic=pl.AtomicType.Add)", {("w", 32, True), ("r", 32, True)}),
        ("w[0:32, :] = pl.add(x, x)\nw[32:64, :] = pl.mul(w[0:32, :], 2.0)", {("w", 32, True)}),
        ("for r in pl.range(0, 128, 32):\n    w[r : r + 32, :] = pl.add(x, x)", {("w", 128, True)}),
        ("for r in pl.range(0, 128, 64):\n    w[r : r + 32, :] = pl.add(x, x)", {("w", 96, False)}),
        ("c = pl.read(x, [0, 0])\nif c > 0.0:\n    w[0:32, :] = pl.add(x, x)", {("w", 32, False)}),
        ("pl.something_new(w[0:32, :])", {("r", 128, False), ("w", 128, False)}),
    ],
)
def test_forms(body: str, expected: set[tuple[str, int, bool]]) -> None:
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    found = touches(f'with pl.at(level=pl.Level.CORE_GROUP, name_hint="k"):\n{lines}    s[:, :] = pl.add(x, x)\n')
    if "something_new" in body:
        assert all(touch.least is None for touch in found)
        return
    assert {("w" if t.write else "r", len(rows(t.hull)), t.exact) for t in found} == expected


def test_a_store_in_the_return_is_a_write() -> None:
    text = jit("y = fill(x, y)").replace(
        "@pl.jit\n",
        """\
@pl.jit.incore
def fill(a: pl.Tensor[[32, 64], pl.FP32], o: pl.Out[pl.Tensor[[32, 64], pl.FP32]]):
    return pl.store(pl.load(a, offsets=[0, 0], shapes=[32, 64]), offsets=[0, 0], output_tensor=o)


@pl.jit
""",
    )
    graph = Source(text).graph()
    assert [(t.buffer.label, t.write, t.exact) for t in graph.conflicts.of(0)] == [
        ("x", False, True),
        ("y", True, True),
    ]
    assert graph.walk.returned[1].buffer.label == "y"
