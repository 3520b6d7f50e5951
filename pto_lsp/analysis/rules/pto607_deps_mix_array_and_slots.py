"""PTO607 deps-mix-array-and-slots: diagnostics.md TG007."""

from __future__ import annotations

from pto_lsp.analysis.rules.graph_frames import kernels
from pto_lsp.analysis.rules.rule import Example, Rule
from pto_lsp.diagnostics import Severity

RULE = Rule(
    code="PTO607",
    name="deps-mix-array-and-slots",
    severity=Severity.ERROR,
    summary="One `deps=` list holds a whole array of ids and single slots",
    what="""\
Reports a list that names an array of task ids as a whole and also a slot of an array. A whole array beside
plain task ids is fine.""",
    why="""\
A whole array is passed on as it stands, slots are gathered one by one. The tool chain does one or the other
for a list, and refuses a mixture.""",
    examples=(
        Example(
            bad=kernels(
                """
ids = pl.array.create(2, pl.TASK_ID)
s, t0 = pl.submit(self.put, x, s)
ids[0] = t0
ids[1] = t0
y, _t = pl.submit(self.put, x, y, deps=[⟦ids⟧, ids[0]])
"""
            ),
            good=kernels(
                """
ids = pl.array.create(2, pl.TASK_ID)
s, t0 = pl.submit(self.put, x, s)
ids[0] = t0
ids[1] = t0
y, _t = pl.submit(self.put, x, y, deps=[ids])
"""
            ),
        ),
    ),
    fix="""\
Leaves the slots of an array that is listed as a whole out; beside slots of another array it lists the whole
one slot by slot. Safe.""",
)
