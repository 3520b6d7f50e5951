"""PTO408 graph-without-task: rules.md N7."""

from __future__ import annotations

from pto_lsp.analysis.rules.examples import jit, program
from pto_lsp.analysis.rules.rule import Example, Rule
from pto_lsp.diagnostics import Severity

RULE = Rule(
    code="PTO408",
    name="graph-without-task",
    severity=Severity.ERROR,
    summary="A Graph launches no task",
    what="""\
Reports a Graph whose region submits nothing: no kernel call, no `pl.at`, `pl.spmd` or `pl.cluster`, no dummy
task. A launch in a loop with no trips does not count.""",
    why="""\
The runtime refuses to record an empty graph, and the run ends with an error.""",
    examples=(
        Example(
            bad=jit(
                ["accumulate"],
                """
@pl.jit.graph
def ⟦layer⟧(x: <T>, acc: pl.InOut[<T>]):
    for i in pl.range(0):
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
    for i in pl.range(2):
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
def ⟦layer⟧(self, x: <T>, acc: pl.InOut[<T>]) -> <T>:
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
    references=("PTO409 too-many-graph-tasks",),
)
