"""The command line in this process, and small programs for it."""

from __future__ import annotations

from contextlib import redirect_stderr, redirect_stdout
from io import BytesIO, StringIO, TextIOWrapper
from pathlib import Path

from pto_lsp.cli import main

EXAMPLES = Path(__file__).parents[2] / "examples"


def pto(*words: str) -> tuple[int, str, str]:
    """Exit code, standard output and standard error of ``pto-lsp WORDS``."""
    # As the real ones, which bytes can be written to as well.
    written, err = BytesIO(), StringIO()
    out = TextIOWrapper(written, encoding="utf-8", newline="\n", write_through=True)
    with redirect_stdout(out), redirect_stderr(err):
        try:
            code = main(words)
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 1
    return code, written.getvalue().decode(), err.getvalue()


IN_CLASS = """\
import pypto.language as pl


@pl.program
class P:
    @pl.function(type=pl.FunctionType.InCore)
    def shift(
        self,
        a: pl.Tensor[[64, 64], pl.FP32],
        c: pl.InOut[pl.Tensor[[64, 64], pl.FP32]],
        off: pl.Scalar[pl.INDEX],
    ) -> pl.Tensor[[64, 64], pl.FP32]:
        t = pl.load(a, [off, 0], [8, 64])
        c = pl.store(t, [0, 0], c)
        return c

    @pl.function(type=pl.FunctionType.Graph)
    def layer(
        self,
        a: pl.Tensor[[64, 64], pl.FP32],
        c: pl.InOut[pl.Tensor[[64, 64], pl.FP32]],
        i: pl.Scalar[pl.INDEX],
    ) -> pl.Tensor[[64, 64], pl.FP32]:
        base = i * 8
        c = self.shift(a, c, base)
        return c

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(
        self,
        a: pl.Tensor[[64, 64], pl.FP32],
        c: pl.InOut[pl.Tensor[[64, 64], pl.FP32]],
    ) -> pl.Tensor[[64, 64], pl.FP32]:
        for n in pl.range(3):
            c = self.layer(a, c, n)
        return c
"""
"""One Graph with one scalar to hoist, called three times."""

JIT = """\
import pypto.language as pl


@pl.jit.incore
def add(a: pl.Tensor[[64, 64], pl.FP32], c: pl.InOut[pl.Tensor[[64, 64], pl.FP32]]):
    c[:, :] = pl.add(a[:, :], c[:, :])
    return c


@pl.jit
def plain(a: pl.Tensor[[64, 64], pl.FP32], c: pl.InOut[pl.Tensor[[64, 64], pl.FP32]]):
    c = add(a, c)
    c = add(a, c)
    return c


@pl.jit
def stacked(w: pl.Tensor[[256, 64], pl.FP32], c: pl.InOut[pl.Tensor[[64, 64], pl.FP32]]):
    for n in pl.range(4):
        with pl.graph("block"):
            v = pl.slice(w, [64, 64], [n * 64, 0])
            c = add(v, c)
    return c
"""
"""An entry without a Graph, then one with a Graph scope that needs a view from its caller."""

IMPORTING = (
    IN_CLASS.replace("import pypto", "from sizes import TRIPS\nimport pypto", 1)
    .replace("        base = i * 8\n", "        for k in pl.range(TRIPS):\n")
    .replace("        c = self.shift(a, c, base)\n", "            c = self.shift(a, c, i)\n")
)
"""The same Graph with as many tasks as the module ``sizes`` says: more than 1024 are too many (PTO409)."""
