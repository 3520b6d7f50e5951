"""PTO811 all-to-all-without-barrier: diagnostics.md TG211."""

from __future__ import annotations

from pto_lsp.analysis.rules.graph_frames import kernels
from pto_lsp.analysis.rules.rule import Example, Rule
from pto_lsp.diagnostics import Severity

RULE = Rule(
    code="PTO811",
    name="all-to-all-without-barrier",
    severity=Severity.HINT,
    summary="Every task of one loop waits for every task of another",
    what="""\
Reports a launch in a loop that waits for a whole array of ids in each iteration, when one dummy between the
two loops would need fewer edges. In a manual scope with this single entry the compiler inserts the dummy
itself.""",
    why="""\
N producers and M consumers make N·M edges, each with a cost at submission and completion. A `task_dummy`
that waits for the array, and is waited for, makes N+M.""",
    examples=(
        Example(
            bad=kernels(
                """
ids = pl.array.create(4, pl.TASK_ID)
for i in pl.parallel(4):
    r: pl.Scalar[pl.INDEX] = i * 32
    s, t = pl.submit(self.stripe, x, r, s)
    ids[i] = t
for i in pl.parallel(4):
    r: pl.Scalar[pl.INDEX] = i * 32
    y, _u = pl.submit(self.stripe, x, r, y, deps=[⟦ids⟧])
"""
            ),
            good=kernels(
                """
ids = pl.array.create(4, pl.TASK_ID)
for i in pl.parallel(4):
    r: pl.Scalar[pl.INDEX] = i * 32
    s, t = pl.submit(self.stripe, x, r, s)
    ids[i] = t
j = pl.system.task_dummy(deps=[ids])
for i in pl.parallel(4):
    r: pl.Scalar[pl.INDEX] = i * 32
    y, _u = pl.submit(self.stripe, x, r, y, deps=[j])
"""
            ),
        ),
    ),
    fix="""\
Joins the tasks in a `task_dummy` before the loop. Unsafe: a dummy keeps what follows it from being staged
early.""",
)
