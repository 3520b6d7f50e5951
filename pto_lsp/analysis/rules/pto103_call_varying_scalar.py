"""PTO103 call-varying-scalar: rules.md A10."""

from __future__ import annotations

from pto_lsp.analysis.rules.examples import jit, program
from pto_lsp.analysis.rules.rule import Example, Rule
from pto_lsp.diagnostics import Severity

RULE = Rule(
    code="PTO103",
    name="call-varying-scalar",
    severity=Severity.ERROR,
    summary="A scalar that may differ between calls reaches a task of a Graph and cannot be refreshed",
    what="""\
Reports a scalar passed by name to a task in a Graph region when it is neither a scalar parameter of the Graph,
nor something the caller could compute (PTO101), nor the same in every call. That is: a value read from a
tensor, a result of a task, the index of a loop whose trip count is not constant, a name carried around a loop
or chosen by a branch.

The same in every call, and therefore accepted, are literals, the index of a loop with constant bounds,
`pl.tensor.dim(t, axis)` of a boundary tensor, and expressions over these.""",
    why="""\
The recording keeps the value of the first call. Nothing in the argument list carries the new one, so every
replay would run the task with a stale scalar, without any message.""",
    examples=(
        Example(
            bad=jit(
                ["accumulate_rows"],
                """
@pl.jit.graph
def layer(x: <W>, table: pl.Tensor[[8], pl.INDEX], acc: pl.InOut[<T>]):
    row = pl.tensor.read(table, [0])
    acc = accumulate_rows(x, ⟦row⟧, acc)
    return acc


@pl.jit
def main(x: <W>, table: pl.Tensor[[8], pl.INDEX], acc: pl.InOut[<T>]):
    acc = layer(x, table, acc)
    return acc
""",
            ),
            good=jit(
                ["accumulate_rows"],
                """
@pl.jit.graph
def layer(x: <W>, row: <I>, acc: pl.InOut[<T>]):
    acc = accumulate_rows(x, row, acc)
    return acc


@pl.jit
def main(x: <W>, table: pl.Tensor[[8], pl.INDEX], acc: pl.InOut[<T>]):
    row = pl.tensor.read(table, [0])
    acc = layer(x, row, acc)
    return acc
""",
            ),
        ),
        Example(
            bad=program(
                ["accumulate_rows"],
                """
@pl.function(type=pl.FunctionType.Graph)
def layer(self, x: <W>, acc: pl.InOut[<T>], first: <I>) -> <T>:
    row = first
    for i in pl.range(4):
        acc = self.accumulate_rows(x, ⟦row⟧, acc)
        row = row + 64
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
def layer(self, x: <W>, acc: pl.InOut[<T>]) -> <T>:
    for i in pl.range(4):
        acc = self.accumulate_rows(x, i * 64, acc)
    return acc

@pl.function(type=pl.FunctionType.Orchestration)
def main(self, x: <W>, acc: pl.InOut[<T>]) -> <T>:
    acc = self.layer(x, acc)
    return acc
""",
            ),
        ),
    ),
    fix="""\
Where the caller can compute the value, hoists it to every call site. Otherwise there is none: read the value in
the caller and pass it, or let the kernel read it from memory.""",
    references=(
        "PTO104 inline-call-varying-scalar",
        "PTO421 host-read-in-region",
    ),
)
