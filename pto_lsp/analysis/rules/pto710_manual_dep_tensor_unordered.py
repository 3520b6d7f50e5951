"""PTO710 manual-dep-tensor-unordered: diagnostics.md TG110."""

from __future__ import annotations

from pto_lsp.analysis.rules.graph_frames import regions
from pto_lsp.analysis.rules.rule import Example, Rule
from pto_lsp.diagnostics import Severity

RULE = Rule(
    code="PTO710",
    name="manual-dep-tensor-unordered",
    severity=Severity.WARNING,
    summary="Tasks share a `manual_dep` tensor without a declared wait",
    what="""\
Reports two tasks that touch a common region of a tensor created with `manual_dep=True`, at least one of
them writing, when no path of waits connects them.""",
    why="""\
The flag takes the tensor out of tracking for good: its writes are not recorded and its reads look nobody
up. Waits for it have to be declared, or come from another tensor.""",
    examples=(
        Example(
            bad=regions(
                """
t = pl.create_tensor([128, 128], dtype=pl.FP32, manual_dep=True)
with pl.at(level=pl.Level.CORE_GROUP, name_hint="make"):
    t[:] = pl.add(x, x)
⟦with pl.at(level=pl.Level.CORE_GROUP, name_hint="use"):⟧
    y[:] = pl.mul(t, t)
with pl.at(level=pl.Level.CORE_GROUP, name_hint="other"):
    s[:] = pl.add(x, x)
"""
            ),
            good=regions(
                """
t = pl.create_tensor([128, 128], dtype=pl.FP32, manual_dep=True)
with pl.at(level=pl.Level.CORE_GROUP, name_hint="make") as made:
    t[:] = pl.add(x, x)
with pl.at(level=pl.Level.CORE_GROUP, name_hint="use", deps=[made]):
    y[:] = pl.mul(t, t)
with pl.at(level=pl.Level.CORE_GROUP, name_hint="other"):
    s[:] = pl.add(x, x)
"""
            ),
        ),
    ),
    fix="""\
Binds the task id of the earlier task and lists it in `deps=` of the later one. Safe, with the exception of
PTO701.""",
)
