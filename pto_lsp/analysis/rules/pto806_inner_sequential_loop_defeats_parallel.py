"""PTO806 inner-sequential-loop-defeats-parallel: diagnostics.md TG206."""

from __future__ import annotations

from pto_lsp.analysis.rules.graph_frames import regions
from pto_lsp.analysis.rules.rule import Example, Rule
from pto_lsp.diagnostics import Severity

RULE = Rule(
    code="PTO806",
    name="inner-sequential-loop-defeats-parallel",
    severity=Severity.INFORMATION,
    summary="A sequential loop in a nest takes the effect of `pl.parallel` away",
    what="""\
Reports a launch inside both a `pl.parallel` and a sequential loop whose tasks form a chain although they
write disjoint regions.""",
    why="""\
One sequential loop anywhere around a launch makes its outputs read-write, so all tasks of the nest wait for
each other, those of the parallel loop included.""",
    examples=(
        Example(
            bad=regions(
                """
for i in pl.parallel(2):
    for j in pl.range(2):
        ⟦with pl.at(level=pl.Level.CORE_GROUP, name_hint="tile"):⟧
            y[i * 64 : i * 64 + 64, j * 64 : j * 64 + 64] = pl.add(
                x[i * 64 : i * 64 + 64, j * 64 : j * 64 + 64], x[i * 64 : i * 64 + 64, j * 64 : j * 64 + 64]
            )
with pl.at(level=pl.Level.CORE_GROUP, name_hint="other"):
    s[:] = pl.add(x, x)
"""
            ),
            good=regions(
                """
for i in pl.parallel(2):
    for j in pl.parallel(2):
        with pl.at(level=pl.Level.CORE_GROUP, name_hint="tile"):
            y[i * 64 : i * 64 + 64, j * 64 : j * 64 + 64] = pl.add(
                x[i * 64 : i * 64 + 64, j * 64 : j * 64 + 64], x[i * 64 : i * 64 + 64, j * 64 : j * 64 + 64]
            )
with pl.at(level=pl.Level.CORE_GROUP, name_hint="other"):
    s[:] = pl.add(x, x)
"""
            ),
        ),
    ),
    fix="""\
Makes all loops of the nest `pl.parallel`, under the conditions of PTO805.""",
)
