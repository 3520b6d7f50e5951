"""PTO404 too-many-boundary-scalars: rules.md D6."""

from __future__ import annotations

from pto_lsp.analysis.rules.examples import jit, many_parameters
from pto_lsp.analysis.rules.rule import Example, Rule
from pto_lsp.diagnostics import Severity

RULE = Rule(
    code="PTO404",
    name="too-many-boundary-scalars",
    severity=Severity.ERROR,
    summary="A Graph has more than 64 scalars on its boundary",
    what="""\
Counts the scalar parameters of a Graph after everything that has to be hoisted was hoisted: declared parameters
and derived scalars (PTO101). More than 64 are refused; the related places show what was added.""",
    why="""\
The argument list of a recorded Graph has room for 64 scalars. Arithmetic inside `pl.at`, `pl.spmd` or a kernel
costs no slot: it is done on the core.""",
    examples=(
        Example(
            bad=jit(
                ["accumulate"],
                f"""
@pl.jit.graph
def ⟦layer⟧(
    x: <T>,
    acc: pl.InOut[<T>],
    {many_parameters("<I>", 65, 3)},
):
    acc = accumulate(x, acc)
    return acc
""",
            ),
            good=jit(
                ["accumulate"],
                """
@pl.jit.graph
def layer(x: <T>, acc: pl.InOut[<T>], table: pl.Tensor[[65], pl.INDEX]):
    acc = accumulate(x, acc)
    return acc
""",
            ),
        ),
    ),
    references=(
        "PTO101 derived-boundary-scalar",
        "PTO106 unused-boundary-scalar",
    ),
)
