"""PTO303 tensor-full-in-region: rules.md F1."""

from __future__ import annotations

from pto_lsp.analysis.rules.examples import jit, program
from pto_lsp.analysis.rules.rule import Example, Rule
from pto_lsp.diagnostics import Severity

RULE = Rule(
    code="PTO303",
    name="tensor-full-in-region",
    severity=Severity.ERROR,
    summary="A Graph region fills a tensor outside of a kernel",
    what="""\
Reports `pl.full` (`pl.tensor.full`) in a Graph region outside of `pl.at`, `pl.spmd` and `pl.cluster`. Inside
such a region it makes a tile and is fine.""",
    why="""\
Filling memory is work for a core. At graph level there is no task that would do it, neither when recording nor
on a replay.""",
    examples=(
        Example(
            bad=jit(
                ["accumulate"],
                """
@pl.jit.graph
def layer(x: <T>, acc: pl.InOut[<T>]):
    zero = ⟦pl.full([64, 64], dtype=pl.FP32, value=0.0)⟧
    acc = accumulate(zero, acc)
    acc = accumulate(x, acc)
    return acc


@pl.jit
def main(x: <T>, acc: pl.InOut[<T>]):
    for i in pl.range(8):
        acc = layer(x, acc)
    return acc
""",
            ),
            good=jit(
                ["accumulate"],
                """
@pl.jit.graph
def layer(x: <T>, acc: pl.InOut[<T>]):
    with pl.at(level=pl.Level.CORE_GROUP):
        acc[:, :] = pl.full([64, 64], dtype=pl.FP32, value=0.0)
    acc = accumulate(x, acc)
    return acc


@pl.jit
def main(x: <T>, acc: pl.InOut[<T>]):
    for i in pl.range(8):
        acc = layer(x, acc)
    return acc
""",
            ),
        ),
        Example(
            bad=program(
                ["accumulate"],
                """
@pl.function(type=pl.FunctionType.Graph)
def layer(self, x: <T>, acc: pl.InOut[<T>]) -> <T>:
    zero = ⟦pl.full([64, 64], dtype=pl.FP32, value=0.0)⟧
    acc = self.accumulate(zero, acc)
    acc = self.accumulate(x, acc)
    return acc

@pl.function(type=pl.FunctionType.Orchestration)
def main(self, x: <T>, acc: pl.InOut[<T>]) -> <T>:
    for i in pl.range(8):
        acc = self.layer(x, acc)
    return acc
""",
            ),
            good=program(
                ["accumulate"],
                """
@pl.function(type=pl.FunctionType.InCore)
def clear(self, out: pl.Out[<T>]) -> <T>:
    out = pl.store(pl.full([64, 64], dtype=pl.FP32, value=0.0), [0, 0], out)
    return out

@pl.function(type=pl.FunctionType.Graph)
def layer(self, x: <T>, acc: pl.InOut[<T>]) -> <T>:
    acc = self.clear(acc)
    acc = self.accumulate(x, acc)
    return acc

@pl.function(type=pl.FunctionType.Orchestration)
def main(self, x: <T>, acc: pl.InOut[<T>]) -> <T>:
    for i in pl.range(8):
        acc = self.layer(x, acc)
    return acc
""",
            ),
        ),
    ),
    references=("PTO006 misplaced-tensor-op, the same outside of Graph regions",),
)
