"""PTO706 manual-write-unseen-after-scope: diagnostics.md TG106."""

from __future__ import annotations

from pto_lsp.analysis.rules.graph_frames import kernels
from pto_lsp.analysis.rules.rule import Example, Rule
from pto_lsp.diagnostics import Severity

RULE = Rule(
    code="PTO706",
    name="manual-write-unseen-after-scope",
    severity=Severity.WARNING,
    summary="A task after a manual scope does not wait for what was written inside",
    what="""\
Reports a task behind a manual scope that reads or rewrites a tensor a task of that scope wrote, without a
path of waits from that task.""",
    why="""\
Writes in a manual scope are not recorded. The reader behind it is tracked as usual, finds no writer and
starts at once; the end of the scope waits for nothing.""",
    examples=(
        Example(
            bad=kernels(
                """
with pl.manual_scope():
    s, _a = pl.submit(self.put, x, s)
y = self.put(⟦s⟧, y)
"""
            ),
            good=kernels(
                """
ids = pl.array.create(1, pl.TASK_ID)
with pl.manual_scope():
    s, a = pl.submit(self.put, x, s)
    ids[0] = a
y, _b = pl.submit(self.put, s, y, deps=[ids[0]])
"""
            ),
        ),
    ),
    fix="""\
Creates an array of task ids before the scope, stores the writer's id in it, and lists it in `deps=`. Safe,
with the exception of PTO701.""",
)
