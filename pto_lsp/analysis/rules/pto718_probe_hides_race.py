"""PTO718 probe-hides-race: diagnostics.md TG118."""

from __future__ import annotations

from pto_lsp.analysis.rules.graph_frames import regions
from pto_lsp.analysis.rules.rule import Example, Rule
from pto_lsp.diagnostics import Severity

RULE = Rule(
    code="PTO718",
    name="probe-hides-race",
    severity=Severity.INFORMATION,
    summary="A dump or a read may hide a race without removing it",
    what="""\
Reports `dumps=` on a task of a racing pair, and a control-core read of one of its tensors between the two.
It always comes with the finding about the race itself.""",
    why="""\
A probe delays one of the two tasks, so the wrong order no longer shows while one looks for it. It adds no
wait.""",
    examples=(
        Example(
            bad=regions(
                """
with pl.at(level=pl.Level.CORE_GROUP, name_hint="make"):
    s[:] = pl.add(x, x)
with pl.at(level=pl.Level.CORE_GROUP, name_hint="read", ⟦dumps=[s]⟧):
    y[:] = pl.mul(s, s)
with pl.at(level=pl.Level.CORE_GROUP, name_hint="reuse"):
    s[:] = pl.sub(x, x)
"""
            ),
            good=regions(
                """
with pl.at(level=pl.Level.CORE_GROUP, name_hint="make"):
    s[:] = pl.add(x, x)
with pl.at(level=pl.Level.CORE_GROUP, name_hint="read", dumps=[s]) as rd:
    y[:] = pl.mul(s, s)
with pl.at(level=pl.Level.CORE_GROUP, name_hint="reuse", deps=[rd]):
    s[:] = pl.sub(x, x)
"""
            ),
        ),
    ),
    fix="""\
Repairs the race itself: declares the missing wait. Safe, with the exception of PTO701.""",
)
