"""A matrix product, one task per tile of the result, summed over tiles of the inner dimension."""

import pypto.language as pl

M, K, N = 128, 256, 128
TILE = 64


@pl.jit
def matmul(
    a: pl.Tensor[[M, K], pl.FP16],
    b: pl.Tensor[[K, N], pl.FP16],
    c: pl.Out[pl.Tensor[[M, N], pl.FP32]],
):
    for block in pl.spmd((M // TILE) * (N // TILE), name_hint="matmul_tile"):
        row = block // (N // TILE) * TILE
        col = block % (N // TILE) * TILE
        total = pl.create_tensor([TILE, TILE], dtype=pl.FP32)
        for k in pl.range(0, K, TILE):
            left = a[row : row + TILE, k : k + TILE]
            right = b[k : k + TILE, col : col + TILE]
            if k == 0:
                total = pl.matmul(left, right, out_dtype=pl.FP32)
            else:
                total = pl.matmul_acc(total, left, right)
        c[row : row + TILE, col : col + TILE] = total
    return c
