"""PTO720 entry-output-without-direction: diagnostics.md TG120."""

from __future__ import annotations

from pto_lsp.analysis.rules.graph_frames import module
from pto_lsp.analysis.rules.rule import Example, Rule
from pto_lsp.diagnostics import Severity

RULE = Rule(
    code="PTO720",
    name="entry-output-without-direction",
    severity=Severity.WARNING,
    summary="An entry parameter is written but declared as input",
    what="""\
Reports a parameter of an entry function that some task writes although its annotation is a plain
`pl.Tensor`. Parameters of inline helpers are not concerned.""",
    why="""\
The annotation of an entry tells the host what to copy back. A plain tensor is copied to the device only, so
the caller never sees the result.""",
    examples=(
        Example(
            bad=module(
                """
@pl.jit
def graph(x: <T>, ⟦y: <T>⟧):
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="make"):
        y[:] = pl.add(x, x)
    return y
"""
            ),
            good=module(
                """
@pl.jit
def graph(x: <T>, y: pl.Out[<T>]):
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="make"):
        y[:] = pl.add(x, x)
    return y
"""
            ),
        ),
    ),
    fix="""\
Wraps the annotation in `pl.Out`, or in `pl.InOut` where a task reads the tensor. Unsafe: the host then gets
a copy back.""",
)
