"""PTO403 too-many-boundary-tensors: rules.md D5, F7."""

from __future__ import annotations

from pto_lsp.analysis.rules.examples import jit, many_parameters
from pto_lsp.analysis.rules.rule import Example, Rule
from pto_lsp.diagnostics import Severity

RULE = Rule(
    code="PTO403",
    name="too-many-boundary-tensors",
    severity=Severity.ERROR,
    summary="A Graph has more than 128 tensors on its boundary",
    what="""\
Counts the tensor parameters of a Graph after everything that has to be hoisted was hoisted: declared
parameters, buffers allocated in the region (PTO301) and views of the boundary (PTO201). More than 128 are
refused; the related places show what was added.""",
    why="""\
The argument list of a recorded Graph has room for 128 tensors.""",
    examples=(
        Example(
            bad=jit(
                ["accumulate"],
                f"""
@pl.jit.graph
def ⟦layer⟧(
    x: <T>,
    acc: pl.InOut[<T>],
    {many_parameters("pl.Tensor", 127, 8)},
):
    acc = accumulate(x, acc)
    return acc
""",
            ),
            good=jit(
                ["accumulate"],
                """
@pl.jit.graph
def layer(x: <T>, acc: pl.InOut[<T>], rest: pl.Tensor[[8128, 64], pl.FP32]):
    for i in pl.range(127):
        part = pl.slice(rest, [64, 64], [i * 64, 0])
        acc = accumulate(part, acc)
    acc = accumulate(x, acc)
    return acc
""",
            ),
        ),
    ),
    fix="""\
Where the shapes allow it, packs buffers of one shape and type into one and slices it. Unsafe where a buffer is
also used elsewhere.""",
    references=(
        "PTO201 boundary-view",
        "PTO301 region-allocation",
        "PTO404 too-many-boundary-scalars",
    ),
)
