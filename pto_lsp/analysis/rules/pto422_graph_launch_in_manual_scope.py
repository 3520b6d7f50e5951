"""PTO422 graph-launch-in-manual-scope."""

from __future__ import annotations

from pto_lsp.analysis.rules.examples import jit, program
from pto_lsp.analysis.rules.rule import Example, Rule
from pto_lsp.diagnostics import Severity

RULE = Rule(
    code="PTO422",
    name="graph-launch-in-manual-scope",
    severity=Severity.WARNING,
    summary="A Graph is launched in a manual scope, where nothing can order it",
    what="""\
Reports the launch of a Graph inside `pl.manual_scope()` or `pl.scope(mode=pl.ScopeMode.MANUAL)`.""",
    why="""\
A manual scope switches off the edges that follow from tensors, and a Graph cannot be given explicit ones
(PTO415). The launch therefore waits for nothing: it may run before the tasks that write its inputs.""",
    examples=(
        Example(
            bad=jit(
                ["accumulate"],
                """
@pl.jit.graph
def layer(x: <T>, acc: pl.InOut[<T>]):
    acc = accumulate(x, acc)
    return acc


@pl.jit
def main(x: <T>, acc: pl.InOut[<T>]):
    with pl.manual_scope():
        acc = ⟦layer(x, acc)⟧
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

@pl.function(type=pl.FunctionType.Orchestration)
def main(self, x: <T>, other: pl.InOut[<T>], acc: pl.InOut[<T>]) -> <T>:
    with pl.scope(mode=pl.ScopeMode.MANUAL):
        other, _first = pl.submit(self.accumulate, x, other)
        acc = ⟦self.layer(x, acc)⟧
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
def main(self, x: <T>, other: pl.InOut[<T>], acc: pl.InOut[<T>]) -> <T>:
    with pl.scope(mode=pl.ScopeMode.MANUAL):
        other, _first = pl.submit(self.accumulate, x, other)
    acc = self.layer(x, acc)
    return acc
""",
            ),
        ),
    ),
    fix="""\
Moves the launch out of the scope. Offered where nothing else depends on the scope, and then safe.""",
    references=("PTO415 graph-launch-deps",),
)
