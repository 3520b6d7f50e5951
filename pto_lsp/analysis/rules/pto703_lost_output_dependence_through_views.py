"""PTO703 lost-output-dependence-through-views: diagnostics.md TG103."""

from __future__ import annotations

from pto_lsp.analysis.rules.graph_frames import kernels
from pto_lsp.analysis.rules.rule import Example, Rule
from pto_lsp.diagnostics import Severity

RULE = Rule(
    code="PTO703",
    name="lost-output-dependence-through-views",
    severity=Severity.WARNING,
    summary="Two tasks write the same part of a buffer and nothing orders them",
    what="""\
Reports two pure writes to intersecting regions of one buffer, through different slices, a reshape, or a
slice and the whole, when no path of waits connects them.""",
    why="""\
The second write of one name becomes read-write and so waits for the first. Two slices of one tensor are two
names: both stay plain writes, which look nobody up. Which of them lands last is open, and a later reader
waits for both without telling them apart.""",
    examples=(
        Example(
            bad=kernels(
                """
xa = pl.slice(x, [64, 128], [0, 0])
lo = pl.slice(s, [64, 128], [0, 0])
mid = pl.slice(s, [64, 128], [32, 0])
lo = self.half(xa, lo)
mid = self.half(xa, ⟦mid⟧)
y = self.put(s, y)
"""
            ),
            good=kernels(
                """
xa = pl.slice(x, [64, 128], [0, 0])
lo = pl.slice(s, [64, 128], [0, 0])
hi = pl.slice(s, [64, 128], [64, 0])
lo = self.half(xa, lo)
hi = self.half(xa, hi)
y = self.put(s, y)
"""
            ),
        ),
    ),
    fix="""\
Lists the earlier writer's task id in `deps=` of the later one. Safe, with the exception of PTO701.""",
)
