"""PTO814 task-window-overflow: diagnostics.md TG214."""

from __future__ import annotations

from pto_lsp.analysis.rules.graph_frames import kernels
from pto_lsp.analysis.rules.rule import Example, Rule
from pto_lsp.diagnostics import Severity

RULE = Rule(
    code="PTO814",
    name="task-window-overflow",
    severity=Severity.WARNING,
    summary="A scope submits more tasks than can be in flight",
    what="""\
Reports a scope that directly owns 16383 tasks or more by constant trip counts. Loop bodies outside manual
scopes are scopes of their own.""",
    why="""\
Tasks are kept in a ring until the scope that submitted them closes. When the ring is full before the scope
can close, submission waits for ever.""",
    examples=(
        Example(
            bad=kernels(
                """
⟦with pl.manual_scope():⟧
    prev = None
    for i in pl.range(20000):
        y, prev = pl.submit(self.bump, x, y, deps=[prev])
"""
            ),
            good=kernels(
                """
with pl.manual_scope():
    prev = None
    for i in pl.range(200):
        y, prev = pl.submit(self.bump, x, y, deps=[prev])
"""
            ),
        ),
    ),
)
