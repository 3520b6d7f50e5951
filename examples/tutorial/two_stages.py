"""Two tasks, one inferred edge: the second stage reads what the first one writes, so it waits for it."""

import pypto.language as pl

N = 128


@pl.jit
def two_stages(
    x: pl.Tensor[[N, N], pl.FP32],
    scratch: pl.Out[pl.Tensor[[N, N], pl.FP32]],
    out: pl.Out[pl.Tensor[[N, N], pl.FP32]],
):
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="stage1"):
        scratch[:, :] = pl.add(x[:, :], x[:, :])
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="stage2"):
        out[:, :] = pl.add(scratch[:, :], scratch[:, :])
    return scratch, out
