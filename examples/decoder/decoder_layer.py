"""One decoder layer as a Graph, recorded for the first layer and replayed for the others.

The layer slices its own weights out of the stacked ones, so the compiler has to move those windows to the call: that
is what ``pto-lsp check`` reports here, each with its quick fix. ``decoder_layer_explicit.py`` is the same model with
every hoist written down.
"""

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
    gamma: pl.Tensor[[L, D], pl.FP32],
    w_o: pl.Tensor[[L * D, D], pl.FP32],
    w_up: pl.Tensor[[L * D, I], pl.FP32],
    w_down: pl.Tensor[[L * I, D], pl.FP32],
    layer: pl.Scalar[pl.INDEX],
):
    base = layer * D
    gamma_row = pl.slice(gamma, [1, D], [layer, 0])
    w_o_layer = pl.slice(w_o, [D, D], [base, 0])
    w_up_layer = pl.slice(w_up, [D, I], [base, 0])
    w_down_layer = pl.slice(w_down, [I, D], [layer * I, 0])
    normed = pl.create_tensor([T, D], dtype=pl.FP32)
    hidden = pl.create_tensor([T, I], dtype=pl.FP32)
    normed = rms_norm(x, gamma_row, normed)
    for p in pl.spmd(PROJECTIONS, name_hint="o_proj"):
        x[:, p * TILE : (p + 1) * TILE] = pl.add(
            x[:, p * TILE : (p + 1) * TILE],
            pl.matmul(normed[:, :], w_o_layer[:, p * TILE : (p + 1) * TILE]),
        )
    x = mlp(normed, w_up_layer, w_down_layer, hidden, x)
    return x


@pl.jit
def decode(
    x: pl.InOut[pl.Tensor[[T, D], pl.FP32]],
    gamma: pl.Tensor[[L, D], pl.FP32],
    w_o: pl.Tensor[[L * D, D], pl.FP32],
    w_up: pl.Tensor[[L * D, I], pl.FP32],
    w_down: pl.Tensor[[L * I, D], pl.FP32],
):
    for layer in pl.range(L):
        x = decoder_layer(x, gamma, w_o, w_up, w_down, layer)
    return x
