"""PTO415 graph-launch-deps: rules.md C6."""

from __future__ import annotations

from pto_lsp.analysis.rules.examples import program
from pto_lsp.analysis.rules.rule import Example, Rule
from pto_lsp.diagnostics import Severity

RULE = Rule(
    code="PTO415",
    name="graph-launch-deps",
    severity=Severity.ERROR,
    summary="A Graph is submitted with explicit dependencies",
    what="""\
Reports `pl.submit(graph, ..., deps=[...])` with a list that is not empty. Inside the region, dependencies
between its own tasks are allowed.""",
    why="""\
A replayed Graph is ordered by its boundary tensors alone; the runtime has no way to hang further edges on it
and refuses them.""",
    examples=(
        Example(
            bad=program(
                ["accumulate"],
                """
@pl.function(type=pl.FunctionType.Graph)
def layer(self, x: <T>, acc: pl.InOut[<T>]) -> <T>:
    acc = self.accumulate(x, acc)
    return acc

@pl.function(type=pl.FunctionType.Orchestration)
def main(self, x: <T>, acc: pl.InOut[<T>]) -> <T>:
    acc, first = pl.submit(self.accumulate, x, acc)
    acc, done = ⟦pl.submit(self.layer, x, acc, deps=[first])⟧
    return acc
""",
            ),
            good=program(
                ["accumulate"],
                """
@pl.function(type=pl.FunctionType.Graph)
def layer(self, x: <T>, acc: pl.InOut[<T>]) -> <T>:
    acc = self.accumulate(x, acc)
    return acc

@pl.function(type=pl.FunctionType.Orchestration)
def main(self, x: <T>, acc: pl.InOut[<T>]) -> <T>:
    acc, _first = pl.submit(self.accumulate, x, acc)
    acc, done = pl.submit(self.layer, x, acc)
    return acc
""",
            ),
        ),
    ),
    fix="""\
Drops `deps=`. Safe where a tensor on the boundary carries the same order; otherwise unsafe.""",
    references=(
        "PTO416 graph-launch-predicate",
        "PTO422 graph-launch-in-manual-scope",
    ),
)
