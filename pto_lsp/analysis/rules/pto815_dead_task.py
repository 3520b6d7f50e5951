"""PTO815 dead-task: diagnostics.md TG215."""

from __future__ import annotations

from pto_lsp.analysis.rules.graph_frames import regions
from pto_lsp.analysis.rules.rule import Example, Rule
from pto_lsp.diagnostics import Severity

RULE = Rule(
    code="PTO815",
    name="dead-task",
    severity=Severity.HINT,
    summary="Nothing reads what a task produces",
    what="""\
Reports a task that writes nothing but buffers of this function which no other task, no control-core read
and no return uses. Kernels with other effects are exempt.""",
    why="""\
It takes a core and a buffer for a result that is thrown away, and often a name was mixed up.""",
    examples=(
        Example(
            bad=regions(
                """
t = pl.create_tensor([128, 128], dtype=pl.FP32)
⟦with pl.at(level=pl.Level.CORE_GROUP, name_hint="lost"):⟧
    t[:] = pl.mul(x, x)
with pl.at(level=pl.Level.CORE_GROUP, name_hint="a"):
    s[:] = pl.add(x, x)
with pl.at(level=pl.Level.CORE_GROUP, name_hint="b"):
    y[:] = pl.add(s, s)
"""
            ),
            good=regions(
                """
t = pl.create_tensor([128, 128], dtype=pl.FP32)
with pl.at(level=pl.Level.CORE_GROUP, name_hint="kept"):
    t[:] = pl.mul(x, x)
with pl.at(level=pl.Level.CORE_GROUP, name_hint="a"):
    s[:] = pl.add(x, x)
with pl.at(level=pl.Level.CORE_GROUP, name_hint="b"):
    y[:] = pl.add(s, t)
"""
            ),
        ),
    ),
    fix="""\
Removes the launch, and the buffer where nothing else uses it. Unsafe: it deletes code.""",
)
