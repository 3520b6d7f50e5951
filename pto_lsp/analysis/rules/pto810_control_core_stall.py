"""PTO810 control-core-stall: diagnostics.md TG210."""

from __future__ import annotations

from pto_lsp.analysis.rules.graph_frames import kernels
from pto_lsp.analysis.rules.rule import Example, Rule
from pto_lsp.diagnostics import Severity

RULE = Rule(
    code="PTO810",
    name="control-core-stall",
    severity=Severity.INFORMATION,
    summary="Reading a tensor on the control core stops submission",
    what="""\
Reports a `pl.read` at orchestration level of an element that a task of the same function writes. Reads of
tensors nobody writes are immediate and not reported.""",
    why="""\
The control core waits until that task and all before it have finished, and submits nothing meanwhile.
Independent tasks further down start late. For a yes or no, a guard does the same without stopping.""",
    examples=(
        Example(
            bad=kernels(
                """
q = pl.create_tensor([1, 8], dtype=pl.INT32)
q = self.gput(g, q)
n = ⟦pl.tensor.read(q, [0, 0])⟧
s = self.put(x, s)
for i in pl.range(n):
    y = self.put(s, y)
"""
            ),
            good=kernels(
                """
n = pl.tensor.read(g, [0, 0])
s = self.put(x, s)
for i in pl.range(n):
    y = self.put(s, y)
"""
            ),
        ),
    ),
)
