"""PTO409 too-many-graph-tasks: rules.md N1-N8."""

from __future__ import annotations

from pto_lsp.analysis.rules.examples import jit, program
from pto_lsp.analysis.rules.rule import Example, Rule
from pto_lsp.diagnostics import Severity

RULE = Rule(
    code="PTO409",
    name="too-many-graph-tasks",
    severity=Severity.ERROR,
    summary="A Graph records more than 1024 tasks",
    what="""\
Counts the nodes of the recording: every launch and every dummy task once, times the trips of the loops around
it, and one node for up to sixteen allocations of a statement list that stay in a loop. A `pl.spmd` launch is
one node whatever its block count, and so is a `pl.cluster`.""",
    why="""\
One recording holds at most 1024 nodes. More than that makes the run fail.""",
    examples=(
        Example(
            bad=jit(
                ["accumulate"],
                """
@pl.jit.graph
def ⟦layer⟧(x: <T>, acc: pl.InOut[<T>]):
    for i in pl.range(2000):
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
    for i in pl.range(1000):
        acc = accumulate(x, acc)
    return acc


@pl.jit
def main(x: <T>, acc: pl.InOut[<T>]):
    for i in pl.range(16):
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
def ⟦layer⟧(self, x: <T>, acc: pl.InOut[<T>]) -> <T>:
    for i in pl.range(32):
        for j in pl.range(33):
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
@pl.function(type=pl.FunctionType.Graph)
def layer(self, x: <T>, acc: pl.InOut[<T>]) -> <T>:
    for i in pl.range(32):
        for j in pl.range(32):
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
    references=(
        "PTO304 allocation-in-region-loop",
        "PTO408 graph-without-task",
    ),
)
