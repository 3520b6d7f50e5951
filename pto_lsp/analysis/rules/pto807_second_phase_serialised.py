"""PTO807 second-phase-serialised: diagnostics.md TG207."""

from __future__ import annotations

from pto_lsp.analysis.rules.graph_frames import regions
from pto_lsp.analysis.rules.rule import Example, Rule
from pto_lsp.diagnostics import Severity

RULE = Rule(
    code="PTO807",
    name="second-phase-serialised",
    severity=Severity.INFORMATION,
    summary="A parallel loop over a tensor that was written before runs one after another",
    what="""\
Reports a launch in `pl.parallel` whose iterations write disjoint regions of a tensor that an earlier
statement wrote as well, and therefore chain.""",
    why="""\
The second write of one tensor counts as read-write, so that it waits for the first. Within the loop that
makes each iteration wait for the one before, which the loop was meant to avoid.""",
    examples=(
        Example(
            bad=regions(
                """
with pl.at(level=pl.Level.CORE_GROUP, name_hint="zero"):
    y[:] = pl.sub(x, x)
for i in pl.parallel(4):
    ⟦with pl.at(level=pl.Level.CORE_GROUP, name_hint="band"):⟧
        y[i * 32 : i * 32 + 32, :] = pl.add(x[i * 32 : i * 32 + 32, :], x[i * 32 : i * 32 + 32, :])
with pl.at(level=pl.Level.CORE_GROUP, name_hint="other"):
    s[:] = pl.add(x, x)
"""
            ),
            good=regions(
                """
with pl.at(level=pl.Level.CORE_GROUP, name_hint="zero"):
    y[:] = pl.sub(x, x)
with pl.spmd(4, name_hint="band"):
    i = pl.get_block_idx()
    y[i * 32 : i * 32 + 32, :] = pl.add(x[i * 32 : i * 32 + 32, :], x[i * 32 : i * 32 + 32, :])
with pl.at(level=pl.Level.CORE_GROUP, name_hint="other"):
    s[:] = pl.add(x, x)
"""
            ),
        ),
    ),
    fix="""\
Makes the loop one `pl.spmd` launch. Unsafe: many tasks become the blocks of one. Not offered when the loop
holds anything else.""",
)
