"""PTO818 scratch-reuse-chains-iterations: diagnostics.md TG218."""

from __future__ import annotations

from pto_lsp.analysis.rules.graph_frames import kernels
from pto_lsp.analysis.rules.rule import Example, Rule
from pto_lsp.diagnostics import Severity

RULE = Rule(
    code="PTO818",
    name="scratch-reuse-chains-iterations",
    severity=Severity.INFORMATION,
    summary="Iterations wait for each other only because they share a scratch buffer",
    what="""\
Reports a buffer that every iteration of a loop overwrites as a whole before reading it, when nothing else
has to pass from one iteration to the next.""",
    why="""\
The shared buffer chains the iterations. One buffer per iteration lets them overlap, and also removes the
danger that the next iteration refills it too early. It costs the memory of the iterations in flight.""",
    examples=(
        Example(
            bad=kernels(
                """
t = pl.create_tensor([128, 128], dtype=pl.FP32)
for i in pl.range(4):
    r: pl.Scalar[pl.INDEX] = i * 32
    t = self.put(x, ⟦t⟧)
    y = self.stripe(t, r, y)
"""
            ),
            good=kernels(
                """
for i in pl.parallel(4):
    r: pl.Scalar[pl.INDEX] = i * 32
    t = pl.create_tensor([128, 128], dtype=pl.FP32)
    t = self.put(x, t)
    y = self.stripe(t, r, y)
"""
            ),
        ),
    ),
    fix="""\
Allocates the buffer in the loop. Unsafe: every iteration in flight has a buffer of its own.""",
)
