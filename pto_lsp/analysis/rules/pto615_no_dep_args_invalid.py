"""PTO615 no-dep-args-invalid: diagnostics.md TG015."""

from __future__ import annotations

from pto_lsp.analysis.rules.graph_frames import regions
from pto_lsp.analysis.rules.rule import Example, Rule
from pto_lsp.diagnostics import Severity

RULE = Rule(
    code="PTO615",
    name="no-dep-args-invalid",
    severity=Severity.ERROR,
    summary="`no_dep_args` names something that cannot be opted out",
    what="""\
Reports a `no_dep_args` that is no list of plain names, and entries that are no tensors, stand there twice,
or are not used inside the region.""",
    why="""\
An opt-out belongs to one captured tensor. What the region does not capture has no argument to opt out, and
outlining fails.""",
    examples=(
        Example(
            bad=regions(
                """
with pl.at(level=pl.Level.CORE_GROUP, name_hint="make", no_dep_args=[⟦y⟧]):
    s[:] = pl.add(x, x)
with pl.at(level=pl.Level.CORE_GROUP, name_hint="use"):
    y[:] = pl.mul(s, s)
"""
            ),
            good=regions(
                """
with pl.at(level=pl.Level.CORE_GROUP, name_hint="make"):
    s[:] = pl.add(x, x)
with pl.at(level=pl.Level.CORE_GROUP, name_hint="use"):
    y[:] = pl.mul(s, s)
"""
            ),
        ),
    ),
    fix="""\
Removes the entry, and the keyword with the last one. Safe.""",
)
