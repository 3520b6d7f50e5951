"""PTO601 predicate-on-at: diagnostics.md TG001."""

from __future__ import annotations

from pto_lsp.analysis.rules.graph_frames import regions
from pto_lsp.analysis.rules.rule import Example, Rule
from pto_lsp.diagnostics import Severity

RULE = Rule(
    code="PTO601",
    name="predicate-on-at",
    severity=Severity.ERROR,
    summary="A `pl.at` region carries `predicate=`",
    what="""\
Reports the keyword `predicate=` in the header of a `pl.at` region. Guards are accepted by `pl.spmd`,
`pl.submit` and `pl.spmd_submit`.""",
    why="""\
The tool chain does not know the keyword there and refuses the file. A region that should run only sometimes
is written as a grid of one block.""",
    examples=(
        Example(
            bad=regions(
                """
with pl.at(level=pl.Level.CORE_GROUP, name_hint="maybe", ⟦predicate=(g[0, 0] > 0)⟧):
    s[:] = pl.add(x, x)
""",
                gate=True,
            ),
            good=regions(
                """
with pl.spmd(1, name_hint="maybe", predicate=(g[0, 0] > 0)):
    _block = pl.tile.get_block_idx()
    s[:] = pl.add(x, x)
""",
                gate=True,
            ),
        ),
    ),
    fix="""\
Launches the region with `pl.spmd(1, …)`, which takes a guard and is one task as well: `level=` goes, and the
block index is read where the body does not use it. Safe. Not offered with options that `pl.spmd` does not
have.""",
    references=("PTO602 for the form of the guard",),
)
