"""Softmax of every row, one task per band of rows."""

import pypto.language as pl

ROWS, COLS, BAND = 128, 256, 32


@pl.jit
def softmax(x: pl.Tensor[[ROWS, COLS], pl.FP32], y: pl.Out[pl.Tensor[[ROWS, COLS], pl.FP32]]):
    for band in pl.spmd(ROWS // BAND, name_hint="softmax_band"):
        tile = x[band * BAND : (band + 1) * BAND, :]
        largest = pl.row_max(tile)
        raised = pl.exp(pl.row_expand_sub(tile, largest))
        y[band * BAND : (band + 1) * BAND, :] = pl.row_expand_div(raised, pl.row_sum(raised))
    return y
