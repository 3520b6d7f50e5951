from __future__ import annotations

import textwrap

from pto_lsp.analysis.ir.expressions import Const
from pto_lsp.analysis.ir.program import Function
from pto_lsp.analysis.ir.statements import Assign
from pto_lsp.analysis.passes import unroll_loops
from tests.passes.build import program
from tests.passes.dump import dump

K = """
@incore
def shift(a: T, c: InOut[T], off: Index) -> T:
    for j in pl.unroll(2):
        c = pl.store(a, [off, j], c)
    return c

"""


def unrolled(text: str) -> Function:
    return unroll_loops.run(program(K + textwrap.dedent(text))).functions["main"]


def test_copies_with_literal_index() -> None:
    function = unrolled(
        """
        def main(a: T, c: InOut[T]) -> T:
            for i in pl.unroll(1, 6, 2):
                c = shift(a, c, i)
            return c
        """
    )
    assert dump(function) == ["c = shift(a, c, 1)", "c = shift(a, c, 3)", "c = shift(a, c, 5)", "return c"]
    assert function.body is not None and isinstance(function.body[1], Assign)
    index = function.body[1].value.args[2]  # type: ignore[union-attr]
    assert isinstance(index, Const) and index.written == "i"


def test_inner_bounds_may_depend_on_the_outer_index() -> None:
    function = unrolled(
        """
        def main(a: T, c: InOut[T]) -> T:
            for i in pl.unroll(3):
                for j in pl.unroll(i + 0):
                    c = shift(a, c, i * 10 + j)
            return c
        """
    )
    assert [line for line in dump(function) if "shift" in line] == [
        "c = shift(a, c, 1 * 10 + 0)",
        "c = shift(a, c, 2 * 10 + 0)",
        "c = shift(a, c, 2 * 10 + 1)",
    ]


def test_what_stays() -> None:
    text = """
        def main(a: T, c: InOut[T], n: Index) -> T:
            for i in pl.unroll(n):
                c = shift(a, c, i)
            for i in pl.unroll(0, 4, 0):
                c = shift(a, c, i)
            for i in pl.unroll(1000000):
                c = shift(a, c, i)
            with pl.at():
                for i in pl.unroll(4):
                    c[i:64, :] = a
            return c
        """
    p = program(K + textwrap.dedent(text))
    after = unroll_loops.run(p)
    assert after.functions["main"] is p.functions["main"]
    assert after.functions["shift"] is p.functions["shift"]


def test_no_trip() -> None:
    function = unrolled(
        """
        def main(a: T, c: InOut[T]) -> T:
            for i in pl.unroll(3, 3):
                c = shift(a, c, i)
            return c
        """
    )
    assert dump(function) == ["return c"]
