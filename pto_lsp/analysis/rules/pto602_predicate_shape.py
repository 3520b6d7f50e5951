"""PTO602 predicate-shape: diagnostics.md TG002."""

from __future__ import annotations

from pto_lsp.analysis.rules.graph_frames import kernels
from pto_lsp.analysis.rules.rule import Example, Rule
from pto_lsp.diagnostics import Severity

RULE = Rule(
    code="PTO602",
    name="predicate-shape",
    severity=Severity.ERROR,
    summary="A guard is not one comparison of one element with an integer literal",
    what="""\
Reports a `predicate=` value that is joined with `and` or `or`, computes something, compares two elements,
or compares with a value that is not written out. A name the front end folds to an integer is a literal.""",
    why="""\
The scheduler evaluates the guard itself, when the task is about to start. It can load one integer from
memory and compare it with a constant, and nothing more.""",
    examples=(
        Example(
            bad=kernels(
                """
s, a = pl.submit(self.put, x, s, predicate=(⟦g[0, 0] + 1⟧ > 0))
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
least = 3
s, _a = pl.submit(self.put, x, s, predicate=(g[0, 0] > ⟦least⟧))
y = self.put(x, y)
"""
            ),
            good=kernels(
                """
s, _a = pl.submit(self.put, x, s, predicate=(g[0, 0] > 3))
y = self.put(x, y)
"""
            ),
        ),
    ),
    fix="""\
Writes the number out where the other side is a name bound to one. Safe. A guard of several conditions has to
be computed by a task of its own.""",
)
