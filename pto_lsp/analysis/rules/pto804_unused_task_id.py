"""PTO804 unused-task-id: diagnostics.md TG204."""

from __future__ import annotations

from pto_lsp.analysis.rules.graph_frames import regions
from pto_lsp.analysis.rules.rule import Example, Rule
from pto_lsp.diagnostics import Severity

RULE = Rule(
    code="PTO804",
    name="unused-task-id",
    severity=Severity.HINT,
    summary="A task id is never waited for",
    what="""\
Reports a task id that is bound and then neither waited for, stored, passed on nor returned. Names that
begin with an underscore are exempt. In a manual scope, where the unused id is a missing wait, the finding
about the race stands instead.""",
    why="""\
An id nobody uses is noise, and sometimes the trace of a wait that was forgotten.""",
    examples=(
        Example(
            bad=regions(
                """
with pl.at(level=pl.Level.CORE_GROUP, name_hint="make") as ⟦made⟧:
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
Removes `as`, or puts an underscore before a name that the form needs. Safe.""",
)
