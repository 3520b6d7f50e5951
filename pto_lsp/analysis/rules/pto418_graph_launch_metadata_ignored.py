"""PTO418 graph-launch-metadata-ignored: rules.md X13."""

from __future__ import annotations

from pto_lsp.analysis.rules.examples import program
from pto_lsp.analysis.rules.rule import Example, Rule
from pto_lsp.diagnostics import Severity

RULE = Rule(
    code="PTO418",
    name="graph-launch-metadata-ignored",
    severity=Severity.WARNING,
    summary="An option on the launch of a Graph has no effect",
    what="""\
Reports options that mean something for a kernel but nothing for a Graph: `core_num=`, `sync_start=`,
`allow_early_resolve=`, `dumps=` on `pl.submit` or `pl.spmd_submit` of a Graph.""",
    why="""\
The launch of a Graph is a launch of its recording; block counts and hints belong to the tasks in it. The
compiler does not say that it drops them.""",
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
    acc, _done = pl.submit(self.layer, x, acc, ⟦allow_early_resolve=True⟧)
    return acc
""",
            ),
            good=program(
                ["accumulate"],
                """
@pl.function(type=pl.FunctionType.Graph)
def layer(self, x: <T>, acc: pl.InOut[<T>]) -> <T>:
    acc, _done = pl.submit(self.accumulate, x, acc, allow_early_resolve=True)
    return acc

@pl.function(type=pl.FunctionType.Orchestration)
def main(self, x: <T>, acc: pl.InOut[<T>]) -> <T>:
    acc = self.layer(x, acc)
    return acc
""",
            ),
        ),
    ),
    references=(
        "PTO415 graph-launch-deps",
        "PTO416 graph-launch-predicate",
    ),
)
