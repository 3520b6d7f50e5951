"""PTO004 unresolved-callee."""

from __future__ import annotations

from pto_lsp.analysis.rules.examples import jit, program
from pto_lsp.analysis.rules.rule import Example, Rule
from pto_lsp.diagnostics import Severity

RULE = Rule(
    code="PTO004",
    name="unresolved-callee",
    severity=Severity.WARNING,
    summary="A call that looks like a kernel call leads to nothing the DSL can discover",
    what="""\
Reports a call in a DSL body whose function is not a DSL function of this program: a misspelt method of `self`,
a plain Python function without a decorator, a kernel reached through a module attribute (`kernels.scale(x)`) or
through another name for it.

A name whose module cannot be found is not reported: it may well be a kernel.""",
    why="""\
The DSL finds the functions of a program by name. A call it cannot follow is refused when the program is
compiled, with a message about an unsupported call rather than about the name.""",
    examples=(
        Example(
            bad=jit(
                ["accumulate"],
                """
def scale(x):
    return x


@pl.jit
def main(x: <T>, acc: pl.InOut[<T>]):
    y = ⟦scale⟧(x)
    acc = accumulate(y, acc)
    return acc
""",
            ),
            good=jit(
                ["accumulate"],
                """
@pl.jit.inline
def scale(x: <T>):
    return x


@pl.jit
def main(x: <T>, acc: pl.InOut[<T>]):
    y = scale(x)
    acc = accumulate(y, acc)
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
    acc = ⟦self.acumulate⟧(x, acc)
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
    references=("PTO003, for a name that is not defined at all",),
)
