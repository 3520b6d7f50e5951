"""PTO604 predicate-gate-unordered: diagnostics.md TG004."""

from __future__ import annotations

from pto_lsp.analysis.rules.graph_frames import kernels
from pto_lsp.analysis.rules.rule import Example, Rule
from pto_lsp.diagnostics import Severity

RULE = Rule(
    code="PTO604",
    name="predicate-gate-unordered",
    severity=Severity.ERROR,
    summary="A guard reads a tensor whose producer the guarded task does not wait for",
    what="""\
Reports a guarded launch when an earlier task of the same function writes the element the guard reads and no
path of waits leads from that task to this one. Any path counts: through an array of ids, a dummy, or a
tensor both share.""",
    why="""\
The guard is no tensor argument, so the runtime infers no wait from it. Evaluated too early, it sees
whatever the element held before, and the task runs or is skipped by chance.""",
    examples=(
        Example(
            bad=kernels(
                """
q = pl.create_tensor([1, 8], dtype=pl.INT32)
q = self.gput(g, q)
s = self.put(x, s)
s, _a = pl.submit(self.bump, x, s, ⟦predicate=(q[0, 0] > 0)⟧)
y = self.put(s, y)
"""
            ),
            good=kernels(
                """
q = pl.create_tensor([1, 8], dtype=pl.INT32)
q, made = pl.submit(self.gput, g, q)
s = self.put(x, s)
s, _a = pl.submit(self.bump, x, s, deps=[made], predicate=(q[0, 0] > 0))
y = self.put(s, y)
"""
            ),
        ),
    ),
    fix="""\
Lists the writer's task id in `deps=` of the guarded launch, and binds it where it has no name. Safe.""",
)
