"""PTO622 stale-name-after-write: diagnostics.md TG022."""

from __future__ import annotations

from pto_lsp.analysis.rules.graph_frames import kernels
from pto_lsp.analysis.rules.rule import Example, Rule
from pto_lsp.diagnostics import Severity

RULE = Rule(
    code="PTO622",
    name="stale-name-after-write",
    severity=Severity.ERROR,
    summary="A name is read after its buffer went to a kernel as output",
    what="""\
Reports a read of a variable that an earlier call took in an `Out` or `InOut` slot while the result of that
call was bound to another name. Handing the old name on as an output again is fine.""",
    why="""\
After the call the buffer lives on under the name of the result. The old name stands for the contents before
the call, which no longer exist, and the compiler refuses to read them.""",
    examples=(
        Example(
            bad=kernels(
                """
r = self.put(x, s)
y = self.put(⟦s⟧, y)
"""
            ),
            good=kernels(
                """
s = self.put(x, s)
y = self.put(s, y)
"""
            ),
        ),
    ),
    fix="""\
Reads the result instead. Safe.""",
)
