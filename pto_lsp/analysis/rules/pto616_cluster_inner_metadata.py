"""PTO616 cluster-inner-metadata: diagnostics.md TG016."""

from __future__ import annotations

from pto_lsp.analysis.rules.graph_frames import kernels
from pto_lsp.analysis.rules.rule import Example, Rule
from pto_lsp.diagnostics import Severity

RULE = Rule(
    code="PTO616",
    name="cluster-inner-metadata",
    severity=Severity.ERROR,
    summary="A launch inside a cluster carries scheduling keywords",
    what="""\
Reports `deps=`, `predicate=`, `core_num=`, `sync_start=`, `allow_early_resolve=` and `as` on launches
inside `with pl.cluster():`.""",
    why="""\
The whole cluster is one task. Its members are parts of that task and are not scheduled on their own, so
what is said about one of them would be lost.""",
    examples=(
        Example(
            bad=kernels(
                """
s, a = pl.submit(self.put, x, s)
with pl.cluster():
    y, _b = pl.submit(self.put, x, y, ⟦deps=[a]⟧)
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
Removes the cluster where it holds this one launch only. Unsafe: the launch then is a task of its own form.""",
)
