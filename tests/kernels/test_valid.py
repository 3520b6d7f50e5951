"""Tiles that are only partly valid: tails of loops, padding, extents that the caller gives."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.kernels.host import COMPILER, Library
from tests.kernels.sources import kernels, source

pytestmark = [pytest.mark.long, pytest.mark.skipif(COMPILER is None, reason="there is no g++")]

TAIL = """
@pl.jit
def main(x: pl.Tensor[[20, 24], pl.FP32], y: pl.InOut[pl.Tensor[[20, 24], pl.FP32]], n: pl.Scalar[pl.INDEX]):
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="tail"):
        for i in pl.range(3):
            rows = pl.min(8, n - i * 8)
            tile = pl.slice(x, [8, 24], [i * 8, 0], valid_shape=[rows, 24])
            shifted = pl.row_expand_sub(tile, pl.row_max(tile))
            y[i * 8 : i * 8 + 8, :] = pl.exp(shifted)
    return y
"""
PADDED = """
@pl.jit
def main(x: pl.Tensor[[8, 40], pl.FP32], y: pl.InOut[pl.Tensor[[8, 40], pl.FP32]], n: pl.Scalar[pl.INDEX]):
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="padded"):
        tile = pl.load(x, [0, 0], [8, 40], valid_shape=[8, n])
        y[:, :] = pl.tile.fillpad(tile, pad_value=pl.PadValue.min)
    return y
"""
FACTOR = """
@pl.jit
def main(x: pl.Tensor[[8, 40], pl.FP32], y: pl.InOut[pl.Tensor[[8, 40], pl.FP32]], n: pl.Scalar[pl.INDEX]):
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="factor"):
        left = pl.slice(x, [8, 8], [0, 0], valid_shape=[n, 8])
        y[0:8, 0:24] = pl.matmul(left, x[:, 16:40])
    return y
"""


def run(path: Path, text: str, shape: tuple[int, int], n: int) -> tuple[Any, Any, Any]:
    """Input, result and what the result held before."""
    library = Library(path, [source(path / "model.py", text)])
    _, _, (kernel,) = kernels(path / "model.py", text)
    x = np.random.default_rng(n).uniform(-1, 1, shape).astype(np.float32)
    y = np.full(shape, 7, np.float32)
    before = y.copy()
    tensors = [({"x": x, "y": y}[param.name], "FP32") for param in kernel.params if param.name != "n"]
    assert library.run(0, tensors, [(n, "INDEX")]) == ""
    return x, y, before


@pytest.mark.parametrize("n", [20, 17])
def test_the_tail_of_a_loop_is_neither_read_nor_written(tmp_path: Path, n: int) -> None:
    x, y, before = run(tmp_path, TAIL, (20, 24), n)
    expected = np.exp(x - x.max(axis=1, keepdims=True))
    np.testing.assert_allclose(y[:n], expected[:n], rtol=1e-5)
    np.testing.assert_array_equal(y[n:], before[n:])


@pytest.mark.parametrize("n", [1, 8, 33, 40])
def test_padding_fills_what_is_not_valid(tmp_path: Path, n: int) -> None:
    x, y, _ = run(tmp_path, PADDED, (8, 40), n)
    np.testing.assert_array_equal(y[:, :n], x[:, :n])
    assert (y[:, n:] == -np.inf).all()


@pytest.mark.parametrize("n", [1, 5, 8])
def test_a_factor_with_fewer_rows(tmp_path: Path, n: int) -> None:
    x, y, before = run(tmp_path, FACTOR, (8, 40), n)
    np.testing.assert_allclose(y[:n, :24], x[:n, :8] @ x[:, 16:], rtol=1e-4, atol=1e-5)
    np.testing.assert_array_equal(y[n:], before[n:])
    np.testing.assert_array_equal(y[:, 24:], before[:, 24:])


SPLIT = """
@pl.jit
def main(x: pl.Tensor[[20, 24], pl.FP32], y: pl.InOut[pl.Tensor[[20, 24], pl.FP32]], n: pl.Scalar[pl.INDEX]):
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="split"):
        for tile in pl.range(3):
            total = pl.create_tensor([8, 8], dtype=pl.FP32)
            for k in pl.range(0, 24, 8):
                rows = pl.min(8, n - tile * 8)
                left = pl.slice(x, [8, 8], [tile * 8, k], valid_shape=[rows, 8])
                right = x[8:16, k : k + 8]
                if k == 0:
                    total = pl.matmul(left, right, b_trans=True)
                else:
                    total = pl.matmul_acc(total, left, right, b_trans=True)
            y[tile * 8 : tile * 8 + 8, 8:16] = total
    return y
"""


@pytest.mark.parametrize("n", [20, 18])
def test_an_accumulator_is_valid_as_far_as_its_products(tmp_path: Path, n: int) -> None:
    x, y, before = run(tmp_path, SPLIT, (20, 24), n)
    np.testing.assert_allclose(y[:n, 8:16], (x @ x[8:16].T)[:n], rtol=1e-4, atol=1e-5)
    np.testing.assert_array_equal(y[n:], before[n:])
    np.testing.assert_array_equal(y[:, :8], before[:, :8])


ACCUMULATED = """
@pl.jit
def main(x: pl.Tensor[[8, 48], pl.FP32], y: pl.InOut[pl.Tensor[[8, 48], pl.FP32]], n: pl.Scalar[pl.INDEX]):
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="squares"):
        total = pl.full([8, 1], dtype=pl.FP32, value=0.5)
        for k in pl.range(0, 48, 16):
            part = pl.slice(x, [8, 16], [0, k], valid_shape=[n, 16])
            total = pl.add(total, pl.row_sum(pl.mul(part, part)))
        y[:, 0:1] = total
    return y
"""


@pytest.mark.parametrize("n", [8, 5])
def test_a_sum_stays_valid_where_less_was_added(tmp_path: Path, n: int) -> None:
    x, y, before = run(tmp_path, ACCUMULATED, (8, 48), n)
    np.testing.assert_allclose(y[:n, 0], 0.5 + (x * x).sum(axis=1)[:n], rtol=1e-5)
    np.testing.assert_array_equal(y[n:, 0], 0.5)
    np.testing.assert_array_equal(y[:, 1:], before[:, 1:])


CHOSEN = """
@pl.jit
def main(x: pl.Tensor[[8, 48], pl.FP32], y: pl.InOut[pl.Tensor[[8, 48], pl.FP32]], n: pl.Scalar[pl.INDEX]):
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="chosen"):
        if n < 8:
            tile = pl.mul(pl.slice(x, [8, 16], [0, 0], valid_shape=[n, 16]), 2.0)
        else:
            tile = x[:, 16:32]
        y[:, 0:16] = tile
    return y
"""


@pytest.mark.parametrize("n", [8, 5])
def test_arms_of_which_different_parts_are_valid(tmp_path: Path, n: int) -> None:
    x, y, _ = run(tmp_path, CHOSEN, (8, 48), n)
    np.testing.assert_array_equal(y[:n, :16], 2 * x[:n, :16] if n < 8 else x[:, 16:32])


PARTS = """
@pl.jit
def main(x: pl.Tensor[[8, 48], pl.FP32], y: pl.InOut[pl.Tensor[[8, 48], pl.FP32]], n: pl.Scalar[pl.INDEX]):
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="parts"):
        rows = pl.slice(x, [8, 32], [0, 0], valid_shape=[n, 32])
        cols = pl.slice(x, [8, 32], [0, 16], valid_shape=[8, n])
        both = pl.add(rows, cols)
        y[:, 0:32] = both
        doubled = pl.mul(rows, 2.0)
        y[0:4, 32:48] = doubled[2:6, 8:24]
        y[4:8, 32:48] = pl.slice(doubled, [4, 16], [0, 0], [3, 16])
        y[0:8, 44:48] = pl.slice(pl.neg(x[:, 0:8]), [8, 8], [0, 0], valid_shape=[8, 4])
    return y
"""


@pytest.mark.parametrize("n", [8, 5, 3, 1])
def test_parts_of_what_is_partly_valid(tmp_path: Path, n: int) -> None:
    x, y, before = run(tmp_path, PARTS, (8, 48), n)
    np.testing.assert_allclose(y[:n, :n], x[:n, :n] + x[:n, 16 : 16 + n], rtol=1e-6)
    np.testing.assert_array_equal(y[n:, :32], before[n:, :32])
    np.testing.assert_array_equal(y[:, n:32], before[:, n:32])
    np.testing.assert_array_equal(y[:, 44:], -x[:, :4])
    y, before = y[:, :44], before[:, :44]
    held = max(0, min(n - 2, 4))
    np.testing.assert_array_equal(y[:held, 32:], 2 * x[2 : 2 + held, 8:20])
    np.testing.assert_array_equal(y[held:4, 32:], before[held:4, 32:])
    asked = min(n, 3)
    np.testing.assert_array_equal(y[4 : 4 + asked, 32:], 2 * x[:asked, :12])
    np.testing.assert_array_equal(y[4 + asked :, 32:], before[4 + asked :, 32:])


CLAMPED = """
@pl.jit
def main(x: pl.Tensor[[20, 24], pl.FP32], y: pl.InOut[pl.Tensor[[20, 24], pl.FP32]], n: pl.Scalar[pl.INDEX]):
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="clamped"):
        y[0:8, :] = pl.fillpad(pl.slice(x, [8, 24], [n, 0], clamp=True), pad_value=pl.PadValue.zero)
        y[8:16, :] = pl.fillpad(pl.load(x, [16, 0], [8, 24], clamp=True), pad_value=1.0)
    return y
"""


@pytest.mark.parametrize("n", [12, 15, 19])
def test_a_window_is_cut_at_the_end_of_its_tensor(tmp_path: Path, n: int) -> None:
    x, y, _ = run(tmp_path, CLAMPED, (20, 24), n)
    held = min(8, 20 - n)
    np.testing.assert_array_equal(y[:held], x[n : n + held])
    np.testing.assert_array_equal(y[held:8], 0)
    np.testing.assert_array_equal(y[8:12], x[16:])
    np.testing.assert_array_equal(y[12:16], 1)
