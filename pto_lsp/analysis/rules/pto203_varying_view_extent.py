"""PTO203 varying-view-extent: rules.md B9."""

from __future__ import annotations

from pto_lsp.analysis.rules.examples import jit, program
from pto_lsp.analysis.rules.rule import Example, Rule
from pto_lsp.diagnostics import Severity

RULE = Rule(
    code="PTO203",
    name="varying-view-extent",
    severity=Severity.ERROR,
    summary="The shape of a view in a Graph region may differ between calls",
    what="""\
Reports a view of a boundary tensor with an extent that depends on a scalar of the boundary, or on anything else
that is not the same in every call. Offsets may vary where the caller can compute them; shapes may not.""",
    why="""\
Shapes are part of the recording: a replay puts a new address into the tensor descriptor and keeps its extents.
A task would process as many rows as in the first call.""",
    examples=(
        Example(
            bad=jit(
                ["accumulate"],
                """
@pl.jit.graph
def layer(w: <W>, acc: pl.InOut[<T>], rows: <I>):
    part = ⟦pl.slice(w, [rows, 64], [0, 0])⟧
    acc = accumulate(part, acc)
    return acc


@pl.jit
def main(w: <W>, acc: pl.InOut[<T>]):
    for i in pl.range(1, 5):
        acc = layer(w, acc, i * 16)
    return acc
""",
            ),
            good=jit(
                ["accumulate"],
                """
@pl.jit.graph
def layer(w: <W>, acc: pl.InOut[<T>]):
    for i in pl.range(4):
        part = pl.slice(w, [64, 64], [i * 64, 0])
        acc = accumulate(part, acc)
    return acc


@pl.jit
def main(w: <W>, acc: pl.InOut[<T>]):
    acc = layer(w, acc)
    return acc
""",
            ),
        ),
        Example(
            bad=program(
                ["accumulate"],
                """
@pl.function(type=pl.FunctionType.Graph)
def layer(self, w: <W>, acc: pl.InOut[<T>], rows: <I>) -> <T>:
    part = ⟦pl.slice(w, [rows, 64], [0, 0])⟧
    acc = self.accumulate(part, acc)
    return acc

@pl.function(type=pl.FunctionType.Orchestration)
def main(self, w: <W>, acc: pl.InOut[<T>]) -> <T>:
    for i in pl.range(1, 5):
        acc = self.layer(w, acc, i * 16)
    return acc
""",
            ),
            good=program(
                ["accumulate"],
                """
@pl.function(type=pl.FunctionType.Graph)
def layer(self, part: <T>, acc: pl.InOut[<T>]) -> <T>:
    acc = self.accumulate(part, acc)
    return acc

@pl.function(type=pl.FunctionType.Orchestration)
def main(self, w: <W>, acc: pl.InOut[<T>]) -> <T>:
    for i in pl.range(4):
        part = pl.slice(w, [64, 64], [i * 16, 0])
        acc = self.layer(part, acc)
    return acc
""",
            ),
        ),
    ),
    references=("PTO302 varying-allocation-shape",),
)
