"""PTO803 duplicate-entry: diagnostics.md TG203."""

from __future__ import annotations

from pto_lsp.analysis.rules.graph_frames import kernels
from pto_lsp.analysis.rules.rule import Example, Rule
from pto_lsp.diagnostics import Severity

RULE = Rule(
    code="PTO803",
    name="duplicate-entry",
    severity=Severity.HINT,
    summary="A task id stands twice in one `deps=` list",
    what="""\
Reports the second of two entries that are the same name, or the same slot of the same array.""",
    why="""\
Waiting twice for one task is waiting once. Often another id was meant.""",
    examples=(
        Example(
            bad=kernels(
                """
s, a = pl.submit(self.put, x, s)
with pl.manual_scope():
    y, _b = pl.submit(self.put, s, y, deps=[a, ⟦a⟧])
"""
            ),
            good=kernels(
                """
s, a = pl.submit(self.put, x, s)
with pl.manual_scope():
    y, _b = pl.submit(self.put, s, y, deps=[a])
"""
            ),
        ),
    ),
    fix="""\
Removes the second entry. Safe.""",
)
