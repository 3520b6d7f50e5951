"""PTO817 manual-scope-not-needed: diagnostics.md TG217."""

from __future__ import annotations

from pto_lsp.analysis.rules.graph_frames import kernels
from pto_lsp.analysis.rules.rule import Example, Rule
from pto_lsp.diagnostics import Severity

RULE = Rule(
    code="PTO817",
    name="manual-scope-not-needed",
    severity=Severity.HINT,
    summary="A manual scope declares exactly what would be inferred",
    what="""\
Reports a manual scope of at most eight tasks in which tracking would order every task as the declared waits
do.""",
    why="""\
The scope takes protection away and gives nothing: the next edit inside it has to keep the waits right by
hand. Where the cost of tracking is the reason, it is fine.""",
    examples=(
        Example(
            bad=kernels(
                """
⟦with pl.manual_scope():⟧
    s, a = pl.submit(self.put, x, s)
    y, _b = pl.submit(self.put, s, y, deps=[a])
"""
            ),
            good=kernels(
                """
s = self.put(x, s)
y = self.put(s, y)
"""
            ),
        ),
    ),
    fix="""\
Removes the scope and moves its statements out. Unsafe: inferring the waits costs time.""",
)
