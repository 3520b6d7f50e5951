"""PTO202 mixed-view-window: rules.md B8."""

from __future__ import annotations

from pto_lsp.analysis.rules.examples import jit, program
from pto_lsp.analysis.rules.rule import Example, Rule
from pto_lsp.diagnostics import Severity

RULE = Rule(
    code="PTO202",
    name="mixed-view-window",
    severity=Severity.ERROR,
    summary="The window of a view mixes what varies per call with what varies inside the region",
    what="""\
Reports a view of a boundary tensor whose offsets need both a scalar of the boundary and something that only
exists inside the region, such as the index of a loop: `pl.slice(w, [64, 64], [index * 256 + i * 64, 0])`. Also
a view by a boundary scalar of a view that had to stay in the region, and a window over a value read from a
tensor.""",
    why="""\
The caller cannot take the view, because it does not know the loop index; the region cannot keep it, because a
replay would use the scalar of the first call. Two views can do it: an outer one that the caller takes, and an
inner one that is the same in every call.""",
    examples=(
        Example(
            bad=jit(
                ["accumulate"],
                """
@pl.jit.graph
def layer(w: <W>, acc: pl.InOut[<T>], index: <I>):
    for i in pl.range(4):
        part = ⟦pl.slice(w, [64, 64], [index * 256 + i * 64, 0])⟧
        acc = accumulate(part, acc)
    return acc


@pl.jit
def main(w: <W>, acc: pl.InOut[<T>]):
    for i in pl.range(2):
        acc = layer(w, acc, i)
    return acc
""",
            ),
            good=jit(
                ["accumulate"],
                """
@pl.jit.graph
def layer(own: pl.Tensor[[256, 64], pl.FP32], acc: pl.InOut[<T>]):
    for i in pl.range(4):
        part = pl.slice(own, [64, 64], [i * 64, 0])
        acc = accumulate(part, acc)
    return acc


@pl.jit
def main(w: <W>, acc: pl.InOut[<T>]):
    for i in pl.range(2):
        own = pl.slice(w, [256, 64], [i * 256, 0])
        acc = layer(own, acc)
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
    for i in pl.range(4):
        part = ⟦pl.slice(w, [64, 64], [index * 256 + i * 64, 0])⟧
        acc = self.accumulate(part, acc)
    return acc

@pl.function(type=pl.FunctionType.Orchestration)
def main(self, w: <W>, acc: pl.InOut[<T>]) -> <T>:
    for i in pl.range(2):
        acc = self.layer(w, acc, i)
    return acc
""",
            ),
            good=program(
                ["accumulate"],
                """
@pl.function(type=pl.FunctionType.Graph)
def layer(self, own: pl.Tensor[[256, 64], pl.FP32], acc: pl.InOut[<T>]) -> <T>:
    for i in pl.range(4):
        part = pl.slice(own, [64, 64], [i * 64, 0])
        acc = self.accumulate(part, acc)
    return acc

@pl.function(type=pl.FunctionType.Orchestration)
def main(self, w: <W>, acc: pl.InOut[<T>]) -> <T>:
    for i in pl.range(2):
        own = pl.slice(w, [256, 64], [i * 256, 0])
        acc = self.layer(own, acc)
    return acc
""",
            ),
        ),
    ),
    fix="""\
Splits the view where the offset is a sum of the two parts and the extent of the outer window is known: the
outer view at the call site, the inner one in the region. Safe when every call site was seen.""",
    references=(
        "PTO201 boundary-view",
        "PTO204 window-behind-reshape",
    ),
)
