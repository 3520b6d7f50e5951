"""PTO614 nested-or-misplaced-scope: diagnostics.md TG014."""

from __future__ import annotations

from pto_lsp.analysis.rules.graph_frames import kernels
from pto_lsp.analysis.rules.rule import Example, Rule
from pto_lsp.diagnostics import Severity

RULE = Rule(
    code="PTO614",
    name="nested-or-misplaced-scope",
    severity=Severity.ERROR,
    summary="A scope is opened where none may be",
    what="""\
Reports a scope inside a manual scope, `pl.scope()` in a function whose scopes the compiler places itself,
and any scope inside device code.""",
    why="""\
Scopes structure the submission of tasks. Within a manual scope there is nothing left to infer, and a kernel
submits nothing.""",
    examples=(
        Example(
            bad=kernels(
                """
with pl.manual_scope():
    ⟦with pl.manual_scope():⟧
        s, a = pl.submit(self.put, x, s)
    y, _b = pl.submit(self.put, x, y)
"""
            ),
            good=kernels(
                """
with pl.manual_scope():
    s, a = pl.submit(self.put, x, s)
    y, _b = pl.submit(self.put, x, y, deps=[a])
"""
            ),
        ),
    ),
    fix="""\
Removes the inner scope and moves its statements out; a `pl.scope` that its function does not allow gets
`auto_scope=False`. Safe for a manual scope in a manual scope.""",
)
