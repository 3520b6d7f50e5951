"""PTO421 host-read-in-region: rules.md X15."""

from __future__ import annotations

from pto_lsp.analysis.rules.examples import jit, program
from pto_lsp.analysis.rules.rule import Example, Rule
from pto_lsp.diagnostics import Severity

RULE = Rule(
    code="PTO421",
    name="host-read-in-region",
    severity=Severity.WARNING,
    summary="A Graph region reads or writes device memory from the host",
    what="""\
Reports `pl.tensor.read`, `pl.tensor.write` and element subscripts of a tensor in a Graph region outside of
kernels, where the value does not reach a task (that is PTO103). A predicate is not a host read: it is evaluated
on the device, on every replay.""",
    why="""\
The region runs on the host while the recording is made, ahead of the device. The value read is whatever is in
memory at that moment, once; a replay does not run the statement again.""",
    examples=(
        Example(
            bad=jit(
                ["accumulate"],
                """
@pl.jit.graph
def layer(x: <T>, table: pl.Tensor[[8], pl.INDEX], acc: pl.InOut[<T>]):
    steps = ⟦pl.tensor.read(table, [0])⟧
    for i in pl.range(steps):
        last = i
    acc = accumulate(x, acc)
    return acc


@pl.jit
def main(x: <T>, table: pl.Tensor[[8], pl.INDEX], acc: pl.InOut[<T>]):
    acc = layer(x, table, acc)
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
def main(x: <T>, table: pl.Tensor[[8], pl.INDEX], acc: pl.InOut[<T>]):
    steps = pl.tensor.read(table, [0])
    for i in pl.range(steps):
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
def layer(self, x: <T>, count: pl.InOut[pl.Tensor[[1], pl.INT32]], acc: pl.InOut[<T>]) -> <T>:
    ⟦pl.tensor.write(count, [0], 1)⟧
    acc = self.accumulate(x, acc)
    return acc

@pl.function(type=pl.FunctionType.Orchestration)
def main(self, x: <T>, count: pl.InOut[pl.Tensor[[1], pl.INT32]], acc: pl.InOut[<T>]) -> <T>:
    acc = self.layer(x, count, acc)
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
def main(self, x: <T>, count: pl.InOut[pl.Tensor[[1], pl.INT32]], acc: pl.InOut[<T>]) -> <T>:
    pl.tensor.write(count, [0], 1)
    acc = self.layer(x, acc)
    return acc
""",
            ),
        ),
    ),
    references=(
        "PTO103 call-varying-scalar",
        "PTO411 task-in-branch",
    ),
)
