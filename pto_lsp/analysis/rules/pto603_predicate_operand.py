"""PTO603 predicate-operand: diagnostics.md TG003."""

from __future__ import annotations

from pto_lsp.analysis.rules.graph_frames import kernels
from pto_lsp.analysis.rules.rule import Example, Rule
from pto_lsp.diagnostics import Severity

RULE = Rule(
    code="PTO603",
    name="predicate-operand",
    severity=Severity.ERROR,
    summary="A guard reads an element that cannot be a guard",
    what="""\
Reports a guard whose tensor is not a signed integer type, that gives more or fewer indices than the tensor
has dimensions, or whose constant index is negative or beyond the declared extent. An unknown type or shape
is never reported.""",
    why="""\
The load that evaluates the guard is a plain signed integer load at a fixed address. Anything else is
refused, and an index beyond the extent would read memory that belongs to something else.""",
    examples=(
        Example(
            bad=kernels(
                """
s, a = pl.submit(self.put, x, s, predicate=(⟦x[0, 0]⟧ > 0))
y, _b = pl.submit(self.put, s, y)
"""
            ),
            good=kernels(
                """
s = self.put(x, s)
s, _a = pl.submit(self.bump, x, s, predicate=(g[0, 0] > 0))
y = self.put(s, y)
"""
            ),
        ),
        Example(
            bad=kernels(
                """
s, _a = pl.submit(self.put, x, s, predicate=(⟦g[0]⟧ > 0))
y = self.put(x, y)
"""
            ),
            good=kernels(
                """
s, _a = pl.submit(self.put, x, s, predicate=(g[0, 0] > 0))
y = self.put(x, y)
"""
            ),
        ),
    ),
    fix="""\
Appends `0` for every index that is missing. Unsafe: which element was meant is the author's to say. Nothing
is offered for a wrong data type or an index out of range.""",
)
