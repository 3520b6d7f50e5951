"""PTO304 allocation-in-region-loop: rules.md F4, N5."""

from __future__ import annotations

from pto_lsp.analysis.rules.examples import jit, program
from pto_lsp.analysis.rules.rule import Example, Rule
from pto_lsp.diagnostics import Severity

RULE = Rule(
    code="PTO304",
    name="allocation-in-region-loop",
    severity=Severity.INFORMATION,
    summary="A buffer is allocated anew on every trip of a loop in a Graph region",
    what="""\
Reports `pl.create_tensor` inside a `for` or `while` of a Graph region. It stays there: every trip has a buffer
of its own, and the allocations of one statement list cost one node of the recording for every sixteen of them,
times the trips.""",
    why="""\
Correct where the trips must not share a buffer. Where they need not, one buffer at the call site, sliced per
trip by the loop index, costs neither nodes nor a fresh piece of heap in every call.""",
    examples=(
        Example(
            bad=jit(
                ["accumulate", "produce"],
                """
@pl.jit.graph
def layer(x: <T>, acc: pl.InOut[<T>]):
    for i in pl.range(4):
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
def layer(x: <T>, acc: pl.InOut[<T>], scratch: pl.InOut[pl.Tensor[[256, 64], pl.FP32]]):
    for i in pl.range(4):
        doubled = pl.slice(scratch, [64, 64], [i * 64, 0])
        doubled = produce(x, doubled)
        acc = accumulate(doubled, acc)
    return acc


@pl.jit
def main(x: <T>, acc: pl.InOut[<T>]):
    scratch = pl.create_tensor([256, 64], dtype=pl.FP32)
    for i in pl.range(8):
        acc = layer(x, acc, scratch)
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
    for i in pl.range(4):
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
def layer(self, x: <T>, acc: pl.InOut[<T>], scratch: pl.InOut[pl.Tensor[[256, 64], pl.FP32]]) -> <T>:
    for i in pl.range(4):
        doubled = pl.slice(scratch, [64, 64], [i * 64, 0])
        doubled = self.produce(x, doubled)
        acc = self.accumulate(doubled, acc)
    return acc

@pl.function(type=pl.FunctionType.Orchestration)
def main(self, x: <T>, acc: pl.InOut[<T>]) -> <T>:
    scratch = pl.create_tensor([256, 64], dtype=pl.FP32)
    for i in pl.range(8):
        acc = self.layer(x, acc, scratch)
    return acc
""",
            ),
        ),
    ),
    fix="""\
Allocates one buffer for all trips at every call site and slices it per trip. Safe when the trip count is
constant and every call site was seen.""",
    references=(
        "PTO301 region-allocation",
        "PTO409 too-many-graph-tasks",
    ),
)
