"""RMS normalisation, spliced into whoever calls it."""

import pypto.language as pl

from config import DECODER

T = DECODER.tokens
D = DECODER.hidden
EPS = 1e-6
INV_D = 1.0 / D


@pl.jit.inline
def rms_norm(
    x: pl.Tensor[[T, D], pl.FP32],
    gamma: pl.Tensor[[1, D], pl.FP32],
    normed: pl.Tensor[[T, D], pl.FP32],
):
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="rms_norm"):
        square = pl.mul(x[:, :], x[:, :])
        mean = pl.mul(pl.row_sum(square), INV_D)
        scale = pl.rsqrt(pl.add(mean, EPS))
        normed[:, :] = pl.col_expand_mul(pl.row_expand_mul(x[:, :], scale), gamma[:, :])
    return normed
