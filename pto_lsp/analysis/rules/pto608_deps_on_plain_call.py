"""PTO608 deps-on-plain-call: diagnostics.md TG008."""

from __future__ import annotations

from pto_lsp.analysis.rules.graph_frames import kernels
from pto_lsp.analysis.rules.rule import Example, Rule
from pto_lsp.diagnostics import Severity

RULE = Rule(
    code="PTO608",
    name="deps-on-plain-call",
    severity=Severity.ERROR,
    summary="A plain kernel call carries `deps=` or `predicate=`",
    what="""\
Reports `deps=` and `predicate=` on a call of a kernel that is not made through `pl.submit` or
`pl.spmd_submit`.""",
    why="""\
A plain call yields no task id and takes none. Only the submit forms have room for waits and guards.""",
    examples=(
        Example(
            bad=kernels(
                """
s, a = pl.submit(self.put, x, s)
y = self.put(x, y, ⟦deps=[a]⟧)
"""
            ),
            good=kernels(
                """
s, a = pl.submit(self.put, x, s)
y, _b = pl.submit(self.put, x, y, deps=[a])
"""
            ),
        ),
    ),
    fix="""\
Makes the call a `pl.submit`; in a `@pl.jit` function the call moves into `with pl.spmd(1, …) as _tid:`, which
is unsafe because the task gets another form.""",
)
