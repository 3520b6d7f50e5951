"""PTO416 graph-launch-predicate: rules.md C7."""

from __future__ import annotations

from pto_lsp.analysis.rules.examples import program
from pto_lsp.analysis.rules.rule import Example, Rule
from pto_lsp.diagnostics import Severity

RULE = Rule(
    code="PTO416",
    name="graph-launch-predicate",
    severity=Severity.ERROR,
    summary="A Graph is submitted with a predicate",
    what="""\
Reports `predicate=` on the launch of a Graph. Tasks *inside* the region may have predicates; they are evaluated
anew on every replay.""",
    why="""\
The runtime either replays a recording or does not see the call at all; it cannot skip one on the device.""",
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
def main(self, x: <T>, gate: pl.Tensor[[1], pl.INT32], acc: pl.InOut[<T>]) -> <T>:
    acc, _done = ⟦pl.submit(self.layer, x, acc, predicate=(gate[0] > 0))⟧
    return acc
""",
            ),
            good=program(
                ["accumulate"],
                """
@pl.function(type=pl.FunctionType.Graph)
def layer(self, x: <T>, gate: pl.Tensor[[1], pl.INT32], acc: pl.InOut[<T>]) -> <T>:
    acc, _done = pl.submit(self.accumulate, x, acc, predicate=(gate[0] > 0))
    return acc

@pl.function(type=pl.FunctionType.Orchestration)
def main(self, x: <T>, gate: pl.Tensor[[1], pl.INT32], acc: pl.InOut[<T>]) -> <T>:
    acc = self.layer(x, gate, acc)
    return acc
""",
            ),
        ),
    ),
    references=("PTO415 graph-launch-deps",),
)
