"""PTO714 task-id-never-assigned: diagnostics.md TG114."""

from __future__ import annotations

from pto_lsp.analysis.rules.graph_frames import kernels
from pto_lsp.analysis.rules.rule import Example, Rule
from pto_lsp.diagnostics import Severity

RULE = Rule(
    code="PTO714",
    name="task-id-never-assigned",
    severity=Severity.WARNING,
    summary="A task waits for a handle that never holds a task",
    what="""\
Reports an entry of `deps=` that is invalid in every run: a name that is only ever `None`, a slot nobody
stores into, or an array that is never filled.""",
    why="""\
An invalid id is skipped without an error. The launch looks ordered and is not.""",
    examples=(
        Example(
            bad=kernels(
                """
ids = pl.array.create(2, pl.TASK_ID)
with pl.manual_scope():
    s, _a = pl.submit(self.put, x, s)
    y, _u = pl.submit(self.put, s, y, deps=[⟦ids[0]⟧])
"""
            ),
            good=kernels(
                """
ids = pl.array.create(2, pl.TASK_ID)
with pl.manual_scope():
    s, a = pl.submit(self.put, x, s)
    ids[0] = a
    y, u = pl.submit(self.put, s, y, deps=[ids[0]])
    s, _v = pl.submit(self.put, x, s, deps=[u])
"""
            ),
        ),
    ),
    fix="""\
Removes the entry. Safe: nothing was waited for.""",
)
