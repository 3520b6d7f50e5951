"""Programs that the editors open."""

from __future__ import annotations

HEAD = """\
import pypto.language as pl

T = pl.Tensor[[128, 128], pl.FP32]


@pl.jit.incore
def shift(a: T, c: pl.InOut[T], off: pl.Scalar[pl.INDEX]):
    t = pl.load(a, [off, 0], [64, 128])
    c = pl.store(t, [0, 0], c)
    return c


"""

SCOPE = (
    HEAD
    + '''\
@pl.jit
def main(a: T, c: pl.InOut[T]):
    """第一层 😀"""
    for 层 in pl.range(2):
        with pl.graph("layer"):
            base = 层 * 64  # 😀
            c = shift(a, c, base)
    return c
'''
)
SCOPE_FIXED = SCOPE.replace(
    '        with pl.graph("layer"):\n            base = 层 * 64  # 😀\n',
    '        base = 层 * 64  # 😀\n        with pl.graph("layer"):\n',
)

LAYER = (
    HEAD
    + """\
@pl.jit.graph
def layer(a: T, c: pl.InOut[T], index: pl.Scalar[pl.INDEX]):
    base = index * 64
    c = shift(a, c, base)
    return c
"""
)
LAYER_FIXED = LAYER.replace(
    "index: pl.Scalar[pl.INDEX])", "index: pl.Scalar[pl.INDEX], base: pl.Scalar[pl.INDEX])"
).replace("    base = index * 64\n", "")

MODEL = """\
import pypto.language as pl

from layer import layer

T = pl.Tensor[[128, 128], pl.FP32]


@pl.jit
def model(a: T, c: pl.InOut[T]):
    for i in pl.range(2):
        c = layer(a, c, i)
    return c
"""
MODEL_FIXED = MODEL.replace("layer(a, c, i)", "layer(a, c, i, i * 64)")

RACE = """\
import pypto.language as pl

T = pl.Tensor[[128, 128], pl.FP32]


@pl.jit.incore
def copy(x: T, y: pl.Out[T]):
    y = pl.store(pl.load(x, [0, 0], [64, 64]), [0, 0], y)
    return y


@pl.jit
def main(输入: T, out: pl.Out[T]):
    s = pl.create_tensor([128, 128], dtype=pl.FP32)
    for i in pl.range(4):
        s = copy(输入, s)
        out = copy(s, out)
    return out
"""
"""The mark on the second ``s`` of its line stands behind two characters of three bytes each."""
