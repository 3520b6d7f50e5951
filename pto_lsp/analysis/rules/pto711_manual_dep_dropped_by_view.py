"""PTO711 manual-dep-dropped-by-view: diagnostics.md TG111."""

from __future__ import annotations

from pto_lsp.analysis.rules.graph_frames import kernels
from pto_lsp.analysis.rules.rule import Example, Rule
from pto_lsp.diagnostics import Severity

RULE = Rule(
    code="PTO711",
    name="manual-dep-dropped-by-view",
    severity=Severity.INFORMATION,
    summary="A view of a `manual_dep` tensor is tracked again",
    what="""\
Reports a slice, reshape or transpose of a tensor created with `manual_dep=True` that is handed to a task.""",
    why="""\
The flag sits on the descriptor, and a view gets a fresh descriptor without it. Accesses through the view
make edges again, while a task that writes the whole tensor stays invisible to them.""",
    examples=(
        Example(
            bad=kernels(
                """
t = pl.create_tensor([128, 128], dtype=pl.FP32, manual_dep=True)
xa = pl.slice(x, [64, 128], [0, 0])
⟦h = pl.slice(t, [64, 128], [0, 0])⟧
h = self.half(xa, h)
y = self.put(x, y)
"""
            ),
            good=kernels(
                """
t = pl.create_tensor([128, 128], dtype=pl.FP32, manual_dep=True)
t, a = pl.submit(self.put, x, t)
y, _b = pl.submit(self.put, t, y, deps=[a])
"""
            ),
        ),
    ),
    fix="""\
Opts the view out on the launches that take it. Unsafe, and not offered where a task would then miss a wait.""",
)
