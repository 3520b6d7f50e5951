"""PTO618 submit-needs-program-method: diagnostics.md TG018."""

from __future__ import annotations

from pto_lsp.analysis.rules.graph_frames import module
from pto_lsp.analysis.rules.rule import Example, Rule
from pto_lsp.diagnostics import Severity

RULE = Rule(
    code="PTO618",
    name="submit-needs-program-method",
    severity=Severity.ERROR,
    summary="`pl.submit` is used outside a `@pl.program` class",
    what="""\
Reports `pl.submit` and `pl.spmd_submit` in functions that are no methods of a program class.""",
    why="""\
Both forms take a kernel method `self.<name>`. A `@pl.jit` function has no such methods; there a region with
`as` binds the task id.""",
    examples=(
        Example(
            bad=module(
                """
@pl.jit.incore
def put(a: <T>, o: pl.Out[<T>]):
    t = pl.load(a, [0, 0], [128, 128])
    o = pl.store(pl.add(t, t), [0, 0], o)
    return o


@pl.jit
def graph(x: <T>, y: pl.Out[<T>]):
    y, a = ⟦pl.submit(put, x, y)⟧
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
Calls the kernel, inside `with pl.spmd(1, …) as tid:` where the task id or an option is wanted. Unsafe: the
launch gets another form.""",
)
