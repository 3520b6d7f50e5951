"""PTO611 task-id-out-of-scope: diagnostics.md TG011."""

from __future__ import annotations

from pto_lsp.analysis.rules.graph_frames import kernels
from pto_lsp.analysis.rules.rule import Example, Rule
from pto_lsp.diagnostics import Severity

RULE = Rule(
    code="PTO611",
    name="task-id-out-of-scope",
    severity=Severity.ERROR,
    summary="A task id is used after the scope it was bound in has ended",
    what="""\
Reports an entry of `deps=` whose id was bound in a loop body, a branch or a scope that is over at the
launch. Bodies of `pl.unroll` are no scopes. Inside a manual scope an id that a `pl.submit` rebinds is
carried by the loop and may be used after it.""",
    why="""\
The generated code declares the id inside the braces of that block. There is nothing left to wait for behind
them, and the compiler stops, often with a message that does not mention waits.""",
    examples=(
        Example(
            bad=kernels(
                """
for i in pl.parallel(4):
    r: pl.Scalar[pl.INDEX] = i * 32
    s, t = pl.submit(self.stripe, x, r, s)
y, _u = pl.submit(self.put, x, y, deps=[⟦t⟧])
"""
            ),
            good=kernels(
                """
ids = pl.array.create(4, pl.TASK_ID)
for i in pl.parallel(4):
    r: pl.Scalar[pl.INDEX] = i * 32
    s, t = pl.submit(self.stripe, x, r, s)
    ids[i] = t
y, _u = pl.submit(self.put, x, y, deps=[ids])
"""
            ),
        ),
    ),
    fix="""\
Creates an array of task ids before the scope, stores the id in it, and lists the array. Safe. Not offered
where the number of trips is not constant.""",
)
