"""PTO201 boundary-view: rules.md B5 case 1."""

from __future__ import annotations

from pto_lsp.analysis.rules.examples import jit, program
from pto_lsp.analysis.rules.rule import Example, Rule
from pto_lsp.diagnostics import Severity

RULE = Rule(
    code="PTO201",
    name="boundary-view",
    severity=Severity.WARNING,
    summary="A Graph region takes a view of a boundary tensor that the caller could take",
    what="""\
Reports `pl.slice`, `pl.tensor.view` or a subscript view of a boundary tensor (or of another such view) whose
shape and offsets are made of constants and scalar parameters only. A constant window counts as well.

The compiler moves the view to every call site and passes it as one more tensor; the finding says so. A window
over the index of a loop with constant bounds stays in the region and is not reported.""",
    why="""\
On a replay the runtime refreshes the address of a boundary tensor, but the window inside it stays as it was
recorded. Taken inside the region, `w[index]` would be the slice of the first call in every call.""",
    examples=(
        Example(
            bad=jit(
                ["accumulate"],
                """
@pl.jit.graph
def layer(w: <W>, acc: pl.InOut[<T>], index: <I>):
    part = ⟦pl.slice(w, [64, 64], [index * 64, 0])⟧
    acc = accumulate(part, acc)
    return acc


@pl.jit
def main(w: <W>, acc: pl.InOut[<T>]):
    for i in pl.range(8):
        acc = layer(w, acc, i)
    return acc
""",
            ),
            good=jit(
                ["accumulate"],
                """
@pl.jit.graph
def layer(part: <T>, acc: pl.InOut[<T>]):
    acc = accumulate(part, acc)
    return acc


@pl.jit
def main(w: <W>, acc: pl.InOut[<T>]):
    for i in pl.range(8):
        part = pl.slice(w, [64, 64], [i * 64, 0])
        acc = layer(part, acc)
    return acc
""",
            ),
        ),
        Example(
            bad=program(
                ["accumulate"],
                """
@pl.function(type=pl.FunctionType.Graph)
def layer(self, w: <W>, acc: pl.InOut[<T>]) -> <T>:
    head = ⟦pl.slice(w, [64, 64], [0, 0])⟧
    acc = self.accumulate(head, acc)
    return acc

@pl.function(type=pl.FunctionType.Orchestration)
def main(self, w: <W>, acc: pl.InOut[<T>]) -> <T>:
    for i in pl.range(8):
        acc = self.layer(w, acc)
    return acc
""",
            ),
            good=program(
                ["accumulate"],
                """
@pl.function(type=pl.FunctionType.Graph)
def layer(self, head: <T>, acc: pl.InOut[<T>]) -> <T>:
    acc = self.accumulate(head, acc)
    return acc

@pl.function(type=pl.FunctionType.Orchestration)
def main(self, w: <W>, acc: pl.InOut[<T>]) -> <T>:
    head = pl.slice(w, [64, 64], [0, 0])
    for i in pl.range(8):
        acc = self.layer(head, acc)
    return acc
""",
            ),
        ),
    ),
    fix="""\
Takes the view in front of every call and passes it. Safe when every call site was seen and rewritten.""",
    references=(
        "PTO202 mixed-view-window",
        "PTO203 varying-view-extent",
        "PTO403 too-many-boundary-tensors: every hoisted view takes one of 128 slots",
    ),
)
