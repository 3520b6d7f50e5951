"""PTO819 reader-declared-inout: diagnostics.md TG219."""

from __future__ import annotations

from pto_lsp.analysis.rules.graph_frames import module
from pto_lsp.analysis.rules.rule import Example, Rule
from pto_lsp.diagnostics import Severity

RULE = Rule(
    code="PTO819",
    name="reader-declared-inout",
    severity=Severity.INFORMATION,
    summary="A kernel declares a parameter `InOut` and never changes it",
    what="""\
Reports a parameter declared `pl.InOut` that the body never stores to, or stores back unchanged where it was
loaded from. Bodies that are not there, and operators whose effects are not known, are never judged.""",
    why="""\
Every task that only reads the tensor counts as a writer of it, so readers run one after another. To protect
a read from a later overwrite, the later writer has to wait for the reader.""",
    examples=(
        Example(
            bad=module(
                """
@pl.jit.incore
def look(⟦w: pl.InOut[<T>]⟧, o: pl.Out[<T>]):
    t = pl.load(w, [0, 0], [128, 128])
    o = pl.store(pl.add(t, t), [0, 0], o)
    return w, o


@pl.jit
def graph(x: pl.InOut[<T>], y: pl.Out[<T>], z: pl.Out[<T>]):
    x, y = look(x, y)
    x, z = look(x, z)
    return y, z
"""
            ),
            good=module(
                """
@pl.jit.incore
def look(w: <T>, o: pl.Out[<T>]):
    t = pl.load(w, [0, 0], [128, 128])
    o = pl.store(pl.add(t, t), [0, 0], o)
    return o


@pl.jit
def graph(x: pl.InOut[<T>], y: pl.Out[<T>], z: pl.Out[<T>]):
    y = look(x, y)
    z = look(x, z)
    return y, z
"""
            ),
        ),
    ),
    fix="""\
Takes the wrapper away. Unsafe: readers then no longer wait for each other.""",
)
