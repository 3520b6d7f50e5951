"""PTO406 graph-scalar-direction: rules.md D1."""

from __future__ import annotations

from pto_lsp.analysis.rules.examples import jit, program
from pto_lsp.analysis.rules.rule import Example, Rule
from pto_lsp.diagnostics import Severity

RULE = Rule(
    code="PTO406",
    name="graph-scalar-direction",
    severity=Severity.ERROR,
    summary="A scalar parameter of a Graph has a direction other than In",
    what="""\
Reports `pl.Out[pl.Scalar[...]]` and `pl.InOut[pl.Scalar[...]]` on the boundary of a Graph.""",
    why="""\
Scalars travel by value, from the caller into the recording. There is no way back; a result has to go through a
tensor.""",
    examples=(
        Example(
            bad=jit(
                ["accumulate_rows"],
                """
@pl.jit.graph
def layer(x: <W>, acc: pl.InOut[<T>], ⟦row: pl.InOut[<I>]⟧):
    acc = accumulate_rows(x, row, acc)
    return acc


@pl.jit
def main(x: <W>, acc: pl.InOut[<T>]):
    acc = layer(x, acc, 0)
    return acc
""",
            ),
            good=jit(
                ["accumulate_rows"],
                """
@pl.jit.graph
def layer(x: <W>, acc: pl.InOut[<T>], row: <I>):
    acc = accumulate_rows(x, row, acc)
    return acc


@pl.jit
def main(x: <W>, acc: pl.InOut[<T>]):
    acc = layer(x, acc, 0)
    return acc
""",
            ),
        ),
        Example(
            bad=program(
                ["accumulate_rows"],
                """
@pl.function(type=pl.FunctionType.Graph)
def layer(self, x: <W>, acc: pl.InOut[<T>], ⟦row: pl.Out[<I>]⟧) -> <T>:
    acc = self.accumulate_rows(x, row, acc)
    return acc

@pl.function(type=pl.FunctionType.Orchestration)
def main(self, x: <W>, acc: pl.InOut[<T>]) -> <T>:
    acc = self.layer(x, acc, 0)
    return acc
""",
            ),
            good=program(
                ["accumulate_rows"],
                """
@pl.function(type=pl.FunctionType.Graph)
def layer(self, x: <W>, acc: pl.InOut[<T>], row: <I>) -> <T>:
    acc = self.accumulate_rows(x, row, acc)
    return acc

@pl.function(type=pl.FunctionType.Orchestration)
def main(self, x: <W>, acc: pl.InOut[<T>]) -> <T>:
    acc = self.layer(x, acc, 0)
    return acc
""",
            ),
        ),
    ),
    references=("PTO405 graph-out-parameter",),
)
