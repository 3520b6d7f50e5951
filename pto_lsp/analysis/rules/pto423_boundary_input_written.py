"""PTO423 boundary-input-written."""

from __future__ import annotations

from pto_lsp.analysis.rules.examples import jit, program
from pto_lsp.analysis.rules.rule import Example, Rule
from pto_lsp.diagnostics import Severity

RULE = Rule(
    code="PTO423",
    name="boundary-input-written",
    severity=Severity.WARNING,
    summary="A Graph writes a tensor that its boundary declares as input",
    what="""\
Reports a tensor parameter of a Graph without `pl.InOut` that a task of the region writes: it is passed to an
`Out` or `InOut` parameter of a kernel, stored into, or assigned to by subscript in a `pl.at` region.""",
    why="""\
What a Graph writes is published by the directions on its boundary. A write to an input is not, so tasks that
are submitted later and read the tensor do not wait for it.""",
    examples=(
        Example(
            bad=jit(
                ["accumulate"],
                """
@pl.jit.graph
def layer(x: <T>, ⟦acc: <T>⟧):
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
def layer(self, ⟦x: <T>⟧, acc: pl.InOut[<T>]) -> <T>:
    x = self.accumulate(acc, x)
    acc = self.accumulate(x, acc)
    return acc

@pl.function(type=pl.FunctionType.Orchestration)
def main(self, x: pl.InOut[<T>], acc: pl.InOut[<T>]) -> <T>:
    acc = self.layer(x, acc)
    return acc
""",
            ),
            good=program(
                ["accumulate"],
                """
@pl.function(type=pl.FunctionType.Graph)
def layer(self, x: pl.InOut[<T>], acc: pl.InOut[<T>]) -> <T>:
    x = self.accumulate(acc, x)
    acc = self.accumulate(x, acc)
    return acc

@pl.function(type=pl.FunctionType.Orchestration)
def main(self, x: pl.InOut[<T>], acc: pl.InOut[<T>]) -> <T>:
    acc = self.layer(x, acc)
    return acc
""",
            ),
        ),
    ),
    fix="""\
Changes the direction to `InOut`. Safe: callers pass the same buffer as before.""",
    references=("PTO405 graph-out-parameter",),
)
