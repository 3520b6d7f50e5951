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

STAGE = """    # Stage {n}.
    rows_{n} = {n} * TILE % T
    part_{n} = pl.create_tensor([T, D], dtype=pl.FP32)
    peak_{n} = pl.create_tensor([T, D], dtype=pl.FP32)
    view_{n} = pl.slice(out, [T, D], [0, 0])
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="scale_{n}"):
        first_{n} = x[0 : T // 2, :]
        second_{n} = x[T // 2 : T, :]
        square_{n} = pl.mul(first_{n}, first_{n})
        other_{n} = pl.mul(second_{n}, second_{n})
        mean_{n} = pl.mul(pl.row_sum(square_{n}), INV)
        spread_{n} = pl.mul(pl.row_sum(other_{n}), INV)
        inverse_{n} = pl.rsqrt(pl.add(mean_{n}, EPS))
        inverted_{n} = pl.rsqrt(pl.add(spread_{n}, EPS))
        part_{n}[0 : T // 2, :] = pl.row_expand_mul(first_{n}, inverse_{n})
        part_{n}[T // 2 : T, :] = pl.row_expand_mul(second_{n}, inverted_{n})
    for block_{n} in pl.spmd(TILES, name_hint="project_{n}"):
        column_{n} = block_{n} * TILE
        acc_{n} = pl.matmul(part_{n}[:, :], w[:, column_{n} : column_{n} + TILE])
        for k_{n} in pl.range({trips}):
            step_{n} = pl.mul(acc_{n}, {scale})
            shifted_{n} = pl.add(step_{n}, EPS)
            if k_{n} > 0:
                shifted_{n} = pl.sub(shifted_{n}, step_{n})
            acc_{n} = pl.add(acc_{n}, shifted_{n})
        positive_{n} = pl.relu(acc_{n})
        highest_{n} = pl.row_max(positive_{n})
        lowered_{n} = pl.row_expand_sub(positive_{n}, highest_{n})
        grown_{n} = pl.exp(lowered_{n})
        total_{n} = pl.recip(pl.row_sum(grown_{n}))
        out[:, column_{n} : column_{n} + TILE] = pl.row_expand_mul(grown_{n}, total_{n})
        peak_{n}[:, column_{n} : column_{n} + TILE] = pl.mul(positive_{n}, {scale})
    for band_{n} in pl.range({trips}):
        offset_{n} = band_{n} * {rows}
        rows_view_{n} = pl.slice(view_{n}, [{rows}, D], [offset_{n}, 0])
        peak_view_{n} = pl.slice(peak_{n}, [{rows}, D], [offset_{n}, 0])
        with pl.at(level=pl.Level.CORE_GROUP, name_hint="band_{n}"):
            left_{n} = pl.cast(rows_view_{n}[:, :], target_type=pl.BF16)
            right_{n} = pl.cast(left_{n}, target_type=pl.FP32)
            bound_{n} = pl.mul(peak_view_{n}[:, :], {scale})
            lower_{n} = pl.sub(right_{n}, bound_{n})
            upper_{n} = pl.add(right_{n}, bound_{n})
            middle_{n} = pl.mul(pl.add(lower_{n}, upper_{n}), 0.5)
            rows_view_{n}[:, :] = pl.add(middle_{n}, pl.exp(right_{n}))
"""

STAGES = """

@pl.jit{kind}
def stages(
    x: pl.Tensor[[T, D], pl.FP32],
    w: pl.Tensor[[D, D], pl.FP32],
    out: {out},
):
{stages}    return out
"""

TWO_ENTRIES = """

@pl.jit
def one(
    x: pl.Tensor[[T, D], pl.FP32],
    w: pl.Tensor[[D, D], pl.FP32],
    out: pl.InOut[pl.Tensor[[T, D], pl.FP32]],
):
    out = stages(x, w, out)
    return out


@pl.jit
def several(
    x: pl.Tensor[[T, D], pl.FP32],
    w: pl.Tensor[[D, D], pl.FP32],
    out: pl.InOut[pl.Tensor[[T, D], pl.FP32]],
):
    for layer in pl.range(LAYERS):
        out = stages(x, w, out)
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


def orchestration(lines: int, spliced: bool, seed: int = 0) -> str:
    """A file with one function of about ``lines`` lines that launches everything; ``spliced`` into two entries, or an
    entry itself.
    """
    rng = random.Random(seed)
    stages: list[str] = []
    total = 0
    while total < lines:
        stage = STAGE.format(
            n=len(stages), scale=rng.choice(("0.5", "1.5", "2.0")), trips=rng.choice((2, 4)), rows=rng.choice((4, 8))
        )
        stages.append(stage)
        total += stage.count("\n")
    tensor = "pl.Tensor[[T, D], pl.FP32]"
    function = STAGES.format(
        kind=".inline" if spliced else "", out=tensor if spliced else f"pl.InOut[{tensor}]", stages="".join(stages)
    )
    return HEAD.format(lines=lines) + "LAYERS = M.layers\n" + function + (TWO_ENTRIES if spliced else "")
