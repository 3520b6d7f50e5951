"""PTO007 unsupported-by-backend."""

from __future__ import annotations

from pto_lsp.analysis.rules.examples import jit
from pto_lsp.analysis.rules.rule import Example, Rule
from pto_lsp.diagnostics import Severity

RULE = Rule(
    code="PTO007",
    name="unsupported-by-backend",
    severity=Severity.ERROR,
    summary="The code generator has no lowering for this operation",
    what="""\
Reported only by `pto-lsp compile` and by compiling on save: the program is legal as far as the checks go, but
the generator of `host_build_graph` artefacts does not know how to emit this operation.

An operation that is merely unknown to this tool is never reported by `check`: its table may be older than the
PyPTO that is installed.""",
    why="""\
Without a lowering there is no code to emit; leaving the operation out would change the program.""",
    examples=(
        Example(
            bad=jit(
                [],
                """
@pl.jit
def main(x: <T>, acc: pl.InOut[<T>]):
    with pl.at(level=pl.Level.CORE_GROUP):
        acc[:, :] = pl.operation_of_tomorrow(x)
    return acc
""",
            ),
            good=jit(
                [],
                """
@pl.jit
def main(x: <T>, acc: pl.InOut[<T>]):
    with pl.at(level=pl.Level.CORE_GROUP):
        acc[:, :] = pl.add(x, x)
    return acc
""",
            ),
            command="compile",
        ),
    ),
)
