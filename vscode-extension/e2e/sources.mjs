/** The programs that the tests open. */

import { readFileSync } from "node:fs";

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

/** Everything that the picture of a graph can show: boxes of every kind, a guard, opt-outs, a stall, and a cloud. */
export const EVERYTHING = readFileSync(new URL("../../tests/task_graph/cases/everything.txt", import.meta.url), "utf8")
  .replace("    limit = pl.read(", "    del n\n    limit = pl.read(")
  .replace("    n: pl.Scalar[pl.INDEX],\n", "$&    m: pl.Scalar[pl.INDEX],\n")
  .replaceAll("w[0:n, :]", "w[0:m, :]")
  .replaceAll("w[n:64, :]", "w[m:64, :]");

/** 1-based number of the only line that holds the text. */
export function lineOf(source, text) {
  const found = source.split("\n").flatMap((line, number) => (line.includes(text) ? [number + 1] : []));
  if (found.length !== 1) {
    throw new Error(`'${text}' is in ${found.length} lines`);
  }
  return found[0];
}
