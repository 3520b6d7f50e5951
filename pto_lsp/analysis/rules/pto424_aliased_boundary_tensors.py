"""PTO424 aliased-boundary-tensors."""

from __future__ import annotations

from pto_lsp.analysis.rules.examples import jit, program
from pto_lsp.analysis.rules.rule import Example, Rule
from pto_lsp.diagnostics import Severity

RULE = Rule(
    code="PTO424",
    name="aliased-boundary-tensors",
    severity=Severity.WARNING,
    summary="Two arguments of one call of a Graph share a buffer, and a replay cannot tell them apart",
    what="""\
Reports a call of a Graph that passes the same buffer twice (the same tensor, or two views of one), when another
call passes two different ones, or when the region takes a view of one of the two.

Hoisted windows become boundary tensors as well, so two more situations are reported: two windows of one tensor
that are the same in the first call and differ later, and a view taken inside the region of a window that moves
from call to call while the whole tensor is on the boundary too.""",
    why="""\
The recording binds what each task was given to the first boundary tensor that matches. Where two match, the
choice made in the first call is kept: a later call in which the two differ reads and writes the wrong one,
silently.""",
    examples=(
        Example(
            bad=jit(
                ["accumulate"],
                """
@pl.jit.graph
def layer(x: <T>, y: <T>, acc: pl.InOut[<T>]):
    acc = accumulate(x, acc)
    acc = accumulate(y, acc)
    return acc


@pl.jit
def main(x: <T>, y: <T>, acc: pl.InOut[<T>]):
    acc = layer(x, ⟦x⟧, acc)
    acc = layer(x, y, acc)
    return acc
""",
            ),
            good=jit(
                ["accumulate"],
                """
@pl.jit.graph
def twice(x: <T>, acc: pl.InOut[<T>]):
    acc = accumulate(x, acc)
    acc = accumulate(x, acc)
    return acc


@pl.jit.graph
def layer(x: <T>, y: <T>, acc: pl.InOut[<T>]):
    acc = accumulate(x, acc)
    acc = accumulate(y, acc)
    return acc


@pl.jit
def main(x: <T>, y: <T>, acc: pl.InOut[<T>]):
    acc = twice(x, acc)
    acc = layer(x, y, acc)
    return acc
""",
            ),
        ),
        Example(
            bad=program(
                ["accumulate"],
                """
@pl.function(type=pl.FunctionType.Graph)
def layer(self, x: <T>, y: <T>, acc: pl.InOut[<T>]) -> <T>:
    acc = self.accumulate(x, acc)
    acc = self.accumulate(y, acc)
    return acc

@pl.function(type=pl.FunctionType.Orchestration)
def main(self, x: <T>, y: <T>, acc: pl.InOut[<T>]) -> <T>:
    acc = self.layer(x, ⟦x⟧, acc)
    acc = self.layer(x, y, acc)
    return acc
""",
            ),
            good=program(
                ["accumulate"],
                """
@pl.function(type=pl.FunctionType.Graph)
def layer(self, x: <T>, y: <T>, acc: pl.InOut[<T>]) -> <T>:
    acc = self.accumulate(x, acc)
    acc = self.accumulate(y, acc)
    return acc

@pl.function(type=pl.FunctionType.Orchestration)
def main(self, x: <T>, y: <T>, acc: pl.InOut[<T>]) -> <T>:
    acc = self.layer(x, y, acc)
    acc = self.layer(x, y, acc)
    return acc
""",
            ),
        ),
    ),
    fix="""\
Passes the buffer once, where every call of the Graph passes it twice. Safe when every call site was seen.""",
    references=("PTO420 graph-call-sites-disagree",),
)
