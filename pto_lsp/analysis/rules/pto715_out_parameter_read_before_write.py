"""PTO715 out-parameter-read-before-write: diagnostics.md TG115."""

from __future__ import annotations

from pto_lsp.analysis.rules.graph_frames import module
from pto_lsp.analysis.rules.rule import Example, Rule
from pto_lsp.diagnostics import Severity

RULE = Rule(
    code="PTO715",
    name="out-parameter-read-before-write",
    severity=Severity.WARNING,
    summary="A kernel reads a parameter it declares as `Out`",
    what="""\
Reports a parameter declared `pl.Out` that the body surely reads before it has written the part it reads.""",
    why="""\
The direction is taken at its word: callers of an `Out` parameter do not wait for whoever wrote the buffer
before. The kernel then adds to contents that may not be there yet.""",
    examples=(
        Example(
            bad=module(
                """
@pl.jit.incore
def add_up(a: <T>, ⟦o: pl.Out[<T>]⟧):
    old = pl.load(o, [0, 0], [128, 128])
    new = pl.load(a, [0, 0], [128, 128])
    o = pl.store(pl.add(old, new), [0, 0], o)
    return o


@pl.jit
def graph(x: <T>, y: pl.InOut[<T>]):
    y = add_up(x, y)
    return y
"""
            ),
            good=module(
                """
@pl.jit.incore
def add_up(a: <T>, o: pl.InOut[<T>]):
    old = pl.load(o, [0, 0], [128, 128])
    new = pl.load(a, [0, 0], [128, 128])
    o = pl.store(pl.add(old, new), [0, 0], o)
    return o


@pl.jit
def graph(x: <T>, y: pl.InOut[<T>]):
    y = add_up(x, y)
    return y
"""
            ),
        ),
    ),
    fix="""\
Changes `pl.Out` to `pl.InOut`. Unsafe: callers then wait for the previous writer of the buffer.""",
)
