"""PTO704 overlapping-parallel-writes: diagnostics.md TG104."""

from __future__ import annotations

from pto_lsp.analysis.rules.graph_frames import regions
from pto_lsp.analysis.rules.rule import Example, Rule
from pto_lsp.diagnostics import Severity

RULE = Rule(
    code="PTO704",
    name="overlapping-parallel-writes",
    severity=Severity.WARNING,
    summary="Iterations of a parallel loop write overlapping regions",
    what="""\
Reports a pure write in `pl.parallel` whose regions in two iterations certainly intersect: the offset moves
by less than the extent, or does not depend on the loop variable.""",
    why="""\
`pl.parallel` is the author's word that iterations are independent. It is not checked, and it takes away the
order that a sequential loop would have given. The bytes written twice end up with the contents of either
iteration.""",
    examples=(
        Example(
            bad=regions(
                """
for i in pl.parallel(4):
    ⟦with pl.at(level=pl.Level.CORE_GROUP, name_hint="band"):⟧
        y[i * 16 : i * 16 + 32, :] = pl.add(x[i * 16 : i * 16 + 32, :], x[i * 16 : i * 16 + 32, :])
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
Makes the loop a `pl.range`, so that its writes wait for each other. Safe: nothing runs earlier than before.""",
)
