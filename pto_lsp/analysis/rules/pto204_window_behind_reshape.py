"""PTO204 window-behind-reshape: rules.md X5."""

from __future__ import annotations

from pto_lsp.analysis.rules.examples import jit, program
from pto_lsp.analysis.rules.rule import Example, Rule
from pto_lsp.diagnostics import Severity

RULE = Rule(
    code="PTO204",
    name="window-behind-reshape",
    severity=Severity.WARNING,
    summary="A window that moves between calls is taken behind a reshape, where the compiler loses sight of it",
    what="""\
Reports a view whose source is a `pl.reshape`, `pl.transpose` or `reinterpret_view` of a boundary tensor, when
its window may differ between calls; likewise a moving window of a tensor that a loop carries, that one of two
branches chose, or that the recording allocated itself. The compiler follows a boundary tensor through renames,
views and results that are written back, but not through a change of shape, so it neither hoists the view nor
refuses it.""",
    why="""\
The program compiles without a word, and every replay reads the window of the first call. Taken directly of the
boundary tensor, the same view would be moved to the call site (PTO201).""",
    examples=(
        Example(
            bad=jit(
                ["accumulate"],
                """
@pl.jit.graph
def layer(w: <W>, acc: pl.InOut[<T>], index: <I>):
    wide = pl.reshape(w, [64, 512])
    part = ⟦pl.slice(wide, [64, 64], [0, index * 64])⟧
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
    wide = pl.reshape(w, [64, 512])
    for i in pl.range(8):
        part = pl.slice(wide, [64, 64], [0, i * 64])
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
def layer(self, w: <W>, acc: pl.InOut[<T>], index: <I>) -> <T>:
    turned = pl.transpose(w, 0, 1)
    part = ⟦pl.slice(turned, [64, 64], [0, index * 64])⟧
    acc = self.accumulate(part, acc)
    return acc

@pl.function(type=pl.FunctionType.Orchestration)
def main(self, w: <W>, acc: pl.InOut[<T>]) -> <T>:
    for i in pl.range(8):
        acc = self.layer(w, acc, i)
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
    turned = pl.transpose(w, 0, 1)
    for i in pl.range(8):
        part = pl.slice(turned, [64, 64], [0, i * 64])
        acc = self.layer(part, acc)
    return acc
""",
            ),
        ),
    ),
    references=(
        "PTO201 boundary-view",
        "PTO202 mixed-view-window",
    ),
)
