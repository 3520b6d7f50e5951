"""The runtime's overlap test (replay.md §5.1) and its wait sets."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pto_lsp.analysis.replay import views
from pto_lsp.analysis.replay.overlap import Overlap, overlap
from pto_lsp.analysis.replay.values import Tensor, dense


def window(source: Tensor, sizes: tuple[int, ...], offsets: tuple[int, ...]) -> Tensor:
    result = views.window(source, sizes, offsets)
    assert result is not None
    return result


BASE = dense("w", (512, 64), "FP32")


@pytest.mark.parametrize(
    ("entry", "probe", "expected"),
    [
        (((64, 64), (0, 0)), ((64, 64), (64, 0)), Overlap.NONE),
        (((64, 32), (0, 0)), ((64, 32), (0, 32)), Overlap.NONE),
        (((64, 64), (0, 0)), ((64, 64), (0, 0)), Overlap.COVERED),
        (((64, 64), (0, 0)), ((512, 64), (0, 0)), Overlap.COVERED),
        (((512, 64), (0, 0)), ((64, 64), (0, 0)), Overlap.OTHER),
        (((64, 64), (0, 0)), ((64, 64), (63, 0)), Overlap.OTHER),
        (((0, 64), (0, 0)), ((512, 64), (0, 0)), Overlap.NONE),
    ],
)
def test_boxes_of_one_grid_are_exact(
    entry: tuple[tuple[int, ...], tuple[int, ...]], probe: tuple[tuple[int, ...], tuple[int, ...]], expected: Overlap
) -> None:
    assert overlap(window(BASE, *entry), window(BASE, *probe)) is expected


def test_another_rank_is_conservative() -> None:
    flat = views.reshape(BASE, (512 * 64,))
    assert flat is not None
    assert overlap(window(flat, (32,), (0,)), window(BASE, (1, 32), (0, 32))) is Overlap.NONE
    # Inside one bounding range the shapes are not compared, although these two do not touch.
    assert overlap(window(flat, (32,), (32,)), window(BASE, (2, 32), (0, 0))) is Overlap.OTHER


def test_a_transposed_view_is_conservative() -> None:
    square = dense("s", (64, 64), "FP32")
    turned = views.transpose(square, 0, 1)
    assert turned is not None
    assert overlap(window(square, (1, 64), (0, 0)), window(turned, (1, 64), (1, 0))) is Overlap.OTHER


def test_a_smaller_allocation_than_the_stride_is_no_grid() -> None:
    # 64 x 64 in an allocation whose size is no multiple of a row: both tests fall back to ranges.
    odd = Tensor(dense("o", (100,), "FP32").buffer, 0, (1, 64), (64, 1), "FP32")
    assert overlap(odd, odd) is Overlap.OTHER


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_windows_of_one_tensor_agree_with_numpy(data: st.DataObject) -> None:
    shape = data.draw(st.tuples(st.integers(1, 6), st.integers(1, 6), st.integers(1, 6)))
    base = dense("t", shape, "FP32")
    cells = np.arange(np.prod(shape)).reshape(shape)

    def draw() -> tuple[Tensor, set[int]]:
        offsets = tuple(data.draw(st.integers(0, extent - 1)) for extent in shape)
        sizes = tuple(data.draw(st.integers(1, extent - offset)) for extent, offset in zip(shape, offsets))
        box = tuple(slice(offset, offset + size) for offset, size in zip(offsets, sizes))
        return window(base, sizes, offsets), set(cells[box].ravel().tolist())

    (entry, entry_cells), (probe, probe_cells) = draw(), draw()
    relation = overlap(entry, probe)
    assert (relation is not Overlap.NONE) == bool(entry_cells & probe_cells)
    assert (relation is Overlap.COVERED) == (entry_cells <= probe_cells)
