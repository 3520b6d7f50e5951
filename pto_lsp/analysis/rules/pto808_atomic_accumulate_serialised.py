"""PTO808 atomic-accumulate-serialised: diagnostics.md TG208."""

from __future__ import annotations

from pto_lsp.analysis.rules.graph_frames import regions
from pto_lsp.analysis.rules.rule import Example, Rule
from pto_lsp.diagnostics import Severity

RULE = Rule(
    code="PTO808",
    name="atomic-accumulate-serialised",
    severity=Severity.INFORMATION,
    summary="Tasks that accumulate atomically run one after another",
    what="""\
Reports a launch in a loop that only adds to a tensor with atomics, so that its tasks chain through that
tensor.""",
    why="""\
Atomic additions need no order, but each task reads and writes the tensor as far as the runtime knows. One
grid, whose blocks are not ordered, lets the hardware add in any order.""",
    examples=(
        Example(
            bad=regions(
                """
with pl.at(level=pl.Level.CORE_GROUP, name_hint="zero"):
    y[:] = pl.sub(x, x)
for k in pl.parallel(4):
    ⟦with pl.at(level=pl.Level.CORE_GROUP, name_hint="part"):⟧
        p = pl.matmul(x[:, k * 32 : k * 32 + 32], x[k * 32 : k * 32 + 32, :], out_dtype=pl.FP32)
        y = pl.assemble(y, p, [0, 0], atomic=pl.AtomicType.Add)
with pl.at(level=pl.Level.CORE_GROUP, name_hint="other"):
    s[:] = pl.add(x, x)
"""
            ),
            good=regions(
                """
with pl.at(level=pl.Level.CORE_GROUP, name_hint="zero"):
    y[:] = pl.sub(x, x)
with pl.spmd(4, name_hint="part"):
    k = pl.get_block_idx()
    p = pl.matmul(x[:, k * 32 : k * 32 + 32], x[k * 32 : k * 32 + 32, :], out_dtype=pl.FP32)
    y = pl.assemble(y, p, [0, 0], atomic=pl.AtomicType.Add)
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
