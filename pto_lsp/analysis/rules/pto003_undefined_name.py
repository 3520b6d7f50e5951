"""PTO003 undefined-name."""

from __future__ import annotations

from pto_lsp.analysis.rules.examples import jit, program
from pto_lsp.analysis.rules.rule import Example, Rule
from pto_lsp.diagnostics import Severity

RULE = Rule(
    code="PTO003",
    name="undefined-name",
    severity=Severity.ERROR,
    summary="A name in a DSL body is neither a DSL value nor a Python value in scope",
    what="""\
Reports a name that is read before anything defines it: it is no parameter, no loop index, no name assigned
earlier in the function, and no Python name that the function can see (module level, imports, enclosing
functions, builtins).

Nothing is reported where a name may come from somewhere that cannot be seen, such as a star import of a module
that is not at hand.""",
    why="""\
The compiler looks names up while it translates the function and stops at the first one it does not find.""",
    examples=(
        Example(
            bad=jit(
                ["accumulate"],
                """
@pl.jit
def main(x: <T>, acc: pl.InOut[<T>]):
    acc = accumulate(x, ⟦ac⟧)
    return acc
""",
            ),
            good=jit(
                ["accumulate"],
                """
@pl.jit
def main(x: <T>, acc: pl.InOut[<T>]):
    acc = accumulate(x, acc)
    return acc
""",
            ),
        ),
        Example(
            bad=program(
                ["accumulate_rows"],
                """
@pl.function(type=pl.FunctionType.Orchestration)
def main(self, x: <W>, acc: pl.InOut[<T>]) -> <T>:
    for i in pl.range(8):
        acc = self.accumulate_rows(x, ⟦layer⟧ * 64, acc)
    return acc
""",
            ),
            good=program(
                ["accumulate_rows"],
                """
@pl.function(type=pl.FunctionType.Orchestration)
def main(self, x: <W>, acc: pl.InOut[<T>]) -> <T>:
    for layer in pl.range(8):
        acc = self.accumulate_rows(x, layer * 64, acc)
    return acc
""",
            ),
        ),
    ),
)
