/** The programs that the tests open. */

const HEAD = `import pypto.language as pl

T = pl.Tensor[[128, 128], pl.FP32]


`;

const SHIFT = `@pl.jit.incore
def shift(a: T, c: pl.InOut[T], off: pl.Scalar[pl.INDEX]):
    t = pl.load(a, [off, 0], [64, 128])
    c = pl.store(t, [0, 0], c)
    return c


`;

/** A Graph that computes a scalar from its parameter, and its caller in another file. */
export const LAYER = `${HEAD}${SHIFT}@pl.jit.graph
def layer(a: T, c: pl.InOut[T], index: pl.Scalar[pl.INDEX]):
    base = index * 64  # rows of this layer
    c = shift(a, c, base)
    return c
`;

export const MODEL = `import pypto.language as pl

from layer import layer

T = pl.Tensor[[128, 128], pl.FP32]


@pl.jit
def model(a: T, c: pl.InOut[T]):
    for i in pl.range(2):
        c = layer(a, c, i)
    return c
`;

export const LAYER_FIXED = LAYER.replace(
  "index: pl.Scalar[pl.INDEX])",
  "index: pl.Scalar[pl.INDEX], base: pl.Scalar[pl.INDEX])",
).replace("    base = index * 64  # rows of this layer\n", "");

export const MODEL_FIXED = MODEL.replace(
  "        c = layer(a, c, i)\n",
  "        base = i * 64  # rows of this layer\n        c = layer(a, c, i, base)\n",
);

/** The same in one file, with a Graph scope. */
export const SCOPE = `${HEAD}${SHIFT}@pl.jit
def main(a: T, c: pl.InOut[T]):
    for i in pl.range(2):
        with pl.graph("layer"):
            base = i * 64  # rows of this layer
            c = shift(a, c, base)
    return c
`;

export const SCOPE_FIXED = SCOPE.replace(
  '        with pl.graph("layer"):\n            base = i * 64  # rows of this layer\n',
  '        base = i * 64  # rows of this layer\n        with pl.graph("layer"):\n',
);

/** A loop whose first task overwrites what the second one may still read. */
export const TASKS = `${HEAD}@pl.jit.incore
def fill(x: T, y: pl.Out[T]):
    y = pl.store(pl.load(x, [0, 0], [64, 64]), [0, 0], y)
    return y


@pl.jit.incore
def use(x: T, y: pl.Out[T]):
    y = pl.store(pl.load(x, [0, 0], [64, 64]), [0, 0], y)
    return y


@pl.jit.incore
def add(x: T, y: pl.InOut[T]):
    total = pl.add(pl.load(x, [0, 0], [64, 64]), pl.load(y, [0, 0], [64, 64]))
    y = pl.store(total, [0, 0], y)
    return y


@pl.jit
def main(x: T, out: pl.Out[T], last: pl.Out[T]):
    s = pl.create_tensor([128, 128], dtype=pl.FP32)
    for i in pl.range(4):
        s = fill(x, s)
        out = use(s, out)
    last = use(out, last)
    last = add(out, last)
    return out, last
`;

/** Everything that the picture of a graph can show: boxes of every kind, a guard, opt-outs, a stall, a cloud. */
export const EVERYTHING = `import pypto.language as pl


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
    m: pl.Scalar[pl.INDEX],
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
    del n
    limit = pl.read(flags, [0])
    y = twice(x, y)
    with pl.spmd(4, name_hint="grid", predicate=flags[0] > 0):
        b = pl.get_block_idx()
        z[b * 8 : b * 8 + 8, :] = pl.add(y[b * 8 : b * 8 + 8, :], x[b * 8 : b * 8 + 8, :])
    with pl.manual_scope():
        with pl.at(level=pl.Level.CORE_GROUP, name_hint="m1"):
            w[0:m, :] = pl.add(w[0:m, :], w[0:m, :])
        with pl.at(level=pl.Level.CORE_GROUP, name_hint="m2"):
            w[m:64, :] = pl.add(w[m:64, :], w[m:64, :])
    return w, flags, y, z
`;

/** 1-based number of the only line that holds the text. */
export function lineOf(source, text) {
  const found = source.split("\n").flatMap((line, number) => (line.includes(text) ? [number + 1] : []));
  if (found.length !== 1) {
    throw new Error(`'${text}' is in ${found.length} lines`);
  }
  return found[0];
}
