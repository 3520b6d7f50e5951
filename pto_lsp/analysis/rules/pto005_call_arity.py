"""PTO005 call-arity."""

from __future__ import annotations

from pto_lsp.analysis.rules.examples import jit, program
from pto_lsp.analysis.rules.rule import Example, Rule
from pto_lsp.diagnostics import Severity

RULE = Rule(
    code="PTO005",
    name="call-arity",
    severity=Severity.ERROR,
    summary="A call of a kernel or helper has too many arguments, or one is missing",
    what="""\
Compares the arguments of every call of a DSL function with its parameters. Parameters with a default may be
left out in the `@pl.jit` style, and `pl.submit` may leave out trailing `Out` parameters, whose buffers the
runtime then provides.

Calls of a Graph function have a rule of their own, PTO414.""",
    why="""\
A kernel is called with exactly the buffers and scalars it declares. The compiler refuses anything else.""",
    examples=(
        Example(
            bad=jit(
                ["accumulate"],
                """
@pl.jit
def main(x: <T>, acc: pl.InOut[<T>]):
    acc = ⟦accumulate(x)⟧
    return acc
""",
            ),
            good=jit(
                ["accumulate"],
                """
@pl.jit
def main(x: <T>, acc: pl.InOut[<T>]):
    acc = accumulate(x, acc)
    return acc
""",
            ),
        ),
        Example(
            bad=program(
                ["accumulate"],
                """
@pl.function(type=pl.FunctionType.Orchestration)
def main(self, x: <T>, acc: pl.InOut[<T>]) -> <T>:
    acc = ⟦self.accumulate(x, acc, 0)⟧
    return acc
""",
            ),
            good=program(
                ["accumulate"],
                """
@pl.function(type=pl.FunctionType.Orchestration)
def main(self, x: <T>, acc: pl.InOut[<T>]) -> <T>:
    acc = self.accumulate(x, acc)
    return acc
""",
            ),
        ),
    ),
    references=("PTO414 graph-call-arity",),
)
