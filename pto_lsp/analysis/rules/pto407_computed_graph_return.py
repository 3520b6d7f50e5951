"""PTO407 computed-graph-return: rules.md D8."""

from __future__ import annotations

from pto_lsp.analysis.rules.examples import jit, program
from pto_lsp.analysis.rules.rule import Example, Rule
from pto_lsp.diagnostics import Severity

RULE = Rule(
    code="PTO407",
    name="computed-graph-return",
    severity=Severity.ERROR,
    summary="A Graph returns something other than its own parameters",
    what="""\
Reports a `return` of a Graph with a value that is not one of its parameters: a view, a buffer allocated in the
region, a computed scalar, the `Out` result of a kernel whose buffer is not a parameter, or a value chosen by a
branch. What a kernel writes back into a parameter *is* that parameter, also around loops.""",
    why="""\
The caller goes on with the buffer it passed in. A value that exists only inside the recording has no address
the caller could know, and on a replay none of the region's statements run.""",
    examples=(
        Example(
            bad=jit(
                ["accumulate", "produce"],
                """
@pl.jit.graph
def layer(x: <T>, acc: pl.InOut[<T>]):
    doubled = pl.create_tensor([64, 64], dtype=pl.FP32)
    doubled = produce(x, doubled)
    acc = accumulate(doubled, acc)
    ⟦return doubled⟧


@pl.jit
def main(x: <T>, acc: pl.InOut[<T>]):
    doubled = layer(x, acc)
    acc = accumulate(doubled, acc)
    return acc
""",
            ),
            good=jit(
                ["accumulate", "produce"],
                """
@pl.jit.graph
def layer(x: <T>, doubled: pl.InOut[<T>], acc: pl.InOut[<T>]):
    doubled = produce(x, doubled)
    acc = accumulate(doubled, acc)
    return doubled, acc


@pl.jit
def main(x: <T>, acc: pl.InOut[<T>]):
    doubled = pl.create_tensor([64, 64], dtype=pl.FP32)
    doubled, acc = layer(x, doubled, acc)
    acc = accumulate(doubled, acc)
    return acc
""",
            ),
        ),
        Example(
            bad=program(
                ["accumulate"],
                """
@pl.function(type=pl.FunctionType.Graph)
def layer(self, x: <T>, acc: pl.InOut[<T>], index: <I>) -> <I>:
    acc = self.accumulate(x, acc)
    ⟦return index + 1⟧

@pl.function(type=pl.FunctionType.Orchestration)
def main(self, x: <T>, acc: pl.InOut[<T>]) -> <T>:
    following = self.layer(x, acc, 0)
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
    acc = self.layer(x, acc)
    return acc
""",
            ),
        ),
    ),
    references=("PTO301 region-allocation",),
)
