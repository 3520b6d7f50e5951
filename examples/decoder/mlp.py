"""The gated MLP of one layer, one task per column tile."""

import pypto.language as pl

from config import DECODER

T = DECODER.tokens
D = DECODER.hidden
I = DECODER.intermediate
TILE = DECODER.tile
UP_TILES = I // TILE
DOWN_TILES = D // TILE


@pl.jit.inline
def mlp(
    x: pl.Tensor[[T, D], pl.FP32],
    w_up: pl.Tensor[[D, I], pl.FP32],
    w_down: pl.Tensor[[I, D], pl.FP32],
    hidden: pl.Tensor[[T, I], pl.FP32],
    out: pl.Tensor[[T, D], pl.FP32],
):
    for i in pl.spmd(UP_TILES, name_hint="mlp_up"):
        up = pl.matmul(x[:, :], w_up[:, i * TILE : (i + 1) * TILE])
        hidden[:, i * TILE : (i + 1) * TILE] = pl.relu(up)
    for i in pl.spmd(DOWN_TILES, name_hint="mlp_down"):
        down = pl.matmul(hidden[:, :], w_down[:, i * TILE : (i + 1) * TILE])
        out[:, i * TILE : (i + 1) * TILE] = pl.add(out[:, i * TILE : (i + 1) * TILE], down)
    return out
