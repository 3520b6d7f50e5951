"""PTO501 graph-scope-name: rules.md O1, O2."""

from __future__ import annotations

from pto_lsp.analysis.rules.examples import jit, program
from pto_lsp.analysis.rules.rule import Example, Rule
from pto_lsp.diagnostics import Severity

RULE = Rule(
    code="PTO501",
    name="graph-scope-name",
    severity=Severity.ERROR,
    summary="A `with pl.graph(...)` region needs exactly one name, a string literal that is an identifier",
    what="""\
Reports `pl.graph` without an argument, with more than one, with a keyword, with anything but a string literal
(an f-string is none), and with a string that is empty or not a Python identifier.""",
    why="""\
The name becomes the name of a function in the compiled program, and that function is the identity under which
the runtime keeps the recording.""",
    examples=(
        Example(
            bad=jit(
                ["accumulate"],
                """
@pl.jit
def main(x: <T>, acc: pl.InOut[<T>]):
    with pl.graph(⟦"my layer"⟧):
        acc = accumulate(x, acc)
    return acc
""",
            ),
            good=jit(
                ["accumulate"],
                """
@pl.jit
def main(x: <T>, acc: pl.InOut[<T>]):
    with pl.graph("my_layer"):
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
    with pl.graph(⟦"my layer"⟧):
        acc = self.accumulate(x, acc)
    return acc
""",
            ),
            good=program(
                ["accumulate"],
                """
@pl.function(type=pl.FunctionType.Orchestration)
def main(self, x: <T>, acc: pl.InOut[<T>]) -> <T>:
    with pl.graph("my_layer"):
        acc = self.accumulate(x, acc)
    return acc
""",
            ),
        ),
    ),
    references=("PTO505 graph-scope-renamed",),
)
