"""PTO709 opted-out-writer-unseen-by-reader: diagnostics.md TG109."""

from __future__ import annotations

from pto_lsp.analysis.rules.graph_frames import regions
from pto_lsp.analysis.rules.rule import Example, Rule
from pto_lsp.diagnostics import Severity

RULE = Rule(
    code="PTO709",
    name="opted-out-writer-unseen-by-reader",
    severity=Severity.WARNING,
    summary="A tracked reader follows a writer whose tracking is off",
    what="""\
Reports a write through an opted-out argument when a later task reads the same region in the ordinary way
and no path of waits leads to it.""",
    why="""\
An opted-out writer is not recorded. The reader is tracked and its author may think that is enough, but
there is nothing to be found in the record.""",
    examples=(
        Example(
            bad=regions(
                """
for i in pl.parallel(4):
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="band", no_dep_args=[⟦s⟧]):
        s[i * 32 : i * 32 + 32, :] = pl.add(x[i * 32 : i * 32 + 32, :], x[i * 32 : i * 32 + 32, :])
with pl.at(level=pl.Level.CORE_GROUP, name_hint="sum"):
    y[:] = pl.mul(s, s)
"""
            ),
            good=regions(
                """
ids = pl.array.create(4, pl.TASK_ID)
for i in pl.parallel(4):
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="band", no_dep_args=[s]) as t:
        s[i * 32 : i * 32 + 32, :] = pl.add(x[i * 32 : i * 32 + 32, :], x[i * 32 : i * 32 + 32, :])
    ids[i] = t
with pl.at(level=pl.Level.CORE_GROUP, name_hint="sum", deps=[ids]):
    y[:] = pl.mul(s, s)
"""
            ),
        ),
    ),
    fix="""\
Collects the writers' task ids in an array and lists it in `deps=` of the reader. Safe, with the exception of
PTO701.""",
)
