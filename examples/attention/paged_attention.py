"""A paged-attention loop in the class style: the block table is read on the host, so no part of it is a Graph."""

import pypto.language as pl

BLOCK = 64
HEAD_DIM = 128
BLOCKS = 16
MAX_SEQ_BLOCKS = 4


@pl.program
class PagedAttention:
    @pl.function(type=pl.FunctionType.InCore)
    def scores(
        self,
        q: pl.Tensor[[16, HEAD_DIM], pl.FP32],
        k: pl.Tensor[[BLOCK, HEAD_DIM], pl.FP32],
        s: pl.Out[pl.Tensor[[16, BLOCK], pl.FP32]],
    ) -> pl.Tensor[[16, BLOCK], pl.FP32]:
        qt = pl.load(q, [0, 0], [16, HEAD_DIM])
        kt = pl.load(k, [0, 0], [BLOCK, HEAD_DIM])
        s = pl.store(pl.matmul(qt, kt, b_trans=True), [0, 0], s)
        return s

    @pl.function(type=pl.FunctionType.InCore)
    def weights(
        self,
        s: pl.Tensor[[16, BLOCK], pl.FP32],
        p: pl.Out[pl.Tensor[[16, BLOCK], pl.FP32]],
    ) -> pl.Tensor[[16, BLOCK], pl.FP32]:
        p = pl.store(pl.exp(pl.load(s, [0, 0], [16, BLOCK])), [0, 0], p)
        return p

    @pl.function(type=pl.FunctionType.InCore)
    def accumulate(
        self,
        p: pl.Tensor[[16, BLOCK], pl.FP32],
        v: pl.Tensor[[BLOCK, HEAD_DIM], pl.FP32],
        out: pl.InOut[pl.Tensor[[16, HEAD_DIM], pl.FP32]],
    ) -> pl.Tensor[[16, HEAD_DIM], pl.FP32]:
        out[:, :] = pl.add(out[:, :], pl.matmul(p[:, :], v[:, :]))
        return out

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(
        self,
        q: pl.Tensor[[16, HEAD_DIM], pl.FP32],
        keys: pl.Tensor[[BLOCKS * BLOCK, HEAD_DIM], pl.FP32],
        values: pl.Tensor[[BLOCKS * BLOCK, HEAD_DIM], pl.FP32],
        table: pl.Tensor[[MAX_SEQ_BLOCKS], pl.INT32],
        out: pl.InOut[pl.Tensor[[16, HEAD_DIM], pl.FP32]],
    ) -> pl.Tensor[[16, HEAD_DIM], pl.FP32]:
        for b in pl.range(MAX_SEQ_BLOCKS):
            block = pl.cast(pl.tensor.read(table, [b]), pl.INDEX)
            k = pl.slice(keys, [BLOCK, HEAD_DIM], [block * BLOCK, 0])
            v = pl.slice(values, [BLOCK, HEAD_DIM], [block * BLOCK, 0])
            s = pl.create_tensor([16, BLOCK], dtype=pl.FP32)
            s = self.scores(q, k, s)
            p = pl.create_tensor([16, BLOCK], dtype=pl.FP32)
            p = self.weights(s, p)
            out = self.accumulate(p, v, out)
        return out
