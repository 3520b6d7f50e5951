"""PTO812 early-resolve-without-effect: diagnostics.md TG212."""

from __future__ import annotations

from pto_lsp.analysis.rules.graph_frames import regions
from pto_lsp.analysis.rules.rule import Example, Rule
from pto_lsp.diagnostics import Severity

RULE = Rule(
    code="PTO812",
    name="early-resolve-without-effect",
    severity=Severity.HINT,
    summary="`allow_early_resolve` has no effect here",
    what="""\
Reports the flag on a task none of whose consumers can be staged early: there is none, each has a guard, or
each also waits for a task without the flag. An unflagged dummy is a known way to hold a consumer back and
is not reported.""",
    why="""\
A consumer is staged early only when all the tasks it waits for directly carry the flag.""",
    examples=(
        Example(
            bad=regions(
                """
t = pl.create_tensor([128, 128], dtype=pl.FP32)
with pl.at(level=pl.Level.CORE_GROUP, name_hint="a", ⟦allow_early_resolve=True⟧):
    s[:] = pl.add(x, x)
with pl.at(level=pl.Level.CORE_GROUP, name_hint="b"):
    t[:] = pl.mul(x, x)
with pl.at(level=pl.Level.CORE_GROUP, name_hint="c"):
    y[:] = pl.add(s, t)
"""
            ),
            good=regions(
                """
t = pl.create_tensor([128, 128], dtype=pl.FP32)
with pl.at(level=pl.Level.CORE_GROUP, name_hint="a", allow_early_resolve=True):
    s[:] = pl.add(x, x)
with pl.at(level=pl.Level.CORE_GROUP, name_hint="b", allow_early_resolve=True):
    t[:] = pl.mul(x, x)
with pl.at(level=pl.Level.CORE_GROUP, name_hint="c"):
    y[:] = pl.add(s, t)
"""
            ),
        ),
    ),
    fix="""\
Removes the flag. Safe: it has no effect.""",
)
