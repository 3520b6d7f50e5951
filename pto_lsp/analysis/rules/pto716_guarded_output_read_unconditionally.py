"""PTO716 guarded-output-read-unconditionally: diagnostics.md TG116."""

from __future__ import annotations

from pto_lsp.analysis.rules.graph_frames import kernels
from pto_lsp.analysis.rules.rule import Example, Rule
from pto_lsp.diagnostics import Severity

RULE = Rule(
    code="PTO716",
    name="guarded-output-read-unconditionally",
    severity=Severity.WARNING,
    summary="A task reads what a guarded task may not have written",
    what="""\
Reports a guarded task that is the only writer of a region of a fresh buffer or an `Out` parameter, when a
later task without the same guard reads that region.""",
    why="""\
A task whose guard is false is retired without running, and everything that waits for it goes on. The reader
then sees memory nobody initialised.""",
    examples=(
        Example(
            bad=kernels(
                """
s, _a = pl.submit(self.put, x, s, ⟦predicate=(g[0, 0] > 0)⟧)
y, _b = pl.submit(self.put, s, y)
"""
            ),
            good=kernels(
                """
s = self.put(x, s)
s, _a = pl.submit(self.bump, x, s, predicate=(g[0, 0] > 0))
y, _b = pl.submit(self.put, s, y)
"""
            ),
        ),
    ),
    fix="""\
Gives the reader the same guard. Unsafe. Not offered where the reader's form takes no guard, or has one.""",
)
