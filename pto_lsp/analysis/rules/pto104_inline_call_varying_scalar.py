"""PTO104 inline-call-varying-scalar: rules.md A9, A9b."""

from __future__ import annotations

from pto_lsp.analysis.rules.examples import jit, program
from pto_lsp.analysis.rules.rule import Example, Rule
from pto_lsp.diagnostics import Severity

RULE = Rule(
    code="PTO104",
    name="inline-call-varying-scalar",
    severity=Severity.ERROR,
    summary="A scalar computed inside an argument of a task may differ between calls",
    what="""\
Reports an argument of a task in a Graph region that is an expression, not a bare name, and that involves a
scalar parameter or anything else that may differ between calls: `kernel(x, index * 64, acc)`. Element indices
of arrays of task ids count as arguments too.

Expressions over constants, indices of loops with constant bounds and extents of boundary tensors are accepted.""",
    why="""\
A scalar that is named can be hoisted to the caller (PTO101). One that is computed in the argument list has
neither a name nor a slot, so the compiler refuses it instead of freezing the value of the first call.""",
    examples=(
        Example(
            bad=jit(
                ["accumulate_rows"],
                """
@pl.jit.graph
def layer(x: <W>, acc: pl.InOut[<T>], index: <I>):
    acc = accumulate_rows(x, ⟦index * 64⟧, acc)
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
        acc = layer(x, acc, i * 64)
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
    for i in pl.range(2):
        acc = self.accumulate_rows(x, ⟦index * 128 + i * 64⟧, acc)
    return acc

@pl.function(type=pl.FunctionType.Orchestration)
def main(self, x: <W>, acc: pl.InOut[<T>]) -> <T>:
    for i in pl.range(4):
        acc = self.layer(x, acc, i)
    return acc
""",
            ),
            good=program(
                ["accumulate_rows"],
                """
@pl.function(type=pl.FunctionType.Graph)
def layer(self, x: <W>, acc: pl.InOut[<T>], upper: <I>, lower: <I>) -> <T>:
    acc = self.accumulate_rows(x, upper, acc)
    acc = self.accumulate_rows(x, lower, acc)
    return acc

@pl.function(type=pl.FunctionType.Orchestration)
def main(self, x: <W>, acc: pl.InOut[<T>]) -> <T>:
    for i in pl.range(4):
        acc = self.layer(x, acc, i * 128, i * 128 + 64)
    return acc
""",
            ),
        ),
    ),
    fix="""\
Names the value and hoists it to every call site. Safe when every call site was seen and the caller can compute
the value.""",
    references=(
        "PTO101 derived-boundary-scalar",
        "PTO103 call-varying-scalar",
    ),
)
