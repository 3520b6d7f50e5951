"""While the line of a ``with`` is being typed, the code in it is not judged as if it were orchestration."""

from __future__ import annotations

import pytest

from pto_lsp.analysis.ir.visitor import walk_block
from pto_lsp.diagnostics import Diagnostic
from pto_lsp.project import Change, Project
from tests.support.worlds import HEAD

WRITTEN = 'with pl.at(level=pl.Level.CORE_GROUP, name_hint="sum", deps=[]) as summed:'
TEXT = (
    HEAD
    + """
@pl.jit
def main(a: pl.Tensor[[64, 64], pl.FP32], c: pl.InOut[pl.Tensor[[64, 64], pl.FP32]]):
    with pl.manual_scope():
        for row in pl.range(4):
            ⟦with⟧
                total = pl.full([64, 64], dtype=pl.FP32, value=0.0)
                for part in pl.unroll(64):
                    total = pl.add(total, pl.slice(a, [1, 64], [part, 0]))
                for part in pl.unroll(64):
                    for other in pl.unroll(64):
                        total = pl.mul(total, a)
                c[:, :] = total
    return c
"""
)
OF_THE_LINE = {"PTO001", "PTO002", "PTO003"}


def project(line: str) -> Project:
    made = Project()
    made.open("/m.py", TEXT.replace("⟦with⟧", line))
    return made


def told(made: Project) -> list[tuple[str, str]]:
    def shown(found: Diagnostic) -> tuple[str, str]:
        return found.code, found.message

    return sorted(map(shown, made.check("/m.py")))


def statements(made: Project) -> int:
    """How long the longest function is after the loops have been written out."""
    programs = made.analysis("/m.py").programs
    return max(sum(1 for _ in walk_block(f.body or ())) for p in programs for f in p.stages.unrolled.functions.values())


@pytest.mark.parametrize("length", range(len("with"), len(WRITTEN) + 1))
@pytest.mark.parametrize("closed", ["", "):", " as summed:"])
def test_every_beginning_of_the_line(length: int, closed: str) -> None:
    whole, typing = project(WRITTEN), project(WRITTEN[:length] + closed)
    # A region is called by its hint, so what is said of it may be said in other words.
    assert {code for code, _ in told(typing)} <= {code for code, _ in told(whole)} | OF_THE_LINE
    assert statements(typing) < 100
    # And so when it is an edit.
    whole.change("/m.py", [Change(None, TEXT.replace("⟦with⟧", WRITTEN[:length] + closed))])
    assert told(whole) == told(typing)


@pytest.mark.parametrize(
    "line", ["with pl.a(level=pl.Level.CORE_GROUP):", "with scope():", "with open('f') as f, g():"]
)
def test_a_with_that_is_none_of_ours(line: str) -> None:
    made = project(line)
    assert {code for code, _ in told(made)} <= OF_THE_LINE
    assert statements(made) < 100


def test_what_stands_outside_is_still_judged() -> None:
    text = TEXT.replace("⟦with⟧", "with pl.at(level=").replace("    return c\n", "    d = pl.add(a, a)\n    return c\n")
    made = Project()
    made.open("/m.py", text)
    assert "PTO006" in {found.code for found in made.check("/m.py")}
