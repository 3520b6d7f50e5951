"""PTO805 sequential-loop-serialises-disjoint-writes: diagnostics.md TG205."""

from __future__ import annotations

from pto_lsp.analysis.rules.graph_frames import regions
from pto_lsp.analysis.rules.rule import Example, Rule
from pto_lsp.diagnostics import Severity

RULE = Rule(
    code="PTO805",
    name="sequential-loop-serialises-disjoint-writes",
    severity=Severity.INFORMATION,
    summary="Iterations that write disjoint regions run one after another",
    what="""\
Reports a launch in a loop whose iterations wait for each other only because they get the same whole tensor
as output, while the regions they write are provably disjoint.""",
    why="""\
In a sequential loop every output counts as read-write, and the runtime compares arguments, not what a
kernel touches inside them. The tasks form a chain that nothing needs. A parallel loop, or a slice per
iteration as the argument, sets them free.""",
    examples=(
        Example(
            bad=regions(
                """
for i in pl.range(4):
    ⟦with pl.at(level=pl.Level.CORE_GROUP, name_hint="band"):⟧
        y[i * 32 : i * 32 + 32, :] = pl.add(x[i * 32 : i * 32 + 32, :], x[i * 32 : i * 32 + 32, :])
with pl.at(level=pl.Level.CORE_GROUP, name_hint="other"):
    s[:] = pl.add(x, x)
"""
            ),
            good=regions(
                """
for i in pl.parallel(4):
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="band"):
        y[i * 32 : i * 32 + 32, :] = pl.add(x[i * 32 : i * 32 + 32, :], x[i * 32 : i * 32 + 32, :])
with pl.at(level=pl.Level.CORE_GROUP, name_hint="other"):
    s[:] = pl.add(x, x)
"""
            ),
        ),
    ),
    fix="""\
Makes the loops `pl.parallel`. Safe where everything in the function is known: every order that some data
needs is still there. Not offered when something besides tensors is handed from one iteration to the next.
Loops that are parallel already become one `pl.spmd` launch, as with PTO807; unsafe.""",
)
