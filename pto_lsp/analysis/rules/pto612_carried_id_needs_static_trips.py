"""PTO612 carried-id-needs-static-trips: diagnostics.md TG012."""

from __future__ import annotations

from pto_lsp.analysis.rules.graph_frames import kernels
from pto_lsp.analysis.rules.rule import Example, Rule
from pto_lsp.diagnostics import Severity

RULE = Rule(
    code="PTO612",
    name="carried-id-needs-static-trips",
    severity=Severity.ERROR,
    summary="A task id is carried through a parallel loop of unknown length",
    what="""\
Reports a `pl.parallel` loop in a manual scope that rebinds a task id while its trip count is read from data
or from a dynamic extent.""",
    why="""\
After the loop the id stands for the tasks of all iterations, so one slot per iteration is set aside. How
many that are has to be known when the code is generated.""",
    examples=(
        Example(
            bad=kernels(
                """
n = pl.tensor.read(g, [0, 0])
with pl.manual_scope():
    t = None
    ⟦for i in pl.parallel(n):⟧
        r: pl.Scalar[pl.INDEX] = i * 32
        s, t = pl.submit(self.stripe, x, r, s, deps=[t])
    y, _u = pl.submit(self.put, x, y, deps=[t])
"""
            ),
            good=kernels(
                """
with pl.manual_scope():
    ids = pl.array.create(4, pl.TASK_ID)
    for i in pl.parallel(4):
        r: pl.Scalar[pl.INDEX] = i * 32
        s, t = pl.submit(self.stripe, x, r, s)
        ids[i] = t
    y, _u = pl.submit(self.put, x, y, deps=[ids])
"""
            ),
        ),
    ),
    fix="""\
Makes the loop a `pl.range`. Unsafe: after the loop the name then stands for the last task only.""",
)
