"""The decoder layer with every per-layer window and buffer made by the caller: nothing is left to hoist."""

import pypto.language as pl

from config import DECODER
from mlp import mlp
from norm import rms_norm

L = DECODER.layers
T = DECODER.tokens
D = DECODER.hidden
I = DECODER.intermediate
TILE = DECODER.tile
PROJECTIONS = DECODER.projections


@pl.jit.graph
def decoder_layer(
    x: pl.InOut[pl.Tensor[[T, D], pl.FP32]],
    gamma: pl.Tensor[[1, D], pl.FP32],
    w_o: pl.Tensor[[D, D], pl.FP32],
    w_up: pl.Tensor[[D, I], pl.FP32],
    w_down: pl.Tensor[[I, D], pl.FP32],
    normed: pl.InOut[pl.Tensor[[T, D], pl.FP32]],
    hidden: pl.InOut[pl.Tensor[[T, I], pl.FP32]],
):
    normed = rms_norm(x, gamma, normed)
    for p in pl.spmd(PROJECTIONS, name_hint="o_proj"):
        x[:, p * TILE : (p + 1) * TILE] = pl.add(
            x[:, p * TILE : (p + 1) * TILE],
            pl.matmul(normed[:, :], w_o[:, p * TILE : (p + 1) * TILE]),
        )
    x = mlp(normed, w_up, w_down, hidden, x)
    return x


@pl.jit
def decode(
    x: pl.InOut[pl.Tensor[[T, D], pl.FP32]],
    gamma: pl.Tensor[[L, D], pl.FP32],
    w_o: pl.Tensor[[L * D, D], pl.FP32],
    w_up: pl.Tensor[[L * D, I], pl.FP32],
    w_down: pl.Tensor[[L * I, D], pl.FP32],
):
    normed = pl.create_tensor([T, D], dtype=pl.FP32)
    hidden = pl.create_tensor([T, I], dtype=pl.FP32)
    for layer in pl.range(L):
        gamma_row = pl.slice(gamma, [1, D], [layer, 0])
        w_o_layer = pl.slice(w_o, [D, D], [layer * D, 0])
        w_up_layer = pl.slice(w_up, [D, I], [layer * D, 0])
        w_down_layer = pl.slice(w_down, [I, D], [layer * I, 0])
        x = decoder_layer(x, gamma_row, w_o_layer, w_up_layer, w_down_layer, normed, hidden)
    return x
