"""Writes PyPTO files of the shape of real models: constants, inline helpers with regions, an entry, host code."""

from __future__ import annotations

import random

HEAD = '''"""A generated model of {lines} lines."""

import pypto.language as pl

from sizes import MODEL as M

T = M.tokens
D = M.hidden
TILE = 64
TILES = D // TILE
EPS = 1e-6
INV = 1.0 / D
'''

SIZES = """from dataclasses import dataclass


@dataclass(frozen=True)
class Model:
    tokens: int = 16
    hidden: int = 1024
    layers: int = 4

    @property
    def blocks(self) -> int:
        return self.hidden // 128


MODEL = Model()
"""

HELPER = '''

@pl.jit.inline
def helper_{n}(
    x: pl.Tensor[[T, D], pl.FP32],
    w: pl.Tensor[[D, D], pl.FP32],
    gamma: pl.Tensor[[1, D], pl.FP32],
    out: pl.Tensor[[T, D], pl.FP32],
):
    """Helper {n}: normalise, project, activate."""
    rows_{n} = pl.tensor.dim(x, 0)
    normed_{n} = pl.create_tensor([T, D], dtype=pl.FP32)
    # One task for the norm, one per column tile for the projection.
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="norm_{n}") as norm_tid:
        square_{n} = pl.mul(x[:, :], x[:, :])
        mean_{n} = pl.mul(pl.row_sum(square_{n}), INV)
        scale_{n} = pl.rsqrt(pl.add(mean_{n}, EPS))
        normed_{n}[:, :] = pl.col_expand_mul(pl.row_expand_mul(x[:, :], scale_{n}), gamma[:, :])
    for i in pl.spmd(TILES, name_hint="proj_{n}"):
        acc_{n} = pl.matmul(normed_{n}[:, :], w[:, i * TILE : (i + 1) * TILE])
        for k in pl.pipeline(4, stage=2):
            step_{n} = pl.mul(acc_{n}, {scale})
            acc_{n} = pl.add(acc_{n}, step_{n})
        out[:, i * TILE : (i + 1) * TILE] = pl.relu(acc_{n})
    for b in pl.range({trips}):
        band_{n} = pl.slice(out, [{rows}, D], [b * {rows}, 0])
        with pl.at(level=pl.Level.CORE_GROUP, name_hint="band_{n}", deps=[norm_tid]):
            left_{n} = pl.cast(band_{n}[:, :], target_type=pl.BF16)
            right_{n} = pl.cast(left_{n}, target_type=pl.FP32)
            band_{n}[:, :] = pl.add(right_{n}, pl.exp(right_{n}))
    return out
'''

ENTRY = """

@pl.jit
def model(
    x: pl.Tensor[[T, D], pl.FP32],
    w: pl.Tensor[[D, D], pl.FP32],
    gamma: pl.Tensor[[1, D], pl.FP32],
    out: pl.InOut[pl.Tensor[[T, D], pl.FP32]],
):
{calls}
    return out
"""

GRAPH = """

@pl.jit.graph
def layer(
    x: pl.Tensor[[T, D], pl.FP32],
    w: pl.Tensor[[4 * D, D], pl.FP32],
    gamma: pl.Tensor[[1, D], pl.FP32],
    out: pl.InOut[pl.Tensor[[T, D], pl.FP32]],
    index: pl.Scalar[pl.INDEX],
):
    base = index * D
    w_layer = pl.slice(w, [D, D], [base, 0])
{calls}
    return out


@pl.jit
def layers(
    x: pl.Tensor[[T, D], pl.FP32],
    w: pl.Tensor[[4 * D, D], pl.FP32],
    gamma: pl.Tensor[[1, D], pl.FP32],
    out: pl.InOut[pl.Tensor[[T, D], pl.FP32]],
):
    for index in pl.range(4):
        out = layer(x, w, gamma, out, index)
    return out
"""

HOST = '''

def golden_{n}(tensors):
    """Reference result {n}, plain Python."""
    x, w, gamma = tensors["x"], tensors["w"], tensors["gamma"]
    total = 0
    for index in range({trips}):
        scaled = [value * {scale} for value in x]
        if index % 2:
            total += sum(scaled) + len(w)
        else:
            total -= max(scaled, default=0) * len(gamma)
    return {{"out": total, "name": f"golden_{n}"}}
'''


def model(lines: int, graph: bool = False, seed: int = 0) -> str:
    """A file of about ``lines`` lines; ``graph`` makes its last entry call a Graph per layer."""
    rng = random.Random(seed)
    parts = [HEAD.format(lines=lines)]
    total, number = parts[0].count("\n"), 0
    while total < lines - 30:
        template = HELPER if rng.random() < 0.6 else HOST
        part = template.format(
            n=number, scale=rng.choice(("0.5", "1.5", "2.0")), trips=rng.choice((2, 4)), rows=rng.choice((4, 8))
        )
        parts.append(part)
        total += part.count("\n")
        number += 1
    helpers = [part.split("def ")[1].split("(")[0] for part in parts if "@pl.jit.inline" in part][-8:]
    weight = "w_layer" if graph else "w"
    calls = "\n".join(f"    out = {name}(x, {weight}, gamma, out)" for name in helpers)
    parts.append((GRAPH if graph else ENTRY).format(calls=calls))
    return "".join(parts)
