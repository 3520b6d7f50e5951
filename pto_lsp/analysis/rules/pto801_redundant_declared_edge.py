"""PTO801 redundant-declared-edge: diagnostics.md TG201."""

from __future__ import annotations

from pto_lsp.analysis.rules.graph_frames import regions
from pto_lsp.analysis.rules.rule import Example, Rule
from pto_lsp.diagnostics import Severity

RULE = Rule(
    code="PTO801",
    name="redundant-declared-edge",
    severity=Severity.HINT,
    summary="A declared wait is inferred anyway",
    what="""\
Reports an entry of `deps=` for a task that this launch waits for in any case, because a tensor of both is
tracked and certainly overlaps. Producers of a guard have to be listed and are not reported.""",
    why="""\
It changes nothing. Some authors write such entries as documentation, which is why this is only a hint.""",
    examples=(
        Example(
            bad=regions(
                """
with pl.at(level=pl.Level.CORE_GROUP, name_hint="make") as made:
    s[:] = pl.add(x, x)
with pl.at(level=pl.Level.CORE_GROUP, name_hint="use", deps=[⟦made⟧]):
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
Removes the entry, and the keyword with the last one, and the name of an id that nothing else mentions.
Unsafe: some authors write it on purpose.""",
)
