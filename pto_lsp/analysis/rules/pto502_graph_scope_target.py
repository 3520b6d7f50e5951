"""PTO502 graph-scope-target: rules.md O3."""

from __future__ import annotations

from pto_lsp.analysis.rules.examples import jit, program
from pto_lsp.analysis.rules.rule import Example, Rule
from pto_lsp.diagnostics import Severity

RULE = Rule(
    code="PTO502",
    name="graph-scope-target",
    severity=Severity.ERROR,
    summary="A `with pl.graph(...)` region has an `as` target",
    what="""\
Reports `with pl.graph("name") as task:`. Other regions give a task id that way; a Graph region does not.""",
    why="""\
A Graph launch has no task id that later tasks could wait for: order follows from the tensors on its boundary.""",
    examples=(
        Example(
            bad=jit(
                ["accumulate"],
                """
@pl.jit
def main(x: <T>, acc: pl.InOut[<T>]):
    with pl.graph("layer") as ⟦task⟧:
        acc = accumulate(x, acc)
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
    with pl.graph("layer") as ⟦task⟧:
        acc = self.accumulate(x, acc)
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
    return acc
""",
            ),
        ),
    ),
    fix="""\
Removes `as` and the name. Safe where the name is not used.""",
    references=("PTO415 graph-launch-deps",),
)
