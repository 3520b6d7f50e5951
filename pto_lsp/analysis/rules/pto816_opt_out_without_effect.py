"""PTO816 opt-out-without-effect: diagnostics.md TG216."""

from __future__ import annotations

from pto_lsp.analysis.rules.graph_frames import regions
from pto_lsp.analysis.rules.rule import Example, Rule
from pto_lsp.diagnostics import Severity

RULE = Rule(
    code="PTO816",
    name="opt-out-without-effect",
    severity=Severity.HINT,
    summary="An opt-out changes nothing",
    what="""\
Reports `no_dep_args` and `pl.no_dep` on a tensor that no task of the function writes, in a manual scope, or
on a tensor that is `manual_dep` already.""",
    why="""\
Such an argument gets no edge and gives none anyway. The entry suggests a danger that is not there.""",
    examples=(
        Example(
            bad=regions(
                """
with pl.at(level=pl.Level.CORE_GROUP, name_hint="a", no_dep_args=[⟦x⟧]):
    s[:] = pl.add(x, x)
with pl.at(level=pl.Level.CORE_GROUP, name_hint="b"):
    y[:] = pl.add(s, s)
"""
            ),
            good=regions(
                """
with pl.at(level=pl.Level.CORE_GROUP, name_hint="a"):
    s[:] = pl.add(x, x)
with pl.at(level=pl.Level.CORE_GROUP, name_hint="b"):
    y[:] = pl.add(s, s)
"""
            ),
        ),
    ),
    fix="""\
Removes the entry, the keyword with the last one, or the `pl.no_dep(…)` around the argument. Safe.""",
)
