"""PTO419 too-many-distinct-graphs: rules.md X11."""

from __future__ import annotations

from pto_lsp.analysis.rules.examples import jit
from pto_lsp.analysis.rules.rule import Example, Rule
from pto_lsp.diagnostics import Severity


def _regions(count: int) -> str:
    """That many regions of one task each, one after the other."""
    names = [f'"step{index}"' for index in range(count)]
    names[16:] = [f"⟦{name}⟧" for name in names[16:]]
    return "".join(f"    with pl.graph({name}):\n        acc = accumulate(x, acc)\n" for name in names)


RULE = Rule(
    code="PTO419",
    name="too-many-distinct-graphs",
    severity=Severity.WARNING,
    summary="A program has more than 16 different Graphs",
    what="""\
Counts the Graph functions that one program launches, `with pl.graph(...)` regions included, and reports from
the seventeenth on.""",
    why="""\
The runtime keeps sixteen recordings. The Graphs beyond them run as ordinary tasks in every call, correctly but
without the speed they were written for, and no message says so. With some builds of the runtime the run fails
instead.""",
    examples=(
        Example(
            bad=jit(
                ["accumulate"],
                f"""
@pl.jit
def main(x: <T>, acc: pl.InOut[<T>]):
{_regions(17)}    return acc
""",
            ),
            good=jit(
                ["accumulate"],
                """
@pl.jit
def main(x: <T>, acc: pl.InOut[<T>]):
    for i in pl.range(17):
        with pl.graph("step"):
            acc = accumulate(x, acc)
    return acc
""",
            ),
        ),
    ),
    references=("PTO420 graph-call-sites-disagree",),
)
