"""PTO724 analysis-mode-drops-loop-order: diagnostics.md TG124."""

from __future__ import annotations

from pto_lsp.analysis.rules.graph_frames import module
from pto_lsp.analysis.rules.rule import Example, Rule
from pto_lsp.diagnostics import Severity

IMPORTS = "import pypto.language as pl\nimport torch\nfrom pypto.runtime import RunConfig"

RULE = Rule(
    code="PTO724",
    name="analysis-mode-drops-loop-order",
    severity=Severity.WARNING,
    summary="An option of the compiler drops the order between iterations",
    what="""\
Reports a sequential loop with one launch whose iterations depend on each other through a tensor, in a
function that the file calls with `analyze_auto_scopes_for_deps=True`.""",
    why="""\
With that option the compiler derives waits itself, one iteration at a time. Finding none within an
iteration it turns the scope into a manual one, and the chain between iterations, which the default mode
keeps, is lost.""",
    examples=(
        Example(
            bad=module(
                """
@pl.jit.incore
def bump(a: <T>, o: pl.InOut[<T>]):
    t = pl.load(a, [0, 0], [128, 128])
    u = pl.load(o, [0, 0], [128, 128])
    o = pl.store(pl.add(t, u), [0, 0], o)
    return o


@pl.jit
def graph(x: <T>, y: pl.InOut[<T>]):
    for i in pl.range(4):
        ⟦y = bump(x, y)⟧
    return y


if __name__ == "__main__":
    graph(torch.ones(128, 128), torch.zeros(128, 128), config=RunConfig(analyze_auto_scopes_for_deps=True))
""",
                imports=IMPORTS,
            ),
            good=module(
                """
@pl.jit.incore
def bump(a: <T>, o: pl.InOut[<T>]):
    t = pl.load(a, [0, 0], [128, 128])
    u = pl.load(o, [0, 0], [128, 128])
    o = pl.store(pl.add(t, u), [0, 0], o)
    return o


@pl.jit
def graph(x: <T>, y: pl.InOut[<T>]):
    for i in pl.range(4):
        y = bump(x, y)
    return y


if __name__ == "__main__":
    graph(torch.ones(128, 128), torch.zeros(128, 128), config=RunConfig())
""",
                imports=IMPORTS,
            ),
        ),
    ),
    fix="""\
Removes the option from the calls of the function in this file. Unsafe: it concerns the whole function.""",
)
