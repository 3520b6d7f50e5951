"""PTO505 graph-scope-renamed: rules.md O14."""

from __future__ import annotations

from pto_lsp.analysis.rules.examples import jit, program
from pto_lsp.analysis.rules.rule import Example, Rule
from pto_lsp.diagnostics import Severity

RULE = Rule(
    code="PTO505",
    name="graph-scope-renamed",
    severity=Severity.INFORMATION,
    summary="The name of a `with pl.graph(...)` region is taken, so the compiler chooses another",
    what="""\
Reports a Graph region whose name is already that of an earlier region or a local variable of the same function
(the compiler then appends `_0`, `_1` …), or of another function of the program (it puts the name of the
enclosing function in front).""",
    why="""\
The name is what traces, dumps and recordings show. Two regions of one name are two Graphs all the same, and
each keeps a recording.""",
    examples=(
        Example(
            bad=jit(
                ["accumulate"],
                """
@pl.jit
def main(x: <T>, acc: pl.InOut[<T>]):
    with pl.graph("layer"):
        acc = accumulate(x, acc)
    with pl.graph(⟦"layer"⟧):
        acc = accumulate(acc, acc)
    return acc
""",
            ),
            good=jit(
                ["accumulate"],
                """
@pl.jit
def main(x: <T>, acc: pl.InOut[<T>]):
    with pl.graph("layer"):
        acc = accumulate(x, acc)
    with pl.graph("square"):
        acc = accumulate(acc, acc)
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
    with pl.graph("layer"):
        acc = self.accumulate(x, acc)
    with pl.graph(⟦"layer"⟧):
        acc = self.accumulate(acc, acc)
    return acc
""",
            ),
            good=program(
                ["accumulate"],
                """
@pl.function(type=pl.FunctionType.Orchestration)
def main(self, x: <T>, acc: pl.InOut[<T>]) -> <T>:
    with pl.graph("layer"):
        acc = self.accumulate(x, acc)
    with pl.graph("square"):
        acc = self.accumulate(acc, acc)
    return acc
""",
            ),
        ),
    ),
    references=(
        "PTO501 graph-scope-name",
        "PTO419 too-many-distinct-graphs",
    ),
)
