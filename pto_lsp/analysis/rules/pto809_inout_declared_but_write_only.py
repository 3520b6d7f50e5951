"""PTO809 inout-declared-but-write-only: diagnostics.md TG209."""

from __future__ import annotations

from pto_lsp.analysis.rules.graph_frames import module
from pto_lsp.analysis.rules.rule import Example, Rule
from pto_lsp.diagnostics import Severity

RULE = Rule(
    code="PTO809",
    name="inout-declared-but-write-only",
    severity=Severity.INFORMATION,
    summary="A parameter is declared `InOut` but only written",
    what="""\
Reports a parameter declared `pl.InOut` that a kernel, or an entry through all its launches, overwrites as a
whole without reading it first.""",
    why="""\
A read-write argument waits for every earlier writer, and so does each task after it. An `Out` would let the
first writer start at once.""",
    examples=(
        Example(
            bad=module(
                """
@pl.jit.incore
def put(a: <T>, ⟦o: pl.InOut[<T>]⟧):
    t = pl.load(a, [0, 0], [128, 128])
    o = pl.store(pl.add(t, t), [0, 0], o)
    return o


@pl.jit
def graph(x: <T>, y: pl.Out[<T>]):
    y = put(x, y)
    return y
"""
            ),
            good=module(
                """
@pl.jit.incore
def put(a: <T>, o: pl.Out[<T>]):
    t = pl.load(a, [0, 0], [128, 128])
    o = pl.store(pl.add(t, t), [0, 0], o)
    return o


@pl.jit
def graph(x: <T>, y: pl.Out[<T>]):
    y = put(x, y)
    return y
"""
            ),
        ),
    ),
    fix="""\
Changes `pl.InOut` to `pl.Out`. Unsafe: callers then no longer wait for the previous writer.""",
)
