"""Tensors handed to kernels that expect another number of dimensions: a mistake of the author's, no reason to fail."""

from __future__ import annotations

import itertools

import pytest

from pto_lsp.project import Project

TYPES = {
    "bare": "pl.Tensor",
    "one": "pl.Tensor[[64], pl.FP32]",
    "open": "pl.Tensor[[M], pl.FP32]",
    "two": "pl.Tensor[[64, M], pl.FP32]",
    "three": "pl.Tensor[[M, 4, N], pl.FP32]",
}
BODIES = {
    "slices": "y[:, :] = pl.exp(x[:, :])",
    "part": "y[0:2, 0:4] = pl.slice(x, [2, 4], [0, 0])",
    "whole": "y[:] = pl.add(x, x)",
    "extents": "for i in pl.range(x.shape[1]):\n        y[i : i + 1, :] = pl.load(x, [i, 0], [1, x.shape[0]])",
    "reshaped": "y = pl.assemble(y, pl.transpose(pl.reshape(x, [4, 16]), 0, 1), [0, 0, 0])",
}
LAUNCHES = {
    "call": "out = k(v, out)",
    "submit": "out, t = pl.submit(k, v, out)\n    out, u = pl.submit(k, v, out, deps=[t])",
    "grid": "for b in pl.spmd(4):\n        out = k(v, out)",
    "cluster": "with pl.cluster():\n        out = k(v, out)",
    "region": "with pl.at(level=pl.Level.CORE_GROUP):\n        out = k(v, out)",
    "graph": 'with pl.graph("g"):\n        out = k(pl.slice(v, [4, 4], [0, 0]), out)',
}
TEXT = """import pypto.language as pl

M = pl.dynamic("M")
N = pl.dynamic("N")


@pl.jit.incore
def k(x: {taken}, y: pl.Out[{taken}]):
    {body}
    return y


@pl.jit
def main(v: {given}, out: pl.InOut[{given}]):
    {launch}
    return out
"""


@pytest.mark.parametrize("launch", LAUNCHES)
@pytest.mark.parametrize("body", BODIES)
def test_any_rank_for_any_other(body: str, launch: str) -> None:
    project = Project()
    project.open("/m.py", "")
    for given, taken in itertools.product(TYPES.values(), TYPES.values()):
        project.close("/m.py")
        project.open("/m.py", TEXT.format(taken=taken, given=given, body=BODIES[body], launch=LAUNCHES[launch]))
        project.check("/m.py")
        assert project.faults("/m.py") == (), (given, taken)
