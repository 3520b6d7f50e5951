"""PTO705 manual-scope-missing-edge: diagnostics.md TG105."""

from __future__ import annotations

from pto_lsp.analysis.rules.graph_frames import kernels
from pto_lsp.analysis.rules.rule import Example, Rule
from pto_lsp.diagnostics import Severity

RULE = Rule(
    code="PTO705",
    name="manual-scope-missing-edge",
    severity=Severity.WARNING,
    summary="Two tasks of a manual scope share data without a declared wait",
    what="""\
Reports two tasks of one `pl.manual_scope` that touch a common region, at least one of them writing, when no
chain of declared waits connects them.""",
    why="""\
In a manual scope nothing is inferred: no wait for writers, none for the creator of a buffer, and writes are
not even recorded. Only `deps=` orders tasks there.""",
    examples=(
        Example(
            bad=kernels(
                """
with pl.manual_scope():
    s, a = pl.submit(self.put, x, s)
    y, _b = pl.submit(self.put, ⟦s⟧, y)
"""
            ),
            good=kernels(
                """
with pl.manual_scope():
    s, a = pl.submit(self.put, x, s)
    y, b = pl.submit(self.put, s, y, deps=[a])
    s, _c = pl.submit(self.put, x, s, deps=[b])
"""
            ),
        ),
    ),
    fix="""\
Binds the task id of the earlier task and lists it in `deps=` of the later one. Safe, with the exception of
PTO701.""",
)
