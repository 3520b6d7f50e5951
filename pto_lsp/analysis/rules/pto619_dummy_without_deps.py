"""PTO619 dummy-without-deps: diagnostics.md TG019."""

from __future__ import annotations

from pto_lsp.analysis.rules.graph_frames import kernels
from pto_lsp.analysis.rules.rule import Example, Rule
from pto_lsp.diagnostics import Severity

RULE = Rule(
    code="PTO619",
    name="dummy-without-deps",
    severity=Severity.ERROR,
    summary="A `task_dummy` has no `deps=`",
    what="""\
Reports `pl.system.task_dummy` without the keyword `deps=`, or with positional arguments.""",
    why="""\
A dummy is nothing but its waits. The keyword is required so that a barrier without any, `deps=[]`, is a
decision and not an oversight.""",
    examples=(
        Example(
            bad=kernels(
                """
s, a = pl.submit(self.put, x, s)
y, b = pl.submit(self.put, x, y)
j = ⟦pl.system.task_dummy([a, b])⟧
y, _c = pl.submit(self.bump, x, y, deps=[j])
"""
            ),
            good=kernels(
                """
s, a = pl.submit(self.put, x, s)
y, b = pl.submit(self.put, x, y)
j = pl.system.task_dummy(deps=[a, b])
y, _c = pl.submit(self.bump, x, y, deps=[j])
"""
            ),
        ),
    ),
    fix="""\
Writes the list as `deps=`, or `deps=[]`. Safe.""",
)
