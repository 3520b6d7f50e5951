from __future__ import annotations

import textwrap

from pto_lsp.analysis.ir.expressions import Var
from pto_lsp.analysis.ir.program import Program
from pto_lsp.analysis.ir.statements import Assign
from pto_lsp.analysis.passes import convert_to_ssa, flatten_call_expr
from tests.passes.build import program
from tests.passes.dump import dump

K = """
@incore
def shift(a: T, c: InOut[T], off: Index) -> T:
    c = pl.store(pl.add(a, pl.exp(a)), [off, 0], c)
    return c

@incore
def pair(a: T, c: InOut[T], d: InOut[T]) -> (T, T):
    return c, d

"""


def flattened(text: str) -> Program:
    return flatten_call_expr.run(convert_to_ssa.run(program(K + textwrap.dedent(text))))


def check(text: str, expected: str) -> None:
    assert dump(flattened(text).functions["main"]) == textwrap.dedent(expected).strip("\n").split("\n")


def test_arguments_get_names_arithmetic_stays() -> None:
    check(
        """
        def main(a: T, c: InOut[T], n: Index) -> T:
            c = shift(pl.slice(a, [8, 8], [pl.tensor.dim(a, 0) // 2, n * 4]), c, pl.tensor.dim(a, 1) // 2 + n * 8)
            return shift(a, c, n * 128)
        """,
        """
        _t1 = pl.tensor.dim(a, 0)
        _t2 = pl.slice(a, [8, 8], [_t1 // 2, n * 4])
        _t3 = pl.tensor.dim(a, 1)
        c.1 = shift(_t2, c, _t3 // 2 + n * 8)
        _t4 = shift(a, c.1, n * 128)
        return _t4
        """,
    )


def test_conditions_and_bounds() -> None:
    check(
        """
        def main(a: T, c: InOut[T], n: Index) -> T:
            if pl.tensor.read(a, [0]) > 3:
                c = shift(a, c, n)
            for i in pl.range(pl.tensor.dim(a, 0)):
                c = shift(a, c, i)
            while pl.tensor.read(a, [0]) > 3:
                c = shift(a, c, n)
            return c
        """,
        """
        _t1 = pl.read(a, [0])
        if _t1 > 3 [c.2 <- c.1 | c]:
          c.1 = shift(a, c, n)
        _t2 = pl.tensor.dim(a, 0)
        for i in range(0, _t2, 1) [c.5 <- c.3 from c.2 to c.4]:
          c.4 = shift(a, c.3, i)
        while pl.read(a, [0]) > 3 [c.8 <- c.6 from c.5 to c.7]:
          c.7 = shift(a, c.6, n)
        return c.8
        """,
    )


def test_what_a_body_hands_on_is_bound_at_its_end() -> None:
    check(
        """
        def main(a: T, c: InOut[T], n: Index) -> T:
            for i, (u,) in pl.range(3, init_values=(pl.slice(c, [8, 8], [0, 0]),)):
                v = pl.yield_(shift(a, u, i))
            if n > 0:
                w = pl.yield_(shift(a, v, n))
            else:
                w = pl.yield_(v)
            return w
        """,
        """
        _t1 = pl.slice(c, [8, 8], [0, 0])
        for i in range(0, 3, 1) [v <- u from _t1 to _t2]:
          _t2 = shift(a, u, i)
        if n > 0 [w <- _t3 | v]:
          _t3 = shift(a, v, n)
        return w
        """,
    )


def test_regions_options_and_kernels_are_left_alone() -> None:
    text = """
        def main(a: T, c: InOut[T], n: Index) -> T:
            ids = pl.array.create(4, pl.TASK_ID)
            with pl.at(deps=[ids[0]]):
                c[:, :] = pl.add(a[:, :], pl.exp(a[:, :]))
            for b in pl.spmd(pl.tensor.dim(a, 0) // 16):
                c[b:64, :] = a[b:64, :]
            return c
        """
    before = convert_to_ssa.run(program(K + textwrap.dedent(text)))
    after = flatten_call_expr.run(before)
    assert after.functions["main"] is before.functions["main"]
    assert after.functions["shift"] is before.functions["shift"]


def test_names_do_not_clash_and_have_no_label() -> None:
    p = flattened(
        """
        def main(a: T, c: InOut[T]) -> T:
            _t1 = a
            return shift(_t1, c, pl.tensor.dim(a, 0))
        """
    )
    assert dump(p.functions["main"]) == [
        "_t1 = a",
        "_t2 = pl.tensor.dim(a, 0)",
        "_t3 = shift(_t1, c, _t2)",
        "return _t3",
    ]
    body = p.functions["main"].body
    assert body is not None and isinstance(body[1], Assign)
    assert body[1].target.label == "" and isinstance(body[1].target, Var)
    assert body[1].at.offset == body[3].at.offset
