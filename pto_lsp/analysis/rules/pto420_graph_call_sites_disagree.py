"""PTO420 graph-call-sites-disagree: rules.md X12."""

from __future__ import annotations

from pto_lsp.analysis.rules.examples import jit
from pto_lsp.analysis.rules.rule import Example, Rule
from pto_lsp.diagnostics import Severity

RULE = Rule(
    code="PTO420",
    name="graph-call-sites-disagree",
    severity=Severity.WARNING,
    summary="Two calls of one Graph pass boundaries that cannot share a recording",
    what="""\
Reports a call of a Graph that differs from its first call in something a recording depends on, where that can
be seen in the source: the static shape or element type of a tensor, or whether two arguments are views of the
same buffer.""",
    why="""\
The boundary of the first call is recorded: shapes, strides, types, directions and which tensors share a buffer.
A later call that differs is not replayed; it runs as ordinary tasks, or ends the run, depending on how the
runtime was built and on timing.""",
    examples=(
        Example(
            bad=jit(
                ["accumulate"],
                """
@pl.jit.graph
def layer(x: pl.Tensor, acc: pl.InOut[pl.Tensor]):
    acc = accumulate(x, acc)
    return acc


@pl.jit
def main(x: <T>, small: pl.Tensor[[32, 64], pl.FP32], acc: pl.InOut[<T>]):
    acc = layer(x, acc)
    acc = layer(⟦small⟧, acc)
    return acc
""",
            ),
            good=jit(
                ["accumulate"],
                """
@pl.jit.graph
def layer(x: pl.Tensor, acc: pl.InOut[pl.Tensor]):
    acc = accumulate(x, acc)
    return acc


@pl.jit
def main(x: <T>, other: <T>, acc: pl.InOut[<T>]):
    acc = layer(x, acc)
    acc = layer(other, acc)
    return acc
""",
            ),
        ),
    ),
    references=("PTO424 aliased-boundary-tensors",),
)
