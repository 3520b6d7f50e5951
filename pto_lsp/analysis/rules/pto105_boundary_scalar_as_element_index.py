"""PTO105 boundary-scalar-as-element-index: rules.md X6."""

from __future__ import annotations

from pto_lsp.analysis.rules.examples import jit, program
from pto_lsp.analysis.rules.rule import Example, Rule
from pto_lsp.diagnostics import Severity

RULE = Rule(
    code="PTO105",
    name="boundary-scalar-as-element-index",
    severity=Severity.WARNING,
    summary="A scalar of the boundary selects an element, and the selection is frozen",
    what="""\
Reports a scalar parameter of a Graph, or a name derived from one, in the element index of `pl.tensor.read`,
`pl.tensor.write` or of a predicate (`predicate=(gate[index] > 0)`) inside the region.

The compiler accepts this: it checks the scalar arguments of tasks, not the elements of an index list.""",
    why="""\
The recording keeps the position of the element, not the scalar it was computed from. With `index` 0 in the
first call, every replay tests `gate[0]`, whatever `index` is by then.""",
    examples=(
        Example(
            bad=jit(
                ["accumulate"],
                """
@pl.jit.graph
def expert(x: <T>, gate: pl.Tensor[[8], pl.INT32], acc: pl.InOut[<T>], index: <I>):
    with pl.spmd(1, predicate=(gate[⟦index⟧] > 0)):
        acc = accumulate(x, acc)
    return acc


@pl.jit
def main(x: <T>, gate: pl.Tensor[[8], pl.INT32], acc: pl.InOut[<T>]):
    for i in pl.range(8):
        acc = expert(x, gate, acc, i)
    return acc
""",
            ),
            good=jit(
                ["accumulate"],
                """
@pl.jit.graph
def expert(x: <T>, gate: pl.Tensor[[1], pl.INT32], acc: pl.InOut[<T>]):
    with pl.spmd(1, predicate=(gate[0] > 0)):
        acc = accumulate(x, acc)
    return acc


@pl.jit
def main(x: <T>, gate: pl.Tensor[[8], pl.INT32], acc: pl.InOut[<T>]):
    for i in pl.range(8):
        own = pl.slice(gate, [1], [i])
        acc = expert(x, own, acc)
    return acc
""",
            ),
        ),
        Example(
            bad=program(
                ["accumulate"],
                """
@pl.function(type=pl.FunctionType.Graph)
def expert(self, x: <T>, gate: pl.Tensor[[8], pl.INT32], acc: pl.InOut[<T>], index: <I>) -> <T>:
    acc, _done = pl.submit(self.accumulate, x, acc, predicate=(gate[⟦index⟧] > 0))
    return acc

@pl.function(type=pl.FunctionType.Orchestration)
def main(self, x: <T>, gate: pl.Tensor[[8], pl.INT32], acc: pl.InOut[<T>]) -> <T>:
    for i in pl.range(8):
        acc = self.expert(x, gate, acc, i)
    return acc
""",
            ),
            good=program(
                ["accumulate"],
                """
@pl.function(type=pl.FunctionType.Graph)
def expert(self, x: <T>, gate: pl.Tensor[[1], pl.INT32], acc: pl.InOut[<T>]) -> <T>:
    acc, _done = pl.submit(self.accumulate, x, acc, predicate=(gate[0] > 0))
    return acc

@pl.function(type=pl.FunctionType.Orchestration)
def main(self, x: <T>, gate: pl.Tensor[[8], pl.INT32], acc: pl.InOut[<T>]) -> <T>:
    for i in pl.range(8):
        own = pl.slice(gate, [1], [i])
        acc = self.expert(x, own, acc)
    return acc
""",
            ),
        ),
    ),
    references=(
        "PTO103 call-varying-scalar",
        "PTO201 boundary-view: a view of the boundary, by contrast, is hoisted",
    ),
)
