"""PTO414 graph-call-arity: rules.md C5."""

from __future__ import annotations

from pto_lsp.analysis.rules.examples import jit, program
from pto_lsp.analysis.rules.rule import Example, Rule
from pto_lsp.diagnostics import Severity

RULE = Rule(
    code="PTO414",
    name="graph-call-arity",
    severity=Severity.ERROR,
    summary="A call of a Graph does not pass exactly its parameters",
    what="""\
Compares the arguments of every call and submit of a Graph with its parameters. Unlike a kernel, a Graph allows
no argument to be left out: it has no `Out` parameters whose buffers the runtime could provide.

The compiler counts after hoisting, so the numbers in its own message include hoisted parameters and arguments;
this rule speaks of what is written.""",
    why="""\
The boundary of a Graph is recorded slot by slot. The compiler refuses a call that does not fill it.""",
    examples=(
        Example(
            bad=jit(
                ["accumulate"],
                """
@pl.jit.graph
def layer(x: <T>, acc: pl.InOut[<T>]):
    acc = accumulate(x, acc)
    return acc


@pl.jit
def main(x: <T>, acc: pl.InOut[<T>]):
    acc = ⟦layer(x)⟧
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
def layer(self, x: <T>, acc: pl.InOut[<T>]) -> <T>:
    acc = self.accumulate(x, acc)
    return acc

@pl.function(type=pl.FunctionType.Orchestration)
def main(self, x: <T>, acc: pl.InOut[<T>]) -> <T>:
    acc, done = ⟦pl.submit(self.layer, x)⟧
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
    acc, done = pl.submit(self.layer, x, acc)
    return acc
""",
            ),
        ),
    ),
    references=("PTO005 call-arity, for kernels and helpers",),
)
