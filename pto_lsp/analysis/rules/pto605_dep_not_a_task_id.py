"""PTO605 dep-not-a-task-id: diagnostics.md TG005."""

from __future__ import annotations

from pto_lsp.analysis.rules.graph_frames import regions
from pto_lsp.analysis.rules.rule import Example, Rule
from pto_lsp.diagnostics import Severity

RULE = Rule(
    code="PTO605",
    name="dep-not-a-task-id",
    severity=Severity.ERROR,
    summary="An entry of `deps=` is not a task id",
    what="""\
Reports an entry that is a tensor, a number or another scalar. Entries are task ids, slots of an array of
task ids, whole such arrays, and `None`.""",
    why="""\
A wait is for a task, not for data. The order that data needs is inferred from the arguments already; an
explicit wait needs the id its launch hands out.""",
    examples=(
        Example(
            bad=regions(
                """
with pl.at(level=pl.Level.CORE_GROUP, name_hint="make"):
    s[:] = pl.add(x, x)
with pl.at(level=pl.Level.CORE_GROUP, name_hint="use", deps=[⟦s⟧]):
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
Lists the id of the task that wrote the tensor last, and binds it where it has no name. Safe.""",
)
