"""PTO412 varying-core-count: rules.md L2."""

from __future__ import annotations

from pto_lsp.analysis.rules.examples import jit, program
from pto_lsp.analysis.rules.rule import Example, Rule
from pto_lsp.diagnostics import Severity

RULE = Rule(
    code="PTO412",
    name="varying-core-count",
    severity=Severity.ERROR,
    summary="A task of a Graph asks for a number of cores that is not a literal",
    what="""\
Reports `pl.spmd(n)` and `pl.spmd_submit(..., core_num=n)` in a Graph region when `n` is anything but an integer
constant or arithmetic over such: a scalar parameter, `pl.tensor.dim(...)`, a query of the device. Hoisting does
not help; the value must be known when the program is compiled.""",
    why="""\
The block count is part of the recorded node. The compiler is strict here on purpose, also about values that
could not change within one run.""",
    examples=(
        Example(
            bad=jit(
                ["accumulate"],
                """
@pl.jit.graph
def layer(x: <T>, acc: pl.InOut[<T>], blocks: <I>):
    with pl.spmd(⟦blocks⟧):
        acc = accumulate(x, acc)
    return acc


@pl.jit
def main(x: <T>, acc: pl.InOut[<T>]):
    acc = layer(x, acc, 8)
    return acc
""",
            ),
            good=jit(
                ["accumulate"],
                """
BLOCKS = 8


@pl.jit.graph
def layer(x: <T>, acc: pl.InOut[<T>]):
    with pl.spmd(BLOCKS):
        acc = accumulate(x, acc)
    return acc


@pl.jit
def main(x: <T>, acc: pl.InOut[<T>]):
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
    acc, _done = pl.spmd_submit(self.accumulate, x, acc, core_num=⟦pl.tensor.dim(x, 0) // 16⟧)
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
@pl.function(type=pl.FunctionType.Graph)
def layer(self, x: <T>, acc: pl.InOut[<T>]) -> <T>:
    acc, _done = pl.spmd_submit(self.accumulate, x, acc, core_num=4)
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
)
