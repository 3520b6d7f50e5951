"""PTO609 deps-on-anonymous-spmd: diagnostics.md TG009."""

from __future__ import annotations

from pto_lsp.analysis.rules.graph_frames import regions
from pto_lsp.analysis.rules.rule import Example, Rule
from pto_lsp.diagnostics import Severity

RULE = Rule(
    code="PTO609",
    name="deps-on-anonymous-spmd",
    severity=Severity.ERROR,
    summary="A grid without `as` carries `deps=`",
    what="""\
Reports `deps=` on `with pl.spmd(...)` without `as`, and on `for i in pl.spmd(...)`.""",
    why="""\
A grid becomes a submit, which can wait, only when its task id is bound. The anonymous forms are plain
launches.""",
    examples=(
        Example(
            bad=regions(
                """
with pl.at(level=pl.Level.CORE_GROUP, name_hint="make") as made:
    s[:] = pl.add(x, x)
with pl.spmd(4, name_hint="use", ⟦deps=[made]⟧):
    i = pl.get_block_idx()
    y[i * 32 : i * 32 + 32, :] = pl.mul(x[i * 32 : i * 32 + 32, :], x[i * 32 : i * 32 + 32, :])
"""
            ),
            good=regions(
                """
with pl.at(level=pl.Level.CORE_GROUP, name_hint="make") as made:
    s[:] = pl.add(x, x)
with pl.spmd(4, name_hint="use", deps=[made]) as _used:
    i = pl.get_block_idx()
    y[i * 32 : i * 32 + 32, :] = pl.mul(x[i * 32 : i * 32 + 32, :], x[i * 32 : i * 32 + 32, :])
"""
            ),
        ),
    ),
    fix="""\
Binds the task id; a `for … in pl.spmd(…)` becomes a `with`. Safe.""",
)
