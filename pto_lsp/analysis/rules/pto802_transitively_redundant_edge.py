"""PTO802 transitively-redundant-edge: diagnostics.md TG202."""

from __future__ import annotations

from pto_lsp.analysis.rules.graph_frames import kernels
from pto_lsp.analysis.rules.rule import Example, Rule
from pto_lsp.diagnostics import Severity

RULE = Rule(
    code="PTO802",
    name="transitively-redundant-edge",
    severity=Severity.HINT,
    summary="A declared wait is implied by another one",
    what="""\
Reports an entry of `deps=` for a task that another wait of the same launch already comes after. A path
through a task with `allow_early_resolve` does not count.""",
    why="""\
It changes no order and costs a little at submission.""",
    examples=(
        Example(
            bad=kernels(
                """
with pl.manual_scope():
    s, a = pl.submit(self.put, x, s)
    y, b = pl.submit(self.put, s, y, deps=[a])
    y, _c = pl.submit(self.bump, s, y, deps=[⟦a⟧, b])
"""
            ),
            good=kernels(
                """
with pl.manual_scope():
    s, a = pl.submit(self.put, x, s)
    y, b = pl.submit(self.put, s, y, deps=[a])
    y, c = pl.submit(self.bump, s, y, deps=[b])
    s, _d = pl.submit(self.put, x, s, deps=[c])
"""
            ),
        ),
    ),
    fix="""\
Removes the entry, and the name of an id that nothing else mentions. Unsafe: some authors write it on purpose.""",
)
