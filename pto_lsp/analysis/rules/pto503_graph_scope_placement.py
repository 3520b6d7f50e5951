"""PTO503 graph-scope-placement: rules.md O4, O5, O11."""

from __future__ import annotations

from pto_lsp.analysis.rules.examples import jit, program
from pto_lsp.analysis.rules.rule import Example, Rule
from pto_lsp.diagnostics import Severity

RULE = Rule(
    code="PTO503",
    name="graph-scope-placement",
    severity=Severity.ERROR,
    summary="A `with pl.graph(...)` region stands where no Graph can be launched",
    what="""\
Reports a Graph region inside `pl.at` of any level, `pl.cluster` or `pl.spmd`, or in the body of a kernel. It
belongs into an orchestration or opaque function, or into an inline helper that is spliced into one; loops,
branches and scopes around it are fine.""",
    why="""\
The region becomes a Graph function and a launch of it. Inside a kernel there is nothing that could launch.""",
    examples=(
        Example(
            bad=jit(
                ["accumulate"],
                """
@pl.jit
def main(x: <T>, acc: pl.InOut[<T>]):
    with pl.at(level=pl.Level.CORE_GROUP):
        with ⟦pl.graph⟧("layer"):
            acc[:, :] = pl.add(x, acc)
    return acc
""",
            ),
            good=jit(
                ["accumulate"],
                """
@pl.jit
def main(x: <T>, acc: pl.InOut[<T>]):
    with pl.graph("layer"):
        with pl.at(level=pl.Level.CORE_GROUP):
            acc[:, :] = pl.add(x, acc)
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
    with pl.at(level=pl.Level.CORE_GROUP):
        with ⟦pl.graph⟧("layer"):
            acc[:, :] = pl.add(x, acc)
    return acc
""",
            ),
            good=program(
                ["accumulate"],
                """
@pl.function(type=pl.FunctionType.Orchestration)
def main(self, x: <T>, acc: pl.InOut[<T>]) -> <T>:
    with pl.graph("layer"):
        with pl.at(level=pl.Level.CORE_GROUP):
            acc[:, :] = pl.add(x, acc)
    return acc
""",
            ),
        ),
    ),
    references=(
        "PTO417 graph-caller-kind",
        "PTO504 nested-graph-scope",
    ),
)
