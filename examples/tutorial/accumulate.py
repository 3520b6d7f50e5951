"""Layers that accumulate into one tensor, as a Graph: recorded for the first layer, replayed for the others."""

import pypto.language as pl

LAYERS, ROWS, COLS = 5, 64, 128


@pl.jit.graph
def layer(
    acc: pl.InOut[pl.Tensor[[ROWS, COLS], pl.FP32]],
    weight: pl.Tensor[[ROWS, COLS], pl.FP32],
    factor: pl.Scalar[pl.FP32],
):
    scaled = pl.create_tensor([ROWS, COLS], dtype=pl.FP32)
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="scale"):
        scaled[:, :] = pl.mul(weight[:, :], factor)
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="add"):
        acc[:, :] = pl.add(acc[:, :], scaled[:, :])
    return acc


@pl.jit
def accumulate(
    acc: pl.InOut[pl.Tensor[[ROWS, COLS], pl.FP32]],
    weights: pl.Tensor[[LAYERS * ROWS, COLS], pl.FP32],
    factor: pl.Scalar[pl.FP32],
):
    for i in pl.range(LAYERS):
        weight = pl.slice(weights, [ROWS, COLS], [i * ROWS, 0])
        acc = layer(acc, weight, factor)
    return acc
