"""PTO009 unused-suppression."""

from __future__ import annotations

from pto_lsp.analysis.rules.examples import jit, program
from pto_lsp.analysis.rules.rule import Example, Rule
from pto_lsp.diagnostics import Severity

RULE = Rule(
    code="PTO009",
    name="unused-suppression",
    severity=Severity.HINT,
    summary="A suppression comment silences nothing",
    what="""\
Reports `# pto: ignore`, `# pto: ignore[CODE]` and `# pto: ignore-file` comments, and single codes in them, for
which there is no finding to silence, as well as comments that cannot work: a bracket that is never closed,
something that is not a rule code, a file-wide comment below the first statement.

Nothing is reported in a file with lines that could not be read, and nothing for a code this version does not
know: it may belong to a newer one.""",
    why="""\
A suppression that outlives its reason hides the next finding on that line.""",
    examples=(
        Example(
            bad=jit(
                ["accumulate"],
                """
@pl.jit
def main(x: <T>, acc: pl.InOut[<T>]):
    acc = accumulate(x, acc)  ⟦# pto: ignore[PTO201] the window never moves⟧
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
@pl.function(type=pl.FunctionType.Graph)
def layer(self, x: <W>, acc: pl.InOut[<T>], index: <I>) -> <T>:
    row = index * 64  # pto: ignore[PTO101, ⟦PTO102⟧]
    acc = self.accumulate_rows(x, row, acc)
    return acc

@pl.function(type=pl.FunctionType.Orchestration)
def main(self, x: <W>, acc: pl.InOut[<T>]) -> <T>:
    for i in pl.range(8):
        acc = self.layer(x, acc, i)
    return acc
""",
            ),
            good=program(
                ["accumulate_rows"],
                """
@pl.function(type=pl.FunctionType.Graph)
def layer(self, x: <W>, acc: pl.InOut[<T>], index: <I>) -> <T>:
    row = index * 64  # pto: ignore[PTO101]
    acc = self.accumulate_rows(x, row, acc)
    return acc

@pl.function(type=pl.FunctionType.Orchestration)
def main(self, x: <W>, acc: pl.InOut[<T>]) -> <T>:
    for i in pl.range(8):
        acc = self.layer(x, acc, i)
    return acc
""",
            ),
        ),
    ),
    fix="""\
Removes the comment, or the code that has no effect. Always safe: only a comment changes.""",
)
