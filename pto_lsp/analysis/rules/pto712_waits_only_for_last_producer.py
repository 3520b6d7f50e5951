"""PTO712 waits-only-for-last-producer: diagnostics.md TG112."""

from __future__ import annotations

from pto_lsp.analysis.rules.graph_frames import kernels
from pto_lsp.analysis.rules.rule import Example, Rule
from pto_lsp.diagnostics import Severity

RULE = Rule(
    code="PTO712",
    name="waits-only-for-last-producer",
    severity=Severity.WARNING,
    summary="A task waits for the last of several tasks that bound the same id",
    what="""\
Reports a wait by a name that several launches bound one after the other, when the waiting task needs what
an earlier holder of the name wrote and nothing else orders the two.""",
    why="""\
A name holds one id, the last one. The tasks before it are not waited for, although the text reads as if
they were.""",
    examples=(
        Example(
            bad=kernels(
                """
with pl.manual_scope():
    for i in pl.unroll(4):
        r: pl.Scalar[pl.INDEX] = i * 32
        s, t = pl.submit(self.stripe, x, r, s)
    y, _u = pl.submit(self.put, s, y, deps=[⟦t⟧])
"""
            ),
            good=kernels(
                """
with pl.manual_scope():
    ids = pl.array.create(4, pl.TASK_ID)
    for i in pl.unroll(4):
        r: pl.Scalar[pl.INDEX] = i * 32
        s, t = pl.submit(self.stripe, x, r, s)
        ids[i] = t
    y, _u = pl.submit(self.put, s, y, deps=[ids])
"""
            ),
        ),
    ),
    fix="""\
Collects the task ids in an array, which takes the place of the one id. Safe.""",
)
