"""PTO002 unsupported-construct."""

from __future__ import annotations

from pto_lsp.analysis.rules.examples import jit, program
from pto_lsp.analysis.rules.rule import Example, Rule
from pto_lsp.diagnostics import Severity

RULE = Rule(
    code="PTO002",
    name="unsupported-construct",
    severity=Severity.ERROR,
    summary="The PyPTO parser refuses this construct inside a DSL function",
    what="""\
Reports Python that is legal elsewhere but that the parser of the DSL does not accept in the body of a decorated
function: augmented assignment (`x += 1`), conditional expressions, chained assignment and chained comparison, a
bare `range()`, Python builtins such as `min`, `len` or `int`, an integer used as a condition, `lambda`,
comprehensions outside of `deps=`, `try`, `assert`, nested functions and the like.

Host code outside of DSL functions is ordinary Python and is left alone.""",
    why="""\
The body of a DSL function is not executed: its source is translated. What the translator has no meaning for
stops the whole program at compile time, one error at a time.""",
    examples=(
        Example(
            bad=jit(
                ["accumulate_rows"],
                """
@pl.jit
def main(x: <W>, acc: pl.InOut[<T>]):
    row = 0
    acc = accumulate_rows(x, row, acc)
    ⟦row += 64⟧
    acc = accumulate_rows(x, row, acc)
    return acc
""",
            ),
            good=jit(
                ["accumulate_rows"],
                """
@pl.jit
def main(x: <W>, acc: pl.InOut[<T>]):
    row = 0
    acc = accumulate_rows(x, row, acc)
    row = row + 64
    acc = accumulate_rows(x, row, acc)
    return acc
""",
            ),
        ),
        Example(
            bad=program(
                ["accumulate_rows"],
                """
@pl.function(type=pl.FunctionType.Orchestration)
def main(self, x: <W>, acc: pl.InOut[<T>], index: <I>) -> <T>:
    row = ⟦index * 64 if index < 8 else 0⟧
    acc = self.accumulate_rows(x, row, acc)
    return acc
""",
            ),
            good=program(
                ["accumulate_rows"],
                """
@pl.function(type=pl.FunctionType.Orchestration)
def main(self, x: <W>, acc: pl.InOut[<T>], index: <I>) -> <T>:
    row = pl.min(index, 7) * 64
    acc = self.accumulate_rows(x, row, acc)
    return acc
""",
            ),
        ),
    ),
)
