"""Kernels from source text to tile code."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.kernels.sources import refused, source

HEAD = """
@pl.jit
def main(x: pl.Tensor[[64, 128], pl.FP32], y: pl.Out[pl.Tensor[[64, 128], pl.FP32]]):
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="stage"):
"""


def test_tensors_come_first_and_every_queue_waits_for_the_one_before(tmp_path: Path) -> None:
    text = source(tmp_path / "model.py", HEAD + "        y[:, :] = pl.exp(x[:, :])\n    return y\n")
    body = text[text.index("kernel_entry") :]
    steps = ["TLOAD(x_tile", "set_flag(PIPE_MTE2, PIPE_V", "wait_flag(PIPE_MTE2, PIPE_V", "TEXP(exp, x_tile)"]
    steps += ["set_flag(PIPE_V, PIPE_MTE3", "wait_flag(PIPE_V, PIPE_MTE3", "TSTORE(y_window, exp)", "pipe_sync();"]
    places = [body.index(step) for step in steps]
    assert places == sorted(places)
    assert "// model.py:7\n" in body


def test_an_operation_without_tile_code_is_named_with_its_place(tmp_path: Path) -> None:
    fault, marked = refused(tmp_path / "model.py", HEAD + "        y[:, :] = pl.sort32(x[:, :])\n    return y\n")
    assert (str(fault), fault.operation, marked) == ("the operation 'pl.sort32'", "pl.sort32", "pl.sort32(x[:, :])")


def test_the_vector_part_of_a_kernel_for_both_cores_is_named_with_its_place(tmp_path: Path) -> None:
    text = """
@pl.jit
def main(x: pl.Tensor[[64, 64], pl.FP32], y: pl.Out[pl.Tensor[[64, 64], pl.FP32]]):
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="both"):
        product = pl.matmul(x[:, :], x[:, :])
        y[:, :] = pl.exp(product)
    return y
"""
    fault, marked = refused(tmp_path / "model.py", text)
    assert str(fault) == "'pl.exp': vector work in a kernel with matrix products; give it a kernel of its own"
    assert marked == "pl.exp(product)"


def test_a_tile_that_does_not_fit_is_named_with_its_place(tmp_path: Path) -> None:
    text = HEAD.replace("[64, 128]", "[256, 256]") + "        y[:, :] = pl.exp(x[:, :])\n    return y\n"
    fault, marked = refused(tmp_path / "model.py", text)
    assert "a tile 'x_tile' of 262144 bytes" in str(fault) and "196608" in str(fault)
    assert marked == "pl.exp(x[:, :])"


@pytest.mark.parametrize(
    ("statement", "message", "operation", "marked"),
    [
        ("y[:, :] = x[:, :] % 2.0", "'%' of tensors", "%", "x[:, :] % 2.0"),
        (
            "y[:, :] = pl.row_sum(x[:, :])",
            "the assignment to a part of 'y': a value [64, 1] written to a window [64, 128]",
            "pl.assemble",
            "y[:, :] = pl.row_sum(x[:, :])",
        ),
        (
            "y[:, :] = pl.div(pl.cast(x[:, :], pl.INT32), 2)",
            "'pl.div': a division of INT32: the vector core only divides floating-point numbers",
            "pl.div",
            "pl.div(pl.cast(x[:, :], pl.INT32), 2)",
        ),
        (
            "y[:, :] = pl.add(x[:, :], x[0:32, :])",
            "'pl.add': operands of shapes [64, 128] and [32, 128]",
            "pl.add",
            "pl.add(x[:, :], x[0:32, :])",
        ),
        (
            "n = pl.cast(pl.read(x, [0, 0]), pl.INDEX)\n        y[:, :] = pl.exp(pl.mul(x[0:n, :], 2.0))",
            "'pl.mul': a tile whose extents are known only at run time: "
            "give it the largest ones, and the others as valid_shape",
            "pl.mul",
            "x[0:n, :]",
        ),
    ],
)
def test_what_has_no_code_is_named_as_it_is_written(
    tmp_path: Path, statement: str, message: str, operation: str, marked: str
) -> None:
    fault, found = refused(tmp_path / "model.py", HEAD + f"        {statement}\n    return y\n")
    assert (str(fault), fault.operation, found) == (message, operation, marked)
