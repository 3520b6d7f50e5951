"""PTO707 manual-read-of-earlier-write: diagnostics.md TG107."""

from __future__ import annotations

from pto_lsp.analysis.rules.graph_frames import kernels
from pto_lsp.analysis.rules.rule import Example, Rule
from pto_lsp.diagnostics import Severity

RULE = Rule(
    code="PTO707",
    name="manual-read-of-earlier-write",
    severity=Severity.WARNING,
    summary="A task in a manual scope does not wait for an earlier write",
    what="""\
Reports a task in a manual scope that touches what a task before the scope wrote or reads, without a
declared path of waits from that task.""",
    why="""\
Tasks in a manual scope look nobody up, however well tracked the writer before the scope is. The wait has to
be declared.""",
    examples=(
        Example(
            bad=kernels(
                """
s = self.put(x, s)
with pl.manual_scope():
    y, _b = pl.submit(self.put, ⟦s⟧, y)
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
Binds the task id of the earlier task, which becomes a `pl.submit` where it is a plain call, and lists it in
`deps=`. Safe, with the exception of PTO701.""",
)
