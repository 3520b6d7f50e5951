"""PTO719 control-core-read-of-manual-write: diagnostics.md TG119."""

from __future__ import annotations

from pto_lsp.analysis.rules.graph_frames import kernels
from pto_lsp.analysis.rules.rule import Example, Rule
from pto_lsp.diagnostics import Severity

RULE = Rule(
    code="PTO719",
    name="control-core-read-of-manual-write",
    severity=Severity.WARNING,
    summary="The control core reads what an untracked task wrote",
    what="""\
Reports a `pl.read` at orchestration level of an element that a task in a manual scope, or one with tracking
off, writes.""",
    why="""\
The read waits for the recorded writers of the tensor. An untracked write is not recorded, so the value read
is the one from before.""",
    examples=(
        Example(
            bad=kernels(
                """
q = pl.create_tensor([1, 8], dtype=pl.INT32)
with pl.manual_scope():
    q, _a = pl.submit(self.gput, g, q)
n = ⟦pl.tensor.read(q, [0, 0])⟧
for i in pl.range(n):
    y = self.put(x, y)
"""
            ),
            good=kernels(
                """
n = pl.tensor.read(g, [0, 0])
for i in pl.range(n):
    y = self.put(x, y)
"""
            ),
        ),
    ),
    fix="""\
Removes the manual scope around the writer, or its opt-out. Unsafe: tasks wait for more than before, and the
read stalls.""",
)
