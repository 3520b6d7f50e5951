"""PTO610 self-dependence: diagnostics.md TG010."""

from __future__ import annotations

from pto_lsp.analysis.rules.graph_frames import regions
from pto_lsp.analysis.rules.rule import Example, Rule
from pto_lsp.diagnostics import Severity

RULE = Rule(
    code="PTO610",
    name="self-dependence",
    severity=Severity.ERROR,
    summary="A launch waits for the id it binds itself",
    what="""\
Reports an entry of `deps=` whose only binding is the `as` of the same launch. With an earlier binding of
that name the launch waits for the earlier task, which is a chain and fine.""",
    why="""\
Waits are looked up before the new id exists, so the name is undefined there. A task that waits for itself
would never start.""",
    examples=(
        Example(
            bad=regions(
                """
with pl.at(level=pl.Level.CORE_GROUP, name_hint="make", deps=[⟦made⟧]) as made:
    s[:] = pl.add(x, x)
with pl.at(level=pl.Level.CORE_GROUP, name_hint="use"):
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
Removes the entry. Unsafe: another task may have been meant.""",
)
