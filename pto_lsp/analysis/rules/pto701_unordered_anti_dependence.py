"""PTO701 unordered-anti-dependence: diagnostics.md TG101."""

from __future__ import annotations

from pto_lsp.analysis.rules.graph_frames import regions
from pto_lsp.analysis.rules.rule import Example, Rule
from pto_lsp.diagnostics import Severity

RULE = Rule(
    code="PTO701",
    name="unordered-anti-dependence",
    severity=Severity.WARNING,
    summary="A task overwrites a tensor that an earlier task may still be reading",
    what="""\
Reports a write of a region that an earlier task reads when no path of waits leads from the reader to the
writer. Only overlaps that are certain count; a path over any tensor, id, array or dummy is enough.""",
    why="""\
The runtime remembers writers, not readers. A later writer waits for the writers before it and for nobody
who only reads: the new contents can arrive while the old ones are still being read. Program order by itself
orders nothing.""",
    examples=(
        Example(
            bad=regions(
                """
with pl.at(level=pl.Level.CORE_GROUP, name_hint="make"):
    s[:] = pl.add(x, x)
with pl.at(level=pl.Level.CORE_GROUP, name_hint="read"):
    y[:] = pl.mul(s, s)
⟦with pl.at(level=pl.Level.CORE_GROUP, name_hint="reuse"):⟧
    s[:] = pl.sub(x, x)
"""
            ),
            good=regions(
                """
with pl.at(level=pl.Level.CORE_GROUP, name_hint="make"):
    s[:] = pl.add(x, x)
with pl.at(level=pl.Level.CORE_GROUP, name_hint="read") as rd:
    y[:] = pl.mul(s, s)
with pl.at(level=pl.Level.CORE_GROUP, name_hint="reuse", deps=[rd]):
    s[:] = pl.sub(x, x)
"""
            ),
        ),
    ),
    fix="""\
Binds the reader's task id and lists it in `deps=` of the writer; a plain call becomes a `pl.submit`, and ids
of a loop are collected in an array. Safe: the writer waits for one task more. It is unsafe in a `@pl.jit`
function whose kernel call has to move into `with pl.spmd(1) as tid:`.""",
    references=("PTO702 for the same across iterations",),
)
