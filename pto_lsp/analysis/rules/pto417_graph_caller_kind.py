"""PTO417 graph-caller-kind: rules.md V13."""

from __future__ import annotations

from pto_lsp.analysis.rules.examples import jit, program
from pto_lsp.analysis.rules.rule import Example, Rule
from pto_lsp.diagnostics import Severity

RULE = Rule(
    code="PTO417",
    name="graph-caller-kind",
    severity=Severity.ERROR,
    summary="A Graph is launched from a function that cannot launch Graphs",
    what="""\
Reports a call of a Graph in a function that is neither an orchestration nor an opaque function: a kernel, a
group or an `pl.spmd` wrapper. A call from another Graph is PTO413.""",
    why="""\
Launching is the business of the host. A kernel runs on a core, where there is no task graph to add to.""",
    examples=(
        Example(
            bad=jit(
                ["accumulate"],
                """
@pl.jit.graph
def layer(x: <T>, acc: pl.InOut[<T>]):
    acc = accumulate(x, acc)
    return acc


@pl.jit.incore
def kernel(x: <T>, acc: pl.InOut[<T>]):
    acc = ⟦layer(x, acc)⟧
    return acc


@pl.jit
def main(x: <T>, acc: pl.InOut[<T>]):
    acc = kernel(x, acc)
    return acc
""",
            ),
            good=jit(
                ["accumulate"],
                """
@pl.jit.graph
def layer(x: <T>, acc: pl.InOut[<T>]):
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
    acc = self.accumulate(x, acc)
    return acc

@pl.function(type=pl.FunctionType.InCore)
def kernel(self, x: <T>, acc: pl.InOut[<T>]) -> <T>:
    acc = ⟦self.layer(x, acc)⟧
    return acc

@pl.function(type=pl.FunctionType.Orchestration)
def main(self, x: <T>, acc: pl.InOut[<T>]) -> <T>:
    acc = self.kernel(x, acc)
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
    references=("PTO413 nested-graph-call",),
)
