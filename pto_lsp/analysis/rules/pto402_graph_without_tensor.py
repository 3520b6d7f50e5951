"""PTO402 graph-without-tensor: rules.md D4."""

from __future__ import annotations

from pto_lsp.analysis.rules.examples import jit, program
from pto_lsp.analysis.rules.rule import Example, Rule
from pto_lsp.diagnostics import Severity

RULE = Rule(
    code="PTO402",
    name="graph-without-tensor",
    severity=Severity.ERROR,
    summary="A Graph has no tensor parameter",
    what="""\
Reports a Graph function, written as such or made from a `with pl.graph(...)` region, on whose boundary there is
not a single tensor.""",
    why="""\
The runtime recognises a later call of a Graph by its boundary tensors and reaches memory only through them.
Without one there is nothing to replay on.""",
    examples=(
        Example(
            bad=jit(
                ["accumulate"],
                """
@pl.jit.graph
def ⟦layer⟧(steps: <I>):
    for i in pl.range(steps):
        last = i


@pl.jit
def main(x: <T>, acc: pl.InOut[<T>]):
    layer(4)
    acc = accumulate(x, acc)
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
def ⟦layer⟧(self, steps: <I>):
    last = steps - 1

@pl.function(type=pl.FunctionType.Orchestration)
def main(self, x: <T>, acc: pl.InOut[<T>]) -> <T>:
    self.layer(4)
    acc = self.accumulate(x, acc)
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
    references=("PTO408 graph-without-task",),
)
