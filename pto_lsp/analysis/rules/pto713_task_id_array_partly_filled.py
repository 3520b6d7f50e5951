"""PTO713 task-id-array-partly-filled: diagnostics.md TG113."""

from __future__ import annotations

from pto_lsp.analysis.rules.graph_frames import kernels
from pto_lsp.analysis.rules.rule import Example, Rule
from pto_lsp.diagnostics import Severity

RULE = Rule(
    code="PTO713",
    name="task-id-array-partly-filled",
    severity=Severity.WARNING,
    summary="A whole array of ids is waited for while some slots are never filled",
    what="""\
Reports `deps=[ids]` when constant loops and indices show that some slots hold no task in any run. Slots
stored under a condition count as filled, and so does a slot that is filled in a later iteration.""",
    why="""\
An empty slot is skipped without an error. Either the array is larger than it needs to be, or a loop that
should have filled it is too short and a wait is missing.""",
    examples=(
        Example(
            bad=kernels(
                """
with pl.manual_scope():
    ids = pl.array.create(4, pl.TASK_ID)
    for i in pl.parallel(3):
        r: pl.Scalar[pl.INDEX] = i * 32
        s, t = pl.submit(self.stripe, x, r, s)
        ids[i] = t
    y, _u = pl.submit(self.put, s, y, deps=[⟦ids⟧])
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
    y, u = pl.submit(self.put, s, y, deps=[ids])
    s, _v = pl.submit(self.put, x, s, deps=[u])
"""
            ),
        ),
    ),
    fix="""\
Makes the array as long as it is filled. Safe: empty slots are skipped. Not offered when the empty slots are
not the last ones.""",
)
