"""PTO405 graph-out-parameter: rules.md D2."""

from __future__ import annotations

from pto_lsp.analysis.rules.examples import jit, program
from pto_lsp.analysis.rules.rule import Example, Rule
from pto_lsp.diagnostics import Severity

RULE = Rule(
    code="PTO405",
    name="graph-out-parameter",
    severity=Severity.ERROR,
    summary="A Graph has a tensor parameter with the direction Out",
    what="""\
Reports `pl.Out[...]` on a parameter of a Graph function. A tensor that a `with pl.graph(...)` region only
writes is taken for `InOut` and not reported.""",
    why="""\
`Out` means that the runtime makes the buffer and the caller receives it. The boundary of a Graph has buffers
the caller owns, so that a replay can be given others: `In` and `InOut` only.""",
    examples=(
        Example(
            bad=jit(
                ["produce"],
                """
@pl.jit.graph
def layer(x: <T>, ⟦result: pl.Out[<T>]⟧):
    result = produce(x, result)
    return result


@pl.jit
def main(x: <T>, result: pl.Out[<T>]):
    result = layer(x, result)
    return result
""",
            ),
            good=jit(
                ["produce"],
                """
@pl.jit.graph
def layer(x: <T>, result: pl.InOut[<T>]):
    result = produce(x, result)
    return result


@pl.jit
def main(x: <T>, result: pl.Out[<T>]):
    result = layer(x, result)
    return result
""",
            ),
        ),
        Example(
            bad=program(
                ["produce"],
                """
@pl.function(type=pl.FunctionType.Graph)
def layer(self, x: <T>, ⟦result: pl.Out[<T>]⟧) -> <T>:
    result = self.produce(x, result)
    return result

@pl.function(type=pl.FunctionType.Orchestration)
def main(self, x: <T>, result: pl.Out[<T>]) -> <T>:
    result = self.layer(x, result)
    return result
""",
            ),
            good=program(
                ["produce"],
                """
@pl.function(type=pl.FunctionType.Graph)
def layer(self, x: <T>, result: pl.InOut[<T>]) -> <T>:
    result = self.produce(x, result)
    return result

@pl.function(type=pl.FunctionType.Orchestration)
def main(self, x: <T>, result: pl.Out[<T>]) -> <T>:
    result = self.layer(x, result)
    return result
""",
            ),
        ),
    ),
    fix="""\
Changes the direction to `InOut` and, where a caller relies on the runtime for the buffer, allocates it there.
Safe when every call site was seen.""",
    references=("PTO423 boundary-input-written",),
)
