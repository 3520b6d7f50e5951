"""PTO722 as-binding-not-carried: diagnostics.md TG122."""

from __future__ import annotations

from pto_lsp.analysis.rules.graph_frames import regions
from pto_lsp.analysis.rules.rule import Example, Rule
from pto_lsp.diagnostics import Severity

RULE = Rule(
    code="PTO722",
    name="as-binding-not-carried",
    severity=Severity.WARNING,
    summary="`as` in a loop does not carry the id to the next iteration",
    what="""\
Reports an entry of `deps=` in a loop that names an id from before the loop while a region of the same body,
at or behind the launch, binds that name with `as`. If something else orders the iterations, it is not
reported.""",
    why="""\
`with … as t` makes a new id each time and never rebinds the outer `t`. The entry means the value from
before the loop in every iteration, often `None`, and the previous iteration is not waited for.""",
    examples=(
        Example(
            bad=regions(
                """
prev = None
for i in pl.range(4):
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="fill", deps=[⟦prev⟧]):
        s[:] = pl.add(x, x)
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="drain") as prev:
        y[i * 32 : i * 32 + 32, :] = pl.mul(s[0:32, :], s[0:32, :])
"""
            ),
            good=regions(
                """
slot = pl.array.create(1, pl.TASK_ID)
for i in pl.range(4):
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="fill", deps=[slot[0]]):
        s[:] = pl.add(x, x)
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="drain") as done:
        y[i * 32 : i * 32 + 32, :] = pl.mul(s[0:32, :], s[0:32, :])
    slot[0] = done
"""
            ),
        ),
    ),
    fix="""\
Puts the id into a slot of an array, where the next iteration finds it. Safe.""",
)
