"""PTO101 derived-boundary-scalar: rules.md A1-A3."""

from __future__ import annotations

from pto_lsp.analysis.rules.examples import jit, program
from pto_lsp.analysis.rules.rule import Example, Rule
from pto_lsp.diagnostics import Severity

RULE = Rule(
    code="PTO101",
    name="derived-boundary-scalar",
    severity=Severity.WARNING,
    summary="A Graph region computes a scalar from its own scalar parameters",
    what="""\
Reports an assignment in a Graph region whose right side consists of constants, scalar parameters of the Graph
and names derived from them in the same way: `row = index * 64`. Several levels are several findings.

The compiler repairs this silently: it removes the assignment, gives the Graph one more scalar parameter, and
computes the value before every call. The finding says so; `pto-lsp legalize` shows the result.""",
    why="""\
A Graph is recorded once and replayed from then on. On a replay the runtime refreshes the boundary scalars, each
in its own slot of the argument list. A value computed inside the region has no slot: left where it is, every
later call would use the value of the first one. With `index` 0 in the first call, `row` would stay 0 in all
eight.""",
    examples=(
        Example(
            bad=jit(
                ["accumulate_rows"],
                """
@pl.jit.graph
def layer(x: <W>, acc: pl.InOut[<T>], index: <I>):
    ⟦row⟧ = index * 64
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
def layer(x: <W>, acc: pl.InOut[<T>], row: <I>):
    acc = accumulate_rows(x, row, acc)
    return acc


@pl.jit
def main(x: <W>, acc: pl.InOut[<T>]):
    for i in pl.range(8):
        row = i * 64
        acc = layer(x, acc, row)
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
    ⟦row⟧ = index * 64
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
def layer(self, x: <W>, acc: pl.InOut[<T>], row: <I>) -> <T>:
    acc = self.accumulate_rows(x, row, acc)
    return acc

@pl.function(type=pl.FunctionType.Orchestration)
def main(self, x: <W>, acc: pl.InOut[<T>]) -> <T>:
    for i in pl.range(8):
        row = i * 64
        acc = self.layer(x, acc, row)
    return acc
""",
            ),
        ),
    ),
    fix="""\
Hoists the value: a new parameter, and the computation in front of every call. Safe when every call site was
seen and rewritten; otherwise it is offered as unsafe.""",
    references=(
        "PTO102 boundary-scalar-alias",
        "PTO103 call-varying-scalar",
        "PTO404 too-many-boundary-scalars: every hoisted scalar takes one of 64 slots",
    ),
)
