"""A mixture-of-experts block as ``with pl.graph``: the expert loop is part of the recording, the layer's weights are not.

The experts' windows move with a constant-trip loop, so they are the same in every replay and stay inside. The layer's
window moves with every call and is taken in front of the region.
"""

import pypto.language as pl

from config import MOE

T = MOE.tokens
D = MOE.hidden
E = MOE.experts
L = MOE.layers
LAYER_ROWS = E * D


@pl.jit.incore
def route(
    x: pl.Tensor[[T, D], pl.FP32],
    w_gate: pl.Tensor[[D, E], pl.FP32],
    gate: pl.Out[pl.Tensor[[T, E], pl.FP32]],
):
    gate[:, :] = pl.matmul(x[:, :], w_gate[:, :])
    return gate


@pl.jit.incore
def load_of_experts(gate: pl.Tensor[[T, E], pl.FP32], count: pl.Out[pl.Tensor[[1, E], pl.INT32]]):
    count[:, :] = pl.cast(pl.col_sum(gate[:, :]), target_type=pl.INT32)
    return count


@pl.jit
def moe(
    x: pl.Tensor[[T, D], pl.FP32],
    w_gate: pl.Tensor[[D, E], pl.FP32],
    w_experts: pl.Tensor[[L * LAYER_ROWS, D], pl.FP32],
    out: pl.InOut[pl.Tensor[[T, D], pl.FP32]],
):
    gate = pl.create_tensor([T, E], dtype=pl.FP32)
    count = pl.create_tensor([1, E], dtype=pl.INT32)
    partial = pl.create_tensor([E * T, D], dtype=pl.FP32)
    for layer in pl.range(L):
        w_layer = pl.slice(w_experts, [LAYER_ROWS, D], [layer * LAYER_ROWS, 0])
        with pl.graph("moe_block"):
            gate = route(x, w_gate, gate)
            count = load_of_experts(gate, count)
            for e in pl.range(E):
                w_expert = pl.slice(w_layer, [D, D], [e * D, 0])
                part = pl.slice(partial, [T, D], [e * T, 0])
                with pl.at(level=pl.Level.CORE_GROUP, name_hint="expert"):
                    part[:, :] = pl.matmul(x[:, :], w_expert[:, :])
                with pl.at(level=pl.Level.CORE_GROUP, name_hint="weigh"):
                    part[:, :] = pl.row_expand_mul(part[:, :], gate[:, e : e + 1])
            with pl.at(level=pl.Level.CORE_GROUP, name_hint="combine"):
                for e in pl.range(E):
                    out[:, :] = pl.add(out[:, :], partial[e * T : (e + 1) * T, :])
    return out
