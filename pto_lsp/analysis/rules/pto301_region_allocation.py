"""PTO301 region-allocation: rules.md F3."""

from __future__ import annotations

from pto_lsp.analysis.rules.examples import jit, program
from pto_lsp.analysis.rules.rule import Example, Rule
from pto_lsp.diagnostics import Severity

RULE = Rule(
    code="PTO301",
    name="region-allocation",
    severity=Severity.INFORMATION,
    summary="A buffer allocated in a Graph region is moved to the call site",
    what="""\
Reports `pl.create_tensor` in a Graph region outside of loops. The compiler turns it into an `InOut` parameter
of the Graph and allocates the buffer in front of every call, inside the caller's loop where the call is in one.""",
    why="""\
Correct, but heavier than it looks: each call allocates again. Where the buffer is scratch space, one allocation
in front of the caller's loop serves all calls.""",
    examples=(
        Example(
            bad=jit(
                ["accumulate", "produce"],
                """
@pl.jit.graph
def layer(x: <T>, acc: pl.InOut[<T>]):
    doubled = ⟦pl.create_tensor([64, 64], dtype=pl.FP32)⟧
    doubled = produce(x, doubled)
    acc = accumulate(doubled, acc)
    return acc


@pl.jit
def main(x: <T>, acc: pl.InOut[<T>]):
    for i in pl.range(8):
        acc = layer(x, acc)
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
    for i in pl.range(8):
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
    doubled = ⟦pl.create_tensor([64, 64], dtype=pl.FP32)⟧
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
Adds an `InOut` parameter and allocates the buffer in front of every call. Safe when every call site was seen.""",
    references=(
        "PTO302 varying-allocation-shape",
        "PTO304 allocation-in-region-loop",
    ),
)
