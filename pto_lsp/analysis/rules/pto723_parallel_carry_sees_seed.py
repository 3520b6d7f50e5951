"""PTO723 parallel-carry-sees-seed: diagnostics.md TG123."""

from __future__ import annotations

from pto_lsp.analysis.rules.graph_frames import kernels
from pto_lsp.analysis.rules.rule import Example, Rule
from pto_lsp.diagnostics import Severity

RULE = Rule(
    code="PTO723",
    name="parallel-carry-sees-seed",
    severity=Severity.INFORMATION,
    summary="An id carried through a parallel loop is the seed in every iteration",
    what="""\
Reports a submit in a `pl.parallel` loop of a manual scope that waits for the id it rebinds, when that id
starts as `None`.""",
    why="""\
Inside a parallel loop a carried id is the value from before the loop, in every iteration; only behind the
loop it stands for all of them. A chain needs `pl.range`.""",
    examples=(
        Example(
            bad=kernels(
                """
with pl.manual_scope():
    t = None
    for i in pl.parallel(4):
        r: pl.Scalar[pl.INDEX] = i * 32
        s, t = pl.submit(self.stripe, x, r, s, deps=[⟦t⟧])
    y, _u = pl.submit(self.put, x, y, deps=[t])
"""
            ),
            good=kernels(
                """
with pl.manual_scope():
    t = None
    for i in pl.range(4):
        r: pl.Scalar[pl.INDEX] = i * 32
        s, t = pl.submit(self.stripe, x, r, s, deps=[t])
    y, _u = pl.submit(self.put, x, y, deps=[t])
"""
            ),
        ),
    ),
    fix="""\
Makes the loop a `pl.range`, in which the id is handed on. Safe: the tasks wait for each other. To leave them
unordered, remove the entry.""",
)
