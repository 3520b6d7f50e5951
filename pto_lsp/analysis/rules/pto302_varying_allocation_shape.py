"""PTO302 varying-allocation-shape: rules.md F2."""

from __future__ import annotations

from pto_lsp.analysis.rules.examples import jit, program
from pto_lsp.analysis.rules.rule import Example, Rule
from pto_lsp.diagnostics import Severity

RULE = Rule(
    code="PTO302",
    name="varying-allocation-shape",
    severity=Severity.ERROR,
    summary="A buffer allocated in a Graph region has a shape that is not constant",
    what="""\
Reports `pl.create_tensor` anywhere in a Graph region with an extent that is not a literal: a scalar parameter,
a loop index, `pl.tensor.dim(...)`, a dynamic symbol. Constants of the module are literals.""",
    why="""\
The size of an allocation is part of the recording, and the compiler does not compute it anew per call: it wants
a number it can see.""",
    examples=(
        Example(
            bad=jit(
                ["accumulate", "produce"],
                """
@pl.jit.graph
def layer(x: <T>, acc: pl.InOut[<T>], rows: <I>):
    doubled = ⟦pl.create_tensor([rows, 64], dtype=pl.FP32)⟧
    doubled = produce(x, doubled)
    acc = accumulate(doubled, acc)
    return acc


@pl.jit
def main(x: <T>, acc: pl.InOut[<T>]):
    acc = layer(x, acc, 64)
    return acc
""",
            ),
            good=jit(
                ["accumulate", "produce"],
                """
@pl.jit.graph
def layer(x: <T>, acc: pl.InOut[<T>], doubled: pl.InOut[<T>]):
    doubled = produce(x, doubled)
    acc = accumulate(doubled, acc)
    return acc


@pl.jit
def main(x: <T>, acc: pl.InOut[<T>]):
    doubled = pl.create_tensor([64, 64], dtype=pl.FP32)
    acc = layer(x, acc, doubled)
    return acc
""",
            ),
        ),
        Example(
            bad=program(
                ["accumulate", "produce"],
                """
@pl.function(type=pl.FunctionType.Graph)
def layer(self, x: <T>, acc: pl.InOut[<T>]) -> <T>:
    doubled = ⟦pl.create_tensor([pl.tensor.dim(x, 0), 64], dtype=pl.FP32)⟧
    doubled = self.produce(x, doubled)
    acc = self.accumulate(doubled, acc)
    return acc

@pl.function(type=pl.FunctionType.Orchestration)
def main(self, x: <T>, acc: pl.InOut[<T>]) -> <T>:
    for i in pl.range(8):
        acc = self.layer(x, acc)
    return acc
""",
            ),
            good=program(
                ["accumulate", "produce"],
                """
@pl.function(type=pl.FunctionType.Graph)
def layer(self, x: <T>, acc: pl.InOut[<T>], doubled: pl.InOut[<T>]) -> <T>:
    doubled = self.produce(x, doubled)
    acc = self.accumulate(doubled, acc)
    return acc

@pl.function(type=pl.FunctionType.Orchestration)
def main(self, x: <T>, acc: pl.InOut[<T>]) -> <T>:
    doubled = pl.create_tensor([64, 64], dtype=pl.FP32)
    for i in pl.range(8):
        acc = self.layer(x, acc, doubled)
    return acc
""",
            ),
        ),
    ),
    fix="""\
Where the caller can compute the shape, allocates at every call site and passes the buffer as `InOut`. Safe when
every call site was seen.""",
    references=(
        "PTO301 region-allocation",
        "PTO203 varying-view-extent",
    ),
)
