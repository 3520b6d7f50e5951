"""PTO410 task-in-runtime-loop: rules.md N2."""

from __future__ import annotations

from pto_lsp.analysis.rules.examples import jit, program
from pto_lsp.analysis.rules.rule import Example, Rule
from pto_lsp.diagnostics import Severity

RULE = Rule(
    code="PTO410",
    name="task-in-runtime-loop",
    severity=Severity.ERROR,
    summary="A Graph launches a task in a loop whose trip count is not constant",
    what="""\
Reports a `for` in a Graph region that launches tasks, or allocates, and whose start, stop or step is not an
integer constant. Constants of the module count as such; a scalar parameter, a value read from a tensor or an
extent that is not known does not. A loop that only computes scalars may have any bounds.""",
    why="""\
The recording has one node for each launch. How many there are is decided when it is made, so a replay would do
as many trips as the first call.""",
    examples=(
        Example(
            bad=jit(
                ["accumulate"],
                """
@pl.jit.graph
def layer(x: <T>, acc: pl.InOut[<T>], steps: <I>):
    ⟦for i in pl.range(steps):⟧
        acc = accumulate(x, acc)
    return acc


@pl.jit
def main(x: <T>, acc: pl.InOut[<T>]):
    acc = layer(x, acc, 4)
    return acc
""",
            ),
            good=jit(
                ["accumulate"],
                """
@pl.jit.graph
def layer(x: <T>, acc: pl.InOut[<T>]):
    acc = accumulate(x, acc)
    return acc


@pl.jit
def main(x: <T>, acc: pl.InOut[<T>]):
    for i in pl.range(4):
        acc = layer(x, acc)
    return acc
""",
            ),
        ),
        Example(
            bad=program(
                ["accumulate"],
                """
@pl.function(type=pl.FunctionType.Graph)
def layer(self, x: <T>, counts: pl.Tensor[[8], pl.INDEX], acc: pl.InOut[<T>]) -> <T>:
    steps = pl.tensor.read(counts, [0])
    ⟦for i in pl.range(steps):⟧
        acc = self.accumulate(x, acc)
    return acc

@pl.function(type=pl.FunctionType.Orchestration)
def main(self, x: <T>, counts: pl.Tensor[[8], pl.INDEX], acc: pl.InOut[<T>]) -> <T>:
    acc = self.layer(x, counts, acc)
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
def main(self, x: <T>, counts: pl.Tensor[[8], pl.INDEX], acc: pl.InOut[<T>]) -> <T>:
    steps = pl.tensor.read(counts, [0])
    for i in pl.range(steps):
        acc = self.layer(x, acc)
    return acc
""",
            ),
        ),
    ),
    references=("PTO411 task-in-branch",),
)
