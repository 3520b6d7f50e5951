"""PTO813 useless-dummy: diagnostics.md TG213."""

from __future__ import annotations

from pto_lsp.analysis.rules.graph_frames import kernels
from pto_lsp.analysis.rules.rule import Example, Rule
from pto_lsp.diagnostics import Severity

RULE = Rule(
    code="PTO813",
    name="useless-dummy",
    severity=Severity.HINT,
    summary="A `task_dummy` joins nothing",
    what="""\
Reports a dummy that waits for one task and is waited for by one, and a dummy whose id is never used. If the
task it waits for carries `allow_early_resolve`, the dummy blocks early staging on purpose and is not
reported.""",
    why="""\
A dummy stands for several tasks. For one it is a detour.""",
    examples=(
        Example(
            bad=kernels(
                """
s, a = pl.submit(self.put, x, s)
⟦j = pl.system.task_dummy(deps=[a])⟧
with pl.manual_scope():
    y, _b = pl.submit(self.put, s, y, deps=[j])
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
Lists the one task directly, and removes the dummy. Safe.""",
)
