from __future__ import annotations

import textwrap
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pto_lsp.analysis.ir.expressions import PLAIN, Const, ListExpr, Op, Var
from pto_lsp.analysis.ir.place import Anchor, LineStart
from pto_lsp.analysis.ir.program import Direction, Function, FunctionKind, Param
from pto_lsp.analysis.ir.statements import Assign, Region, RegionKind
from pto_lsp.analysis.ir.types import INDEX, TensorType
from pto_lsp.analysis.passes import convert_to_ssa, simplify
from tests.passes.build import SOURCE, T, program
from tests.passes.dump import dump
from tests.passes.interpret import Unbound, run
from tests.passes.programs import KERNELS, bodies
from tests.support.effort import examples

BARE = TensorType(None, "")

K = """
@incore
def bump(a: T, c: InOut[T]) -> T:
    return c

@incore
def shift(a: T, c: InOut[T], off: Index) -> T:
    return c

"""


def simplified(text: str) -> Function:
    return simplify.run(convert_to_ssa.run(program(K + textwrap.dedent(text)))).functions["main"]


def check(text: str, expected: str) -> None:
    assert dump(simplified(text)) == textwrap.dedent(expected).strip("\n").split("\n")


def test_literal_at_top_level_takes_the_place_of_its_name() -> None:
    function = simplified(
        """
        def main(a: T, c: InOut[T]) -> T:
            t = 128
            c = shift(a, c, t)
            return c
        """
    )
    assert dump(function) == ["c.1 = shift(a, c, 128)", "return c.1"]
    assert function.body is not None and isinstance(function.body[0], Assign)
    literal = function.body[0].value.args[2]  # type: ignore[union-attr]
    assert isinstance(literal, Const) and literal.written == "t"


def test_literal_in_a_loop_keeps_its_name() -> None:
    check(
        """
        def main(a: T, c: InOut[T]) -> T:
            for i in pl.range(4):
                t = 32
                off = i * t
                c = shift(a, c, off)
            return c
        """,
        """
        for i in range(0, 4, 1) [c.3 <- c.1 from c to c.2]:
          t = 32
          off = i * t
          c.2 = shift(a, c.1, off)
        return c.3
        """,
    )


def test_literal_in_a_region_at_top_level_is_a_literal() -> None:
    check(
        """
        def main(a: T, c: InOut[T]) -> T:
            with pl.at():
                t = 32
                x = pl.load(a, [t, 0], [64, 64])
                c[0:32, :] = x
            return c
        """,
        """
        at():
          x = pl.load(a, [32, 0], [64, 64])
          c.1 = tensor.assemble(c, x, [0, 0])
        return c.1
        """,
    )


def test_decided_branches() -> None:
    check(
        """
        def main(a: T, c: InOut[T], n: Index) -> T:
            flag = 3
            if flag == 3:
                c = bump(a, c)
            else:
                c = bump(c, c)
            for i in pl.range(8):
                if i < 8:
                    c = bump(a, c)
                if n < 0:
                    c = bump(c, c)
            return c
        """,
        """
        c.1 = bump(a, c)
        for i in range(0, 8, 1) [c.9 <- c.4 from c.1 to c.5]:
          c.5 = bump(a, c.4)
        return c.9
        """,
    )


def test_range_of_a_scalar_decides_a_guard() -> None:
    check(
        """
        def main(a: T, c: InOut[T], n: Index) -> T:
            for i in pl.range(0, 68, 2):
                off = i * 256 + 256
                if off == 0:
                    c = bump(c, c)
                c = shift(a, c, off)
            return c
        """,
        """
        for i in range(0, 68, 2) [c.5 <- c.1 from c to c.4]:
          off = i * 256 + 256
          c.4 = shift(a, c.1, off)
        return c.5
        """,
    )


def test_conditions_hold_inside_their_arms() -> None:
    check(
        """
        def main(a: T, c: InOut[T], n: Index) -> T:
            if n > 4:
                if n > 3:
                    c = bump(a, c)
            return c
        """,
        """
        if n > 4 [c.3 <- c.1 | c]:
          c.1 = bump(a, c)
        return c.3
        """,
    )


@pytest.mark.parametrize(
    ("bounds", "trips"),
    [("0", 0), ("5, 5", 0), ("7, 3", 0), ("1", 1), ("3, 4", 1), ("0, 8, 8", 1), ("n, n + 1", 1), ("n, n", 0)],
)
def test_loops_that_run_at_most_once(bounds: str, trips: int) -> None:
    lines = dump(
        simplified(
            f"""
            def main(a: T, c: InOut[T], n: Index) -> T:
                for i in pl.range({bounds}):
                    c = shift(a, c, i)
                return c
            """
        )
    )
    assert not any(line.startswith("for") for line in lines)
    assert len(lines) == trips + 1
    assert lines[-1] == ("return c.2" if trips else "return c")


@pytest.mark.parametrize(
    "loop", ["pl.range(2)", "pl.parallel(1)", "pl.pipeline(1)", "pl.range(1, 0, -1)", "pl.range(n)"]
)
def test_loops_that_stay(loop: str) -> None:
    lines = dump(
        simplified(
            f"""
            def main(a: T, c: InOut[T], n: Index) -> T:
                for i in {loop}:
                    c = shift(a, c, i)
                return c
            """
        )
    )
    assert lines[0].startswith("for")


def test_single_trip_with_a_break_stays() -> None:
    lines = dump(
        simplified(
            """
            def main(a: T, c: InOut[T], n: Index) -> T:
                for i in pl.range(1):
                    if n > 3:
                        break
                    c = bump(a, c)
                return c
            """
        )
    )
    assert lines[0].startswith("for")


def test_dead_scalars_go_transitively_views_and_reads_stay() -> None:
    check(
        """
        def main(a: T, c: InOut[T], p: Index, t: TaskId) -> T:
            s = p * 2
            m = pl.min(s, 64)
            r = p
            u = pl.cast(m, pl.INT32)
            d = pl.tensor.dim(a, 0)
            e = pl.tensor.read(a, [0])
            v = pl.slice(a, [8, 8], [s, 0])
            for i in pl.range(4):
                q = i * 4
                c = bump(a, c)
            return c
        """,
        """
        s = p * 2
        d = pl.tensor.dim(a, 0)
        e = pl.read(a, [0])
        v = pl.slice(a, [8, 8], [s, 0])
        for i in range(0, 4, 1) [c.3 <- c.1 from c to c.2]:
          c.2 = bump(a, c.1)
        return c.3
        """,
    )


def test_names_in_kept_keywords_are_uses() -> None:
    lines = dump(
        simplified(
            """
            def main(a: T, c: InOut[T], p: Index) -> T:
                n = p * 2
                for b in pl.spmd(n):
                    c[b:64, :] = a
                return c
            """
        )
    )
    assert lines[0] == "n = p * 2"


def test_extents_of_types_are_simplified() -> None:
    function = simplified(
        """
        def main(w: T, i: Index) -> T:
            n = 64
            v = w[i * n : (i + 1) * n, :]
            u = v
            return u
        """
    )
    assert dump(function) == ["v = w[i * 64 : i * 64 + 64, :]", "u = v", "return u"]
    assert function.body is not None
    view, rename = function.body[0], function.body[1]
    assert isinstance(view, Assign) and isinstance(view.value, Op) and isinstance(rename, Assign)
    for type_ in (view.value.type, view.target.type, rename.value.type):  # type: ignore[union-attr]
        assert isinstance(type_, TensorType) and type_.shape is not None
        assert [e.value for e in type_.shape if isinstance(e, Const)] == [64, 64]


def test_nothing_to_do_is_the_same_object() -> None:
    p = convert_to_ssa.run(
        program(
            K
            + textwrap.dedent(
                """
                def main(a: T, c: InOut[T], p: Index) -> T:
                    s = p * 2
                    if p > 3:
                        c = shift(a, c, s)
                    for i in pl.range(4):
                        c = bump(a, c)
                    return c
                """
            )
        )
    )
    assert simplify.run(p).functions["main"] is p.functions["main"]


def test_open_extents_are_constants_once_they_are_known() -> None:
    dims = [Op("tensor.dim", (Var(n, n, t), Const(1)), (), INDEX, sugar=True) for n, t in (("a", T), ("b", BARE))]
    values = [Op("tensor.slice", (d.args[0], ListExpr((Const(8), d)), ListExpr((Const(0), Const(0))))) for d in dims]
    at = Anchor(SOURCE, LineStart(0))
    views = tuple([Assign(Var(f"v{i}", f"v{i}", BARE), value, at) for i, value in enumerate(values)])
    region = Region(
        RegionKind.AT, PLAIN, tuple([replace(v, target=replace(v.target, name="w")) for v in views[1:]]), at
    )
    params = (Param("a", T, Direction.IN, at), Param("b", BARE, Direction.IN, at))
    main = Function("main", "main", FunctionKind.ORCHESTRATION, params, (), (*views, region), at)
    assert dump(simplify.simplify(main)) == [
        "v0 = pl.slice(a, [8, 64], [0, 0])",
        "v1 = pl.slice(b, [8, ...], [0, 0])",
        "at():",
        "  w = pl.slice(b, [8, b.shape[1]], [0, 0])",
    ]


def test_computed_index_may_be_negative() -> None:
    lines = dump(
        simplified(
            """
            def main(a: T, c: InOut[T], n: Index) -> T:
                for i in pl.range(4):
                    before = i - 1
                    if before >= 0:
                        c = shift(a, c, before)
                return c
            """
        )
    )
    assert lines[2] == "  if before >= 0 [c.3 <- c.2 | c.1]:"


def test_index_with_one_value_is_that_value() -> None:
    check(
        """
        def main(a: T, c: InOut[T], n: Index) -> T:
            for i in pl.parallel(1):
                c = shift(a, c, n + i)
            return c
        """,
        """
        for i in parallel(0, 1, 1) [c.3 <- c.1 from c to c.2]:
          c.2 = shift(a, c.1, n)
        return c.3
        """,
    )


@settings(max_examples=examples(150), deadline=None)
@given(bodies(), st.integers(0, 3), st.integers(-1, 4))
def test_simplification_keeps_what_a_program_does(text: str, n: int, a: int) -> None:
    before = convert_to_ssa.run(program(KERNELS + text))
    after = simplify.run(before)
    arguments: dict[str, object] = {"n": n, "a": a, "b": 7}
    try:
        expected = run(before, "main", arguments)
    except Unbound:
        return
    assert run(after, "main", arguments) == expected


@settings(max_examples=examples(60), deadline=None)
@given(bodies())
def test_simplification_is_done_at_once(text: str) -> None:
    once = simplify.run(convert_to_ssa.run(program(KERNELS + text)))
    twice = simplify.run(once)
    assert dump(twice.functions["main"]) == dump(once.functions["main"])
