"""Any operator with any operands, too many and too few of them, in every kind of function: never a fault of ours."""

from __future__ import annotations

import itertools
import logging

import pytest

from pto_lsp.analysis.frontend.operators import CANONICAL, COMPUTE, SCALAR_QUERIES
from pto_lsp.project import Project
from tests.support.worlds import HEAD

OTHERS = """
array.create array.get_element array.update_element tensor.slice tensor.view tensor.read tensor.write tensor.assemble
tensor.dim tensor.full tensor.reshape tensor.transpose tile.load tile.store tile.move tile.full mscatter mgather
system.task_dummy system.task_invalid system.task_is_valid submit submit_spmd no_dep at spmd range parallel pipeline
unroll while_ yield_ cond const cast min max abs dynamic create_tensor alloc_tile get_block_idx get_block_num graph
cluster print printf assert_ scope manual_scope incore nothing_like_that tensor.nothing tile.nothing
Tensor Out InOut Scalar Tile Array Tuple
""".split()
NAMES = sorted({*CANONICAL, *CANONICAL.values(), *COMPUTE, *SCALAR_QUERIES, *OTHERS})
OPERANDS = (
    "x",
    "i",
    "3",
    "[64, 64]",
    "[0, i]",
    "'s'",
    "nowhere",
    "kernel",
    "ids",
    "*x",
    "pl.FP32",
    "x[:, :]",
    "-1",
    "None",
)

PROGRAM = (
    HEAD
    + """
T = pl.Tensor[[64, 64], pl.FP32]


@pl.jit.incore
def kernel(x: T, out: pl.InOut[T]):
    out[:, :] = pl.add(x[:, :], out[:, :])
    return out


@pl.jit.incore
def inner(x: T, out: pl.InOut[T], i: pl.Scalar[pl.INDEX]):
{incore}
    return out


@pl.jit.graph
def graph(x: T, out: pl.InOut[T], i: pl.Scalar[pl.INDEX]):
{graph}
    out = kernel(x, out)
    return out


@pl.jit
def main(x: T, out: pl.InOut[T], n: pl.Scalar[pl.INDEX]):
    ids = pl.array.create(4, pl.TASK_ID)
    for i in pl.range(n):
        out = graph(x, out, i)
        out = inner(x, out, i)
{entry}
    return out
"""
)


def calls(name: str, seed: int) -> list[str]:
    """Calls of one operator with none to four operands, as values, statements and keyword arguments."""
    found = [f"pl.{name}()", f"pl.{name}(shape=[64, 64])", f"pl.{name}(tensor=x)", f"pl.{name}(**x)"]
    chosen = itertools.cycle(OPERANDS[seed % len(OPERANDS) :] + OPERANDS[: seed % len(OPERANDS)])
    for count in (1, 1, 2, 2, 3, 4):
        operands = [next(chosen) for _ in range(count)]
        found.append(f"pl.{name}({', '.join(operands)})")
        found.append(f"pl.{name}(x, {', '.join(operands)})")
    return found


def body(indent: int, expressions: list[str]) -> str:
    lines = []
    for number, expression in enumerate(expressions):
        lines.append((f"v{number} = {expression}", expression, f"out[:, :] = {expression}")[number % 3])
    return "\n".join(" " * indent + line for line in lines)


@pytest.mark.parametrize("start", range(0, len(NAMES), 12))
def test_no_operand_is_a_fault_of_ours(start: int, caplog: pytest.LogCaptureFixture) -> None:
    project = Project()
    with caplog.at_level(logging.ERROR, logger="pto_lsp"):
        for seed, name in enumerate(NAMES[start : start + 12], start):
            expressions = calls(name, seed)
            text = PROGRAM.format(incore=body(4, expressions), graph=body(4, expressions), entry=body(8, expressions))
            project.open("/main.py", text)
            project.check("/main.py")
            assert project.faults("/main.py") == (), (name, caplog.text)
