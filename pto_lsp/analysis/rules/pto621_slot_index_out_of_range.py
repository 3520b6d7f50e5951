"""PTO621 slot-index-out-of-range: diagnostics.md TG021."""

from __future__ import annotations

from pto_lsp.analysis.rules.graph_frames import kernels
from pto_lsp.analysis.rules.rule import Example, Rule
from pto_lsp.diagnostics import Severity

RULE = Rule(
    code="PTO621",
    name="slot-index-out-of-range",
    severity=Severity.ERROR,
    summary="An index is outside an array of task ids",
    what="""\
Reports a read or a store of `ids[k]` when `k` is, in every run or in the last trip of a loop of known
length, not a slot of `pl.array.create(N, pl.TASK_ID)`.""",
    why="""\
Nothing checks the index: the program compiles and the generated C++ writes beyond the end of the array.
What it overwrites is anybody's guess.""",
    examples=(
        Example(
            bad=kernels(
                """
ids = pl.array.create(3, pl.TASK_ID)
for i in pl.parallel(4):
    r: pl.Scalar[pl.INDEX] = i * 32
    s, t = pl.submit(self.stripe, x, r, s)
    ⟦ids[i] = t⟧
y, _u = pl.submit(self.put, x, y, deps=[ids])
"""
            ),
            good=kernels(
                """
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
Gives the array one slot more than the largest index. Unsafe: the index may be what is wrong.""",
)
