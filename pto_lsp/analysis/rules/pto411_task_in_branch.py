"""PTO411 task-in-branch: rules.md N4."""

from __future__ import annotations

from pto_lsp.analysis.rules.examples import jit, program
from pto_lsp.analysis.rules.rule import Example, Rule
from pto_lsp.diagnostics import Severity

RULE = Rule(
    code="PTO411",
    name="task-in-branch",
    severity=Severity.ERROR,
    summary="A Graph launches a task under a condition",
    what="""\
Reports an `if` or a `while` in a Graph region that launches tasks, or allocates in a loop, in any of its arms,
also when both arms launch the same. A condition that is known when the program is compiled is folded first and
not reported.""",
    why="""\
Which arm runs is decided when the recording is made. A replay launches the tasks of that arm, whatever the
condition says by then.""",
    examples=(
        Example(
            bad=jit(
                ["accumulate"],
                """
@pl.jit.graph
def layer(x: <T>, acc: pl.InOut[<T>], index: <I>):
    ⟦if index > 0:⟧
        acc = accumulate(x, acc)
    return acc


@pl.jit
def main(x: <T>, acc: pl.InOut[<T>]):
    for i in pl.range(8):
        acc = layer(x, acc, i)
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
    for i in pl.range(8):
        if i > 0:
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
def layer(self, x: <T>, gate: pl.Tensor[[1], pl.INT32], acc: pl.InOut[<T>]) -> <T>:
    open = pl.tensor.read(gate, [0])
    ⟦if open > 0:⟧
        acc = self.accumulate(x, acc)
    return acc

@pl.function(type=pl.FunctionType.Orchestration)
def main(self, x: <T>, gate: pl.Tensor[[1], pl.INT32], acc: pl.InOut[<T>]) -> <T>:
    acc = self.layer(x, gate, acc)
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
    references=(
        "PTO410 task-in-runtime-loop",
        "PTO421 host-read-in-region",
    ),
)
