"""PTO620 early-resolve-misplaced: diagnostics.md TG020."""

from __future__ import annotations

from pto_lsp.analysis.rules.graph_frames import regions
from pto_lsp.analysis.rules.rule import Example, Rule
from pto_lsp.diagnostics import Severity

RULE = Rule(
    code="PTO620",
    name="early-resolve-misplaced",
    severity=Severity.ERROR,
    summary="`allow_early_resolve` stands where it is not accepted",
    what="""\
Reports `allow_early_resolve` on a plain kernel call, and a value that is not written out as `True` or
`False`.""",
    why="""\
The flag is a property of the generated submit. The parser takes it as a literal only, and a plain call has
no place for it.""",
    examples=(
        Example(
            bad=regions(
                """
flag = True
with pl.at(level=pl.Level.CORE_GROUP, name_hint="make", ⟦allow_early_resolve=flag⟧):
    s[:] = pl.add(x, x)
with pl.at(level=pl.Level.CORE_GROUP, name_hint="use"):
    y[:] = pl.mul(s, s)
"""
            ),
            good=regions(
                """
with pl.at(level=pl.Level.CORE_GROUP, name_hint="make", allow_early_resolve=True):
    s[:] = pl.add(x, x)
with pl.at(level=pl.Level.CORE_GROUP, name_hint="use"):
    y[:] = pl.mul(s, s)
"""
            ),
        ),
    ),
    fix="""\
Writes the constant out, or removes the flag where there is none. Safe: the flag never changes a result.""",
)
