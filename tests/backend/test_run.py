"""Whole programs on arrays, against numpy."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from pto_lsp.backend.execution.errors import NotExecutable
from pto_lsp.backend.execution.run import Shaped
from tests.backend.programs import executed

Array = npt.NDArray[Any]
RNG = np.random.default_rng(7)


def floats(*shape: int) -> Array:
    return RNG.uniform(-1, 1, shape).astype(np.float32)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "program.py"


KERNEL = """\
@pl.jit
def f(x: pl.Tensor[[8, 16], pl.FP32], v: pl.Tensor[[8, 1], pl.FP32], h: pl.Tensor[[1, 16], pl.FP32],
      y: pl.Out[pl.Tensor[[8, 16], pl.FP32]]):
    with pl.at(level=pl.Level.CORE_GROUP):
        t = x[:, :]
        y[:, :] = {}
    return y
"""


@pytest.mark.parametrize(
    ("expression", "golden"),
    [
        ("pl.add(t, t)", lambda x, v, h: x + x),
        ("pl.sub(t, 0.5)", lambda x, v, h: x - np.float32(0.5)),
        ("pl.muls(t, 3.0)", lambda x, v, h: x * np.float32(3)),
        ("pl.div(t, pl.add(pl.abs(t), 1.0))", lambda x, v, h: x / (np.abs(x) + 1)),
        ("pl.maximum(t, pl.neg(t))", lambda x, v, h: np.abs(x)),
        ("pl.minimum(t, 0.0)", lambda x, v, h: np.minimum(x, 0)),
        ("pl.exp(t)", lambda x, v, h: np.exp(x)),
        ("pl.log(pl.exp(t))", lambda x, v, h: np.log(np.exp(x))),
        ("pl.rsqrt(pl.add(pl.abs(t), 1.0))", lambda x, v, h: 1 / np.sqrt(np.abs(x) + 1)),
        ("pl.recip(pl.sqrt(pl.exp(t)))", lambda x, v, h: 1 / np.sqrt(np.exp(x))),
        ("pl.relu(t)", lambda x, v, h: np.maximum(x, 0)),
        ("pl.row_expand_mul(t, v[:, :])", lambda x, v, h: x * v),
        ("pl.col_expand_add(t, h[:, :])", lambda x, v, h: x + h),
        ("pl.row_expand_sub(t, pl.row_max(t))", lambda x, v, h: x - x.max(1, keepdims=True)),
        ("pl.col_expand(t, pl.col_sum(t))", lambda x, v, h: np.broadcast_to(x.sum(0, keepdims=True), x.shape)),
        ("pl.row_expand(t, pl.row_min(t))", lambda x, v, h: np.broadcast_to(x.min(1, keepdims=True), x.shape)),
        ("pl.matmul(t, pl.matmul(t, t, a_trans=True))", lambda x, v, h: x @ (x.T @ x)),
        ("pl.matmul_acc(t, pl.matmul(t, t, b_trans=True), t)", lambda x, v, h: x + (x @ x.T) @ x),
        ("pl.cast(pl.cast(t, pl.BF16), pl.FP32)", lambda x, v, h: x),
        ("pl.full([8, 16], dtype=pl.FP32, value=2.5)", lambda x, v, h: np.full_like(x, 2.5)),
        ("pl.concat(t[:, 8:16], t[:, 0:8])", lambda x, v, h: np.concatenate([x[:, 8:], x[:, :8]], 1)),
        ("pl.reshape(pl.transpose(t, 0, 1), [8, 16])", lambda x, v, h: x.T.reshape(8, 16)),
        ("t + t * 2.0", lambda x, v, h: x + x * 2),
    ],
)
def test_operations(file: Path, expression: str, golden: Any) -> None:
    x, v, h = floats(8, 16), floats(8, 1), floats(1, 16)
    found = executed(file, KERNEL.format(expression), {"x": x, "v": v, "h": h}).tensors["y"]
    tolerance = 1e-2 if "BF16" in expression else 1e-5
    np.testing.assert_allclose(found, golden(x, v, h), rtol=tolerance, atol=1e-5)


def test_loads_stores_loops_branches_and_scalar_arguments(file: Path) -> None:
    text = """\
@pl.program
class P:
    @pl.function(type=pl.FunctionType.InCore)
    def k(
        self,
        x: pl.Tensor[[8, 16], pl.FP32],
        y: pl.InOut[pl.Tensor[[8, 16], pl.FP32]],
        row: pl.Scalar[pl.INDEX],
    ) -> pl.Tensor[[8, 16], pl.FP32]:
        t = pl.load(x, [row, 0], [2, 16])
        s = pl.load(y, [row, 0], [2, 16])
        for j in pl.range(3):
            if j > 0:
                s = pl.add(s, t)
        c = pl.tensor.read(x, [row, 3])
        s = pl.mul(s, c)
        y = pl.store(s, [row, 0], y)
        return y

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(
        self,
        x: pl.Tensor[[8, 16], pl.FP32],
        y: pl.InOut[pl.Tensor[[8, 16], pl.FP32]],
        n: pl.Scalar[pl.INDEX],
    ) -> pl.Tensor[[8, 16], pl.FP32]:
        for i in pl.range(n):
            y = self.k(x, y, i * 2)
        return y
"""
    x, y = floats(8, 16), floats(8, 16)
    result = executed(file, text, {"x": x, "y": y, "n": 3})
    expected = y.copy()
    for row in (0, 2, 4):
        expected[row : row + 2] = (y[row : row + 2] + x[row : row + 2] * 2) * x[row, 3]
    np.testing.assert_allclose(result.tensors["y"], expected, rtol=1e-6)
    assert result.tasks == 3


def test_a_slice_keeps_what_it_read_and_the_memory_it_names(file: Path) -> None:
    text = """\
@pl.jit
def f(x: pl.InOut[pl.Tensor[[4, 8], pl.FP32]], y: pl.Out[pl.Tensor[[4, 8], pl.FP32]]):
    with pl.at(level=pl.Level.CORE_GROUP):
        before = x[:, :]
        x[:, :] = pl.mul(x[:, :], 2.0)
        y[:, :] = pl.add(before, x[:, :])
    part = pl.slice(y, [2, 8], [1, 0])
    with pl.at(level=pl.Level.CORE_GROUP):
        part[0:1, :] = pl.full([1, 8], dtype=pl.FP32, value=1.0)
    return x, y
"""
    x = floats(4, 8)
    found = executed(file, text, {"x": x}).tensors
    expected = x * 3
    expected[1] = 1
    np.testing.assert_allclose(found["x"], x * 2)
    np.testing.assert_allclose(found["y"], expected, rtol=1e-6)


def test_computed_results_of_regions_get_memory_of_their_own(file: Path) -> None:
    text = """\
@pl.jit
def f(x: pl.Tensor[[4, 8], pl.FP32], y: pl.Out[pl.Tensor[[4, 1], pl.FP32]]):
    with pl.at(level=pl.Level.CORE_GROUP):
        z = pl.row_sum(x[:, :])
        w = pl.mul(z, 2.0)
    with pl.at(level=pl.Level.CORE_GROUP):
        y[:, :] = pl.sub(w, z)
    return y
"""
    x = floats(4, 8)
    for order in range(3):
        found = executed(file, text, {"x": x}, order).tensors["y"]
        np.testing.assert_allclose(found, x.sum(1, keepdims=True), rtol=1e-5)


def test_blocks_of_an_spmd_task_and_members_of_a_cluster(file: Path) -> None:
    text = """\
@pl.jit
def f(x: pl.Tensor[[32, 8], pl.FP32], y: pl.Out[pl.Tensor[[32, 8], pl.FP32]]):
    with pl.cluster():
        with pl.spmd(4):
            i = pl.tile.get_block_idx()
            n = pl.tile.get_block_num()
            y[i * 8 : i * 8 + 8, :] = pl.mul(x[i * 8 : i * 8 + 8, :], pl.cast(i * 10 + n, pl.FP32))
    return y
"""
    x = floats(32, 8)
    found = executed(file, text, {"x": x})
    np.testing.assert_allclose(found.tensors["y"], x * (np.arange(32) // 8 * 10 + 4)[:, None], rtol=1e-6)
    assert found.tasks == 1


GRAPH = """\
@pl.jit.incore
def scale(w: pl.Tensor[[4, 8], pl.FP32], c: pl.InOut[pl.Tensor[[4, 8], pl.FP32]], n: pl.Scalar[pl.INDEX]):
    c[:, :] = pl.add(c[:, :], pl.mul(w[:, :], pl.cast(n, pl.FP32)))
    return c


@pl.jit
def f(w: pl.Tensor[[16, 8], pl.FP32], c: pl.InOut[pl.Tensor[[4, 8], pl.FP32]]):
    for n in pl.range(4):
        with pl.graph("block"):
            tmp = pl.create_tensor([4, 8], dtype=pl.FP32, init_value=1.0)
            v = pl.slice(w, [4, 8], [n * 4, 0])
            tmp = scale(v, tmp, n + 1)
            c = scale(tmp, c, 1)
    return c
"""


@pytest.mark.parametrize("order", [None, 0, 1, 2])
def test_graphs_run_as_their_calls_say(file: Path, order: int | None) -> None:
    w, c = floats(16, 8), floats(4, 8)
    result = executed(file, GRAPH, {"w": w, "c": c}, order)
    expected = c + sum(1 + w[n * 4 : n * 4 + 4] * (n + 1) for n in range(4))
    np.testing.assert_allclose(result.tensors["c"], expected, rtol=1e-5, atol=1e-5)
    assert result.tasks == 8


PREDICATE = """\
@pl.program
class P:
    @pl.function(type=pl.FunctionType.InCore)
    def k(
        self, x: pl.Tensor[[4, 8], pl.FP32], y: pl.InOut[pl.Tensor[[4, 8], pl.FP32]]
    ) -> pl.Tensor[[4, 8], pl.FP32]:
        y = pl.store(pl.load(x, [0, 0], [4, 8]), [0, 0], y)
        return y

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(
        self,
        x: pl.Tensor[[4, 8], pl.FP32],
        flag: pl.Tensor[[2], pl.INT32],
        y: pl.InOut[pl.Tensor[[4, 8], pl.FP32]],
    ) -> pl.Tensor[[4, 8], pl.FP32]:
        y, tid = pl.submit(self.k, x, y, predicate=flag[1] > 2)
        return y
"""


@pytest.mark.parametrize(("flag", "runs"), [(3, True), (2, False)])
def test_a_predicate_decides_whether_a_task_runs(file: Path, flag: int, runs: bool) -> None:
    x, y = floats(4, 8), floats(4, 8)
    given = {"x": x, "y": y, "flag": np.asarray([0, flag], np.int32)}
    np.testing.assert_array_equal(executed(file, PREDICATE, given).tensors["y"], x if runs else y)


DYNAMIC = """\
M = pl.dynamic("M")


@pl.jit
def f(x: pl.Tensor[[M, 8], pl.FP32], y: pl.Out[pl.Tensor[[M, 8], pl.FP32]]):
    for i in pl.range(pl.tensor.dim(x, 0) // 2):
        with pl.at(level=pl.Level.CORE_GROUP):
            y[i * 2 : i * 2 + 2, :] = pl.add(x[i * 2 : i * 2 + 2, :], 1.0)
    return y
"""


def test_dynamic_extents_follow_from_arrays_or_are_given(file: Path) -> None:
    x = floats(6, 8)
    result = executed(file, DYNAMIC, {"x": x})
    np.testing.assert_array_equal(result.tensors["y"], x + 1)
    assert result.tasks == 3
    assert executed(file, DYNAMIC, M=10).tensors["y"].shape == (10, 8)


RACE = """\
@pl.jit
def f(x: pl.Tensor[[4, 8], pl.FP32], y: pl.Out[pl.Tensor[[4, 8], pl.FP32]], s: pl.InOut[pl.Tensor[[4, 8], pl.FP32]]):
    with pl.at(level=pl.Level.CORE_GROUP):
        y[:, :] = pl.add(s[:, :], 1.0)
    with pl.at(level=pl.Level.CORE_GROUP):
        s[:, :] = pl.mul(x[:, :], 2.0)
    return y, s
"""


def test_a_race_is_a_different_result_in_some_order(file: Path) -> None:
    x, s = floats(4, 8), floats(4, 8)
    found = [executed(file, RACE, {"x": x, "s": s}, order).tensors["y"] for order in range(8)]
    right = [np.array_equal(y, s + np.float32(1)) for y in found]
    wrong = [np.array_equal(y, x * 2 + np.float32(1)) for y in found]
    assert any(right)
    assert any(wrong)
    assert all(a != b for a, b in zip(right, wrong))


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("y[:, :] = pl.sort32(x[:, :])", r"the operation 'pl\.sort32' is not executed"),
        ("y[:, :] = pl.load(x, [4, 0], [8, 16])", r"a load of \[8, 16\] at \[4, 0\] is outside"),
        ("y[0:4, :] = pl.matmul(x[:, :], x[:, :])", "a product of"),
        ("y[:, :] = pl.load(x, [0, 0], [8, 16], valid_shape=[4, 16])", "valid shape smaller"),
        ("y[:, :] = pl.row_expand_mul(x[:, :], x[:, :])", "with a vector"),
    ],
)
def test_what_is_not_executed_is_refused_with_its_place(file: Path, statement: str, message: str) -> None:
    text = KERNEL.format("t").replace("y[:, :] = t", statement)
    with pytest.raises(NotExecutable, match=message) as refused:
        executed(file, text)
    assert refused.value.place is not None


def test_the_host_sees_no_result_of_tasks(file: Path) -> None:
    text = """\
@pl.jit
def f(x: pl.Tensor[[4, 8], pl.FP32], s: pl.InOut[pl.Tensor[[4], pl.INT32]], y: pl.Out[pl.Tensor[[4, 8], pl.FP32]]):
    with pl.at(level=pl.Level.CORE_GROUP):
        s[:] = pl.full([4], dtype=pl.INT32, value=1)
    n = pl.tensor.read(s, [0])
    for i in pl.range(n):
        with pl.at(level=pl.Level.CORE_GROUP):
            y[:, :] = x[:, :]
    return s, y
"""
    with pytest.raises(NotExecutable, match="the host reads 's'"):
        executed(file, text)


def test_arguments_have_to_fit(file: Path) -> None:
    text = KERNEL.format("t")
    with pytest.raises(NotExecutable, match=r"'x' is \[8, 16\], an array \[2, 2\] is given"):
        executed(file, text, {"x": floats(2, 2)})
    with pytest.raises(NotExecutable, match="no parameter 'z'"):
        executed(file, text, {"z": floats(2, 2)})
    bare = "@pl.jit\ndef f(x: pl.Tensor, y: pl.Out[pl.Tensor]):\n    with pl.at(level=pl.Level.CORE_GROUP):\n"
    bare += "        y[:, :] = pl.add(x[:, :], 1.0)\n    return y\n"
    with pytest.raises(
        NotExecutable, match="nothing says the type and shape of 'x': give them, for example --arg 'x=FP32"
    ):
        executed(file, bare)
    x = floats(2, 4)
    np.testing.assert_array_equal(executed(file, bare, {"x": x, "y": x}).tensors["y"], x + 1)
    found = executed(file, bare, {"x": x, "y": Shaped("FP16", (2, 4))}).tensors["y"]
    np.testing.assert_array_equal(found, (x + 1).astype(np.float16))
    with pytest.raises(NotExecutable, match="'x' holds FP32, an array of FP16 is given"):
        executed(file, text, {"x": Shaped("FP16", (8, 16))})
