"""PTO702 loop-carried-anti-dependence: diagnostics.md TG102."""

from __future__ import annotations

from pto_lsp.analysis.rules.graph_frames import regions
from pto_lsp.analysis.rules.rule import Example, Rule
from pto_lsp.diagnostics import Severity

RULE = Rule(
    code="PTO702",
    name="loop-carried-anti-dependence",
    severity=Severity.WARNING,
    summary="The next iteration refills a buffer that this one may still be reading",
    what="""\
Reports a write in iteration *i+1* of a region that iteration *i* reads when no path of waits leads from
that reader to that writer.""",
    why="""\
Readers leave no trace in the runtime, so nothing holds the next iteration back. The loop works as long as
the reader happens to be quick, and breaks on another device or another shape.""",
    examples=(
        Example(
            bad=regions(
                """
for i in pl.range(4):
    ⟦with pl.at(level=pl.Level.CORE_GROUP, name_hint="fill"):⟧
        s[:] = pl.add(x, x)
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="drain"):
        y[i * 32 : i * 32 + 32, :] = pl.mul(s[0:32, :], s[0:32, :])
"""
            ),
            good=regions(
                """
for i in pl.parallel(4):
    t = pl.create_tensor([128, 128], dtype=pl.FP32)
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="fill"):
        t[:] = pl.add(x, x)
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="drain"):
        y[i * 32 : i * 32 + 32, :] = pl.mul(t[0:32, :], t[0:32, :])
with pl.at(level=pl.Level.CORE_GROUP, name_hint="last"):
    s[:] = pl.sub(x, x)
"""
            ),
        ),
    ),
    fix="""\
Allocates the buffer in the loop where every iteration fills it before reading it and nothing outside uses it;
otherwise puts the reader's task id into a slot that the next iteration waits for. Safe.""",
    references=("PTO818 for the chain the shared buffer makes as well",),
)
