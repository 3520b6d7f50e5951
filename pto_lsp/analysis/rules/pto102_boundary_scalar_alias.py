"""PTO102 boundary-scalar-alias: rules.md A4."""

from __future__ import annotations

from pto_lsp.analysis.rules.examples import jit, program
from pto_lsp.analysis.rules.rule import Example, Rule
from pto_lsp.diagnostics import Severity

RULE = Rule(
    code="PTO102",
    name="boundary-scalar-alias",
    severity=Severity.WARNING,
    summary="A Graph region gives one of its scalars a second name",
    what="""\
Reports an assignment in a Graph region whose right side is just a scalar parameter, or a name that already
stands for one: `row = index`. The compiler deletes the assignment and uses the parameter instead; no parameter
is added.""",
    why="""\
The runtime recognises a boundary scalar by the slot it stands in. A copy under another name is not that slot,
and a replay would keep the value that the copy had in the first call. Using the parameter itself says in the
source what the compiled Graph does.""",
    examples=(
        Example(
            bad=jit(
                ["accumulate_rows"],
                """
@pl.jit.graph
def layer(x: <W>, acc: pl.InOut[<T>], index: <I>):
    ⟦row⟧ = index
    acc = accumulate_rows(x, row, acc)
    return acc


@pl.jit
def main(x: <W>, acc: pl.InOut[<T>]):
    for i in pl.range(8):
        acc = layer(x, acc, i)
    return acc
""",
            ),
            good=jit(
                ["accumulate_rows"],
                """
@pl.jit.graph
def layer(x: <W>, acc: pl.InOut[<T>], index: <I>):
    acc = accumulate_rows(x, index, acc)
    return acc


@pl.jit
def main(x: <W>, acc: pl.InOut[<T>]):
    for i in pl.range(8):
        acc = layer(x, acc, i)
    return acc
""",
            ),
        ),
        Example(
            bad=program(
                ["accumulate_rows"],
                """
@pl.function(type=pl.FunctionType.Graph)
def layer(self, x: <W>, acc: pl.InOut[<T>], index: <I>) -> <T>:
    ⟦first⟧ = index
    ⟦row⟧ = first
    acc = self.accumulate_rows(x, row, acc)
    return acc


@pl.function(type=pl.FunctionType.Orchestration)
def main(self, x: <W>, acc: pl.InOut[<T>]) -> <T>:
    for i in pl.range(8):
        acc = self.layer(x, acc, i)
    return acc
""",
            ),
            good=program(
                ["accumulate_rows"],
                """
@pl.function(type=pl.FunctionType.Graph)
def layer(self, x: <W>, acc: pl.InOut[<T>], index: <I>) -> <T>:
    acc = self.accumulate_rows(x, index, acc)
    return acc


@pl.function(type=pl.FunctionType.Orchestration)
def main(self, x: <W>, acc: pl.InOut[<T>]) -> <T>:
    for i in pl.range(8):
        acc = self.layer(x, acc, i)
    return acc
""",
            ),
        ),
    ),
    fix="""\
Replaces the name by what it stands for and deletes the assignment. Safe: nothing outside of the region changes.""",
    references=("PTO101 derived-boundary-scalar",),
)
