"""Three-valued overlap against element sets."""

from __future__ import annotations

from itertools import product

from hypothesis import example, given, settings
from hypothesis import strategies as st

from pto_lsp.analysis.task_graph import regions
from pto_lsp.analysis.task_graph.regions import Buffer, Overlap, View
from pto_lsp.analysis.task_graph.scalars import Symbol, add, multiply, of_symbol, substitute

ROWS, COLS = 6, 4
BUFFER = Buffer(0, "b", (ROWS, COLS), "FP32")
TRIP = Symbol("i", 1, 0, 2)


def elements(view: View) -> set[int]:
    assert view.shape is not None
    ranges = [range(o, o + n) for o, n in zip(view.offsets, view.shape)]  # type: ignore[arg-type,operator]
    return {sum(k * s for k, s in zip(index, view.strides)) for index in product(*ranges)}  # type: ignore[misc]


@st.composite
def boxes(draw: st.DrawFn) -> View:
    low = [draw(st.integers(0, n - 1)) for n in (ROWS, COLS)]
    extent = [draw(st.integers(0, n - o)) for n, o in zip((ROWS, COLS), low)]
    view = regions.sub_view(regions.whole(BUFFER), tuple(low), tuple(extent), "v")
    if draw(st.booleans()) and low[1] == 0 and extent[1] == COLS and extent[0]:
        return regions.reshape_view(view, (extent[0] * COLS,), "r")
    if draw(st.booleans()):
        return regions.transpose_view(view, 0, 1, "t")
    return view


@settings(max_examples=200)
@given(boxes(), boxes())
@example(View(BUFFER, (0, 0), (1, 4), (1, 4)), View(BUFFER, (0, 0), (1, 5), (1, 4)))
def test_verdicts_are_true(a: View, b: View) -> None:
    common = elements(a) & elements(b)
    verdict = regions.compare(a, b)
    assert verdict is not Overlap.MUST or common
    assert verdict is not Overlap.MUST_NOT or not common
    if a.strides == b.strides:
        assert verdict is (Overlap.MUST if common else Overlap.MUST_NOT)
    assert not regions.covers(a, b) or elements(b) <= elements(a)
    assert regions.runtime_overlap(a, b) >= verdict


@settings(max_examples=150)
@given(st.integers(0, 2), st.integers(0, 2), st.integers(1, 3), st.integers(0, 3), st.integers(1, 3))
def test_symbolic_verdicts_hold_for_every_value(step: int, start: int, extent: int, other: int, size: int) -> None:
    i = of_symbol(TRIP)
    whole = regions.whole(BUFFER)
    moving = regions.sub_view(whole, (add(multiply(i, step), start), 0), (extent, COLS), "m")
    fixed = regions.sub_view(whole, (other, 0), (size, COLS), "f")
    verdict = regions.compare(moving, fixed)
    truth = set()
    for value in range(3):
        at = tuple(substitute(o, {TRIP: value}) for o in moving.offsets)
        concrete = View(BUFFER, at, moving.shape, moving.strides)
        truth.add(bool(elements(concrete) & elements(fixed)))
    assert verdict is not Overlap.MUST or truth == {True}
    assert verdict is not Overlap.MUST_NOT or truth == {False}


def test_neighbouring_iterations_compare_exactly() -> None:
    i = of_symbol(Symbol("i", 1, 0))
    tall = Buffer(0, "t", (of_symbol(Symbol("N", 2, 1)), COLS), "FP32")
    first = regions.sub_view(regions.whole(tall), (multiply(i, 2), 0), (2, COLS), "a")
    second = regions.sub_view(regions.whole(tall), (multiply(add(i, 1), 2), 0), (2, COLS), "b")
    wide = regions.sub_view(regions.whole(tall), (multiply(add(i, 1), 2), 0), (3, COLS), "c")
    assert regions.compare(first, second) is Overlap.MUST_NOT
    assert regions.compare(second, wide) is Overlap.MUST
    assert regions.compare(first, regions.whole(tall)) is Overlap.MUST
    assert regions.covers(regions.whole(tall), second)


def test_a_dropped_dimension_keeps_its_place() -> None:
    row = regions.drop_dimensions(regions.sub_view(regions.whole(BUFFER), (2, 0), (1, COLS), "r"), (0,), "r")
    assert row.shape == (COLS,)
    assert elements(row) == set(range(2 * COLS, 3 * COLS))
