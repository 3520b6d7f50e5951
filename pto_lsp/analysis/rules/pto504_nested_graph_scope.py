"""PTO504 nested-graph-scope: rules.md O4, O10."""

from __future__ import annotations

from pto_lsp.analysis.rules.examples import jit, program
from pto_lsp.analysis.rules.rule import Example, Rule
from pto_lsp.diagnostics import Severity

RULE = Rule(
    code="PTO504",
    name="nested-graph-scope",
    severity=Severity.ERROR,
    summary="A `with pl.graph(...)` region contains another one",
    what="""\
Reports a Graph region inside a Graph region, written there directly or brought in by an inline helper.""",
    why="""\
The runtime cannot record while it records, so one Graph cannot launch another.""",
    examples=(
        Example(
            bad=jit(
                ["accumulate"],
                """
@pl.jit
def main(x: <T>, acc: pl.InOut[<T>]):
    with pl.graph("outer"):
        acc = accumulate(x, acc)
        with ⟦pl.graph⟧("inner"):
            acc = accumulate(x, acc)
    return acc
""",
            ),
            good=jit(
                ["accumulate"],
                """
@pl.jit
def main(x: <T>, acc: pl.InOut[<T>]):
    with pl.graph("outer"):
        acc = accumulate(x, acc)
    with pl.graph("inner"):
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
    with pl.graph("outer"):
        acc = self.accumulate(x, acc)
        with ⟦pl.graph⟧("inner"):
            acc = self.accumulate(x, acc)
    return acc
""",
            ),
            good=program(
                ["accumulate"],
                """
@pl.function(type=pl.FunctionType.Orchestration)
def main(self, x: <T>, acc: pl.InOut[<T>]) -> <T>:
    with pl.graph("outer"):
        acc = self.accumulate(x, acc)
    with pl.graph("inner"):
        acc = self.accumulate(x, acc)
    return acc
""",
            ),
        ),
    ),
    references=("PTO413 nested-graph-call",),
)
