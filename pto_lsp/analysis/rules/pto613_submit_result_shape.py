"""PTO613 submit-result-shape: diagnostics.md TG013."""

from __future__ import annotations

from pto_lsp.analysis.rules.graph_frames import kernels
from pto_lsp.analysis.rules.rule import Example, Rule
from pto_lsp.diagnostics import Severity

RULE = Rule(
    code="PTO613",
    name="submit-result-shape",
    severity=Severity.ERROR,
    summary="The results of a submit are unpacked into the wrong number of names",
    what="""\
Reports a `pl.submit` or `pl.spmd_submit` that stands alone, or whose targets are not the kernel's results
and one task id.""",
    why="""\
A submit always yields a task id beside the results. The parser wants to see it taken, even when it goes to
a name with an underscore.""",
    examples=(
        Example(
            bad=kernels(
                """
s = self.put(x, s)
⟦pl.submit(self.put, s, y)⟧
"""
            ),
            good=kernels(
                """
s = self.put(x, s)
y, _t = pl.submit(self.put, s, y)
"""
            ),
        ),
    ),
    fix="""\
Names the results after the outputs that are passed, and the task id `_tid`. Safe where nothing was unpacked
before.""",
)
