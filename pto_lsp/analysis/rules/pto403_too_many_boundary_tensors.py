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
Packs tensors of one constant shape and type into one buffer: allocations of the region, or parameters that are
only read and that every caller creates itself, or takes as consecutive parts of one buffer. Unsafe: the tensors
then share a buffer. A window with constant offsets would be hoisted and be a boundary tensor again, so that
nothing were gained. The offsets are therefore written as multiples of an extent of a boundary tensor, as in
`3 * pl.tensor.dim(x, 0)`: the same in every replay, and left in the region. Not offered where a caller gets the
tensors as parameters of its own, where they are written, or where no extent divides the rows of a window. In a
loop of constant trips, or inside of `with pl.at(...)`, plain windows of one buffer do as well, as the second
program shows.""",
    references=(
        "PTO201 boundary-view",
        "PTO301 region-allocation",
        "PTO404 too-many-boundary-scalars",
    ),
)
