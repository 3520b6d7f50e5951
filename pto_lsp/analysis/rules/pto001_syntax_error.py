"""PTO001 syntax-error."""

from __future__ import annotations

from pto_lsp.analysis.rules.examples import jit, program
from pto_lsp.analysis.rules.rule import Example, Rule
from pto_lsp.diagnostics import Severity

RULE = Rule(
    code="PTO001",
    name="syntax-error",
    severity=Severity.ERROR,
    summary="Python cannot parse this logical line",
    what="""\
Reports a logical line (a statement, the head of a block, a decorator, one parameter of a `def`) that is not
Python.

Only that line is lost. Every other line of the file is still read and checked, so the findings elsewhere stay
where they are while a statement is being typed.""",
    why="""\
Nothing can be said about a line that cannot be read, and Python will refuse the whole file when it is imported.""",
    examples=(
        Example(
            bad=jit(
                ["accumulate"],
                """
@pl.jit
def main(x: <T>, acc: pl.InOut[<T>]):
    acc = accumulate(x, ⟦=⟧ acc)
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
    for i in pl.range(4⟦)⟧
        acc = self.accumulate(x, acc)
    return acc
""",
            ),
            good=program(
                ["accumulate"],
                """
@pl.function(type=pl.FunctionType.Orchestration)
def main(self, x: <T>, acc: pl.InOut[<T>]) -> <T>:
    for i in pl.range(4):
        acc = self.accumulate(x, acc)
    return acc
""",
            ),
        ),
    ),
    references=("PTO008, for a line that is correct but too deeply nested to be read",),
)
