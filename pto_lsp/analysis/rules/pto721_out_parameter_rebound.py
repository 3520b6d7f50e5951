"""PTO721 out-parameter-rebound: diagnostics.md TG121."""

from __future__ import annotations

from pto_lsp.analysis.rules.graph_frames import regions
from pto_lsp.analysis.rules.rule import Example, Rule
from pto_lsp.diagnostics import Severity

RULE = Rule(
    code="PTO721",
    name="out-parameter-rebound",
    severity=Severity.WARNING,
    summary="An output parameter is renamed instead of written",
    what="""\
Reports an assignment to the plain name of an `Out` or `InOut` parameter whose right side is another value.
A call, store or assemble that writes the parameter and returns it is a write and fine.""",
    why="""\
`y = value` makes `y` a name of something else. No task writes the caller's buffer, and whoever reads it has
no producer. `y[:] = value` stores.""",
    examples=(
        Example(
            bad=regions(
                """
with pl.at(level=pl.Level.CORE_GROUP, name_hint="make"):
    s[:] = pl.add(x, x)
with pl.at(level=pl.Level.CORE_GROUP, name_hint="use"):
    ⟦y = pl.mul(s, s)⟧
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
Writes `[:]` behind the name, so that the value is stored. Unsafe: the caller's buffer then changes.""",
)
