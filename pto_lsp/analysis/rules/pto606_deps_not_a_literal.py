"""PTO606 deps-not-a-literal: diagnostics.md TG006."""

from __future__ import annotations

from pto_lsp.analysis.rules.graph_frames import regions
from pto_lsp.analysis.rules.rule import Example, Rule
from pto_lsp.diagnostics import Severity

RULE = Rule(
    code="PTO606",
    name="deps-not-a-literal",
    severity=Severity.ERROR,
    summary="`deps=` is not written as a list",
    what="""\
Reports a `deps=` value that is a name, a call or an expression instead of a list, a tuple or a
comprehension over values known when the file is parsed.""",
    why="""\
The parser has to see how many waits a launch has and what each of them is. It does not follow a name to the
list it may hold.""",
    examples=(
        Example(
            bad=regions(
                """
with pl.at(level=pl.Level.CORE_GROUP, name_hint="make") as made:
    s[:] = pl.add(x, x)
with pl.at(level=pl.Level.CORE_GROUP, name_hint="use", deps=⟦made⟧):
    y[:] = pl.mul(x, x)
"""
            ),
            good=regions(
                """
with pl.at(level=pl.Level.CORE_GROUP, name_hint="make") as made:
    s[:] = pl.add(x, x)
with pl.at(level=pl.Level.CORE_GROUP, name_hint="use", deps=[made]):
    y[:] = pl.mul(x, x)
"""
            ),
        ),
    ),
    fix="""\
Puts the value in brackets. Safe.""",
)
