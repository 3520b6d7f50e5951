"""PTO006 misplaced-tensor-op."""

from __future__ import annotations

from pto_lsp.analysis.rules.examples import jit, program
from pto_lsp.analysis.rules.rule import Example, Rule
from pto_lsp.diagnostics import Severity

RULE = Rule(
    code="PTO006",
    name="misplaced-tensor-op",
    severity=Severity.ERROR,
    summary="A compute operation stands at orchestration level, outside of every kernel region",
    what="""\
Reports an operation on tensor *contents* (`pl.add`, `pl.matmul`, `pl.exp`, `pl.load`, `pl.full` …) in the body
of an orchestration function that is not inside `pl.at(level=pl.Level.CORE_GROUP)`, `pl.spmd` or `pl.cluster`.

Allowed at that level are operations on *descriptors* and scalars: `pl.create_tensor`, `pl.slice`, `pl.reshape`,
`pl.transpose`, `pl.tensor.dim`, `pl.tensor.read`, scalar arithmetic. In a Graph region `pl.full` is PTO303.""",
    why="""\
An orchestration function only submits tasks; it has no core to compute on. The early stages of the compiler let
such an operation pass, and code generation then stops at it.""",
    examples=(
        Example(
            bad=jit(
                [],
                """
@pl.jit
def main(x: <T>, acc: pl.InOut[<T>]):
    total = ⟦pl.add(x, acc)⟧
    with pl.at(level=pl.Level.CORE_GROUP):
        acc[:, :] = pl.mul(total, total)
    return acc
""",
            ),
            good=jit(
                [],
                """
@pl.jit
def main(x: <T>, acc: pl.InOut[<T>]):
    with pl.at(level=pl.Level.CORE_GROUP):
        total = pl.add(x, acc)
        acc[:, :] = pl.mul(total, total)
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
    doubled = ⟦pl.add(x, x)⟧
    acc = self.accumulate(doubled, acc)
    return acc
""",
            ),
            good=program(
                ["accumulate"],
                """
@pl.function(type=pl.FunctionType.InCore)
def double(self, x: <T>, out: pl.Out[<T>]) -> <T>:
    tile = pl.load(x, [0, 0], [64, 64])
    out = pl.store(pl.add(tile, tile), [0, 0], out)
    return out

@pl.function(type=pl.FunctionType.Orchestration)
def main(self, x: <T>, acc: pl.InOut[<T>]) -> <T>:
    doubled = pl.create_tensor([64, 64], dtype=pl.FP32)
    doubled = self.double(x, doubled)
    acc = self.accumulate(doubled, acc)
    return acc
""",
            ),
        ),
    ),
    references=("PTO303 tensor-full-in-region",),
)
