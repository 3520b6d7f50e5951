"""PTO708 opt-out-removes-real-edge: diagnostics.md TG108."""

from __future__ import annotations

from pto_lsp.analysis.rules.graph_frames import regions
from pto_lsp.analysis.rules.rule import Example, Rule
from pto_lsp.diagnostics import Severity

RULE = Rule(
    code="PTO708",
    name="opt-out-removes-real-edge",
    severity=Severity.WARNING,
    summary="An opted-out argument conflicts with another task",
    what="""\
Reports an argument opted out by `no_dep_args` or `pl.no_dep` that certainly overlaps an access of another
task, one of both writing, when nothing else orders the two. Provably disjoint opt-outs are what the keyword
is for and are not reported; nor are overlaps that depend on data.""",
    why="""\
An opt-out is a claim that the tensor needs no order here. Nobody checks it. Where it is wrong, the edge
that kept the two tasks apart is gone.""",
    examples=(
        Example(
            bad=regions(
                """
with pl.at(level=pl.Level.CORE_GROUP, name_hint="make"):
    s[:] = pl.add(x, x)
with pl.at(level=pl.Level.CORE_GROUP, name_hint="use", no_dep_args=[⟦s⟧]):
    y[:] = pl.mul(s, s)
"""
            ),
            good=regions(
                """
for i in pl.parallel(4):
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="band", no_dep_args=[y]):
        y[i * 32 : i * 32 + 32, :] = pl.add(x[i * 32 : i * 32 + 32, :], x[i * 32 : i * 32 + 32, :])
with pl.at(level=pl.Level.CORE_GROUP, name_hint="other"):
    s[:] = pl.add(x, x)
"""
            ),
        ),
    ),
    fix="""\
Removes the opt-out. Safe: the task waits for more than before.""",
)
