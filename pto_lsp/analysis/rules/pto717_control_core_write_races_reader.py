"""PTO717 control-core-write-races-reader: diagnostics.md TG117."""

from __future__ import annotations

from pto_lsp.analysis.rules.graph_frames import kernels
from pto_lsp.analysis.rules.rule import Example, Rule
from pto_lsp.diagnostics import Severity

RULE = Rule(
    code="PTO717",
    name="control-core-write-races-reader",
    severity=Severity.WARNING,
    summary="The control core writes an element that a task may still be reading",
    what="""\
Reports a `pl.write` at orchestration level to an element that an earlier task reads, when no task wrote the
tensor before.""",
    why="""\
The write waits for the recorded writers of the tensor and for their readers. A tensor nobody wrote has no
recorded writer, so its readers are unknown and the write goes ahead.""",
    examples=(
        Example(
            bad=kernels(
                """
q = pl.create_tensor([1, 8], dtype=pl.INT32)
q, made = pl.submit(self.gput, g, q)
⟦pl.tensor.write(g, [0, 0], pl.cast(1, pl.INT32))⟧
s = self.put(x, s)
s, _a = pl.submit(self.bump, x, s, deps=[made], predicate=(q[0, 0] > 0))
y = self.put(s, y)
""",
                gate="pl.InOut[<G>]",
            ),
            good=kernels(
                """
pl.tensor.write(g, [0, 0], pl.cast(1, pl.INT32))
q = pl.create_tensor([1, 8], dtype=pl.INT32)
q, made = pl.submit(self.gput, g, q)
s = self.put(x, s)
s, _a = pl.submit(self.bump, x, s, deps=[made], predicate=(q[0, 0] > 0))
y = self.put(s, y)
""",
                gate="pl.InOut[<G>]",
            ),
        ),
    ),
    fix="""\
Moves the write before the launch that reads. Unsafe: the task then reads the new value.""",
)
