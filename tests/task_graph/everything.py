"""One orchestration with everything that a picture can show."""

TEXT = """\
import pypto.language as pl


@pl.jit.incore
def put(a: pl.Tensor[[32, 64], pl.FP32], o: pl.Out[pl.Tensor[[32, 64], pl.FP32]]):
    t = pl.load(a, [0, 0], [32, 64])
    o = pl.store(pl.add(t, t), [0, 0], o)
    return o


@pl.jit.incore
def count(a: pl.Tensor[[32, 64], pl.FP32], o: pl.Out[pl.Tensor[[4], pl.INT32]]):
    pl.write(o, [0], 1)
    return o


@pl.jit.inline
def twice(a: pl.Tensor[[32, 64], pl.FP32], o: pl.Out[pl.Tensor[[32, 64], pl.FP32]]):
    o = put(a, o)
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="second"):
        o[:, :] = pl.add(o[:, :], a[:, :])
    return o


@pl.jit
def main(
    x: pl.Tensor[[32, 64], pl.FP32],
    n: pl.Scalar[pl.INDEX],
    w: pl.InOut[pl.Tensor[[128, 64], pl.FP32]],
    flags: pl.Out[pl.Tensor[[4], pl.INT32]],
    y: pl.InOut[pl.Tensor[[32, 64], pl.FP32]],
    z: pl.InOut[pl.Tensor[[32, 64], pl.FP32]],
):
    flags = count(x, flags)
    for i in pl.parallel(2):
        with pl.at(level=pl.Level.CORE_GROUP, name_hint="band", no_dep_args=[w]):
            w[i * 64 : i * 64 + 64, :] = pl.add(w[i * 64 : i * 64 + 64, :], w[i * 64 : i * 64 + 64, :])
    if n > 4:
        y = put(x, y)
    else:
        with pl.at(level=pl.Level.CORE_GROUP, name_hint="other"):
            y[:, :] = pl.sub(x[:, :], x[:, :])
    limit = pl.read(flags, [0])
    y = twice(x, y)
    with pl.spmd(4, name_hint="grid", predicate=flags[0] > 0):
        b = pl.get_block_idx()
        z[b * 8 : b * 8 + 8, :] = pl.add(y[b * 8 : b * 8 + 8, :], x[b * 8 : b * 8 + 8, :])
    with pl.manual_scope():
        with pl.at(level=pl.Level.CORE_GROUP, name_hint="m1"):
            w[0:n, :] = pl.add(w[0:n, :], w[0:n, :])
        with pl.at(level=pl.Level.CORE_GROUP, name_hint="m2"):
            w[n:64, :] = pl.add(w[n:64, :], w[n:64, :])
    return w, flags, y, z
"""
