from __future__ import annotations

import textwrap

from hypothesis import given, settings
from hypothesis import strategies as st

from pto_lsp.analysis.ir.expressions import Unknown, Var
from pto_lsp.analysis.ir.program import Function
from pto_lsp.analysis.ir.statements import Block, For, If, Region
from pto_lsp.analysis.ir.types import TensorType
from pto_lsp.analysis.ir.visitor import blocks, bound_variables, statement_exprs, variables, walk_block
from pto_lsp.analysis.passes import convert_to_ssa
from tests.passes.build import program
from tests.passes.dump import dump
from tests.passes.interpret import Unbound, run
from tests.passes.programs import KERNELS, bodies
from tests.support.effort import examples

BUMP = """
@incore
def bump(a: T, c: InOut[T]) -> T:
    return c

"""


def ssa(text: str) -> Function:
    return convert_to_ssa.run(program(BUMP + textwrap.dedent(text))).functions["main"]


def lines(text: str) -> list[str]:
    return textwrap.dedent(text).strip("\n").split("\n")


def check(text: str, expected: str) -> None:
    assert dump(ssa(text)) == lines(expected)


def test_rebinding_in_a_row() -> None:
    check(
        """
        def main(a: T, c: InOut[T], p: Index) -> T:
            off = p
            off = off + 8
            c = bump(a, c)
            return c
        """,
        """
        off = p
        off.1 = off + 8
        c.1 = bump(a, c)
        return c.1
        """,
    )


def test_loop_carries_what_is_read_again() -> None:
    check(
        """
        def main(a: T, c: InOut[T], p: Index) -> T:
            off = p
            for i in pl.range(4):
                t = off * 2
                c = bump(a, c)
                off = off + 32
            return c
        """,
        """
        off = p
        for i in range(0, 4, 1) [c.3 <- c.1 from c to c.2; off.3 <- off.1 from off to off.2]:
          t = off.1 * 2
          c.2 = bump(a, c.1)
          off.2 = off.1 + 32
        return c.3
        """,
    )


def test_loop_does_not_carry_what_nobody_reads() -> None:
    check(
        """
        def main(a: T, c: InOut[T], p: Index) -> T:
            t = 1
            for i in pl.range(4):
                t = i * 2
                bump(a, c)
            return c
        """,
        """
        t = 1
        for i in range(0, 4, 1):
          t.1 = i * 2
          bump(a, c)
        return c
        """,
    )


def test_name_first_bound_in_a_loop_escapes() -> None:
    function = ssa(
        """
        def main(a: T, c: InOut[T], p: Index) -> T:
            for i in pl.range(4):
                last = i * 2
            return last
        """
    )
    assert dump(function) == lines(
        """
        for i in range(0, 4, 1) [last.2 <- last from ... to last.1]:
          last.1 = i * 2
        return last.2
        """
    )
    assert function.body is not None
    loop = function.body[0]
    assert isinstance(loop, For) and isinstance(loop.carries[0].init, Unknown)


def test_branches_join() -> None:
    check(
        """
        def main(a: T, c: InOut[T], p: Index) -> T:
            x = 1
            if p > 0:
                x = p * 2
                y = 1
            else:
                y = p
            return x + y
        """,
        """
        x = 1
        if p > 0 [x.2 <- x.1 | x; y.2 <- y | y.1]:
          x.1 = p * 2
          y = 1
        else:
          y.1 = p
        return x.2 + y.2
        """,
    )


def test_branch_without_later_use_joins_nothing() -> None:
    check(
        """
        def main(a: T, c: InOut[T], p: Index) -> T:
            x = 1
            if p > 0:
                x = p * 2
            x = 3
            return x
        """,
        """
        x = 1
        if p > 0:
          x.1 = p * 2
        x.2 = 3
        return x.2
        """,
    )


def test_explicit_carries_and_yields() -> None:
    check(
        """
        def main(a: T, c: InOut[T], p: Index) -> T:
            for i, (u, v) in pl.range(3, init_values=(c, p)):
                w = bump(a, u)
                r, s = pl.yield_(w, v + 1)
            if s > 3:
                t = pl.yield_(s)
            else:
                t = pl.yield_(p)
            return r, t
        """,
        """
        for i in range(0, 3, 1) [r <- u from c to w; s <- v from p to v + 1]:
          w = bump(a, u)
        if s > 3 [t <- s | p]:
          pass
        return r, t
        """,
    )


def test_explicit_carries_read_names_of_the_body() -> None:
    check(
        """
        def main(a: T, c: InOut[T], p: Index) -> T:
            for i, (u,) in pl.range(3, init_values=(c,)):
                if p > 0:
                    x = 1
                else:
                    x = 2
                r = pl.yield_(x)
            return r
        """,
        """
        for i in range(0, 3, 1) [r <- u from c to x.2]:
          if p > 0 [x.2 <- x | x.1]:
            x = 1
          else:
            x.1 = 2
        return r
        """,
    )


def test_as_target_dies_with_its_loop() -> None:
    function = ssa(
        """
        def main(a: T, c: InOut[T], t: TaskId) -> T:
            for i in pl.range(3):
                with pl.at(deps=[t]) as t:
                    x = pl.load(a, [0, 0], [64, 64])
            with pl.at(deps=[t]) as t:
                y = pl.load(a, [0, 0], [64, 64])
            d = pl.system.task_dummy(deps=[t])
            return c
        """
    )
    assert dump(function) == lines(
        """
        for i in range(0, 3, 1):
          at(deps=[t]) as t.1:
            x = pl.load(a, [0, 0], [64, 64])
        at(deps=[t]) as t.2:
          y = pl.load(a, [0, 0], [64, 64])
        d = pl.system.task_dummy(deps=[t.2])
        return c
        """
    )


def test_submit_ids_are_carried() -> None:
    check(
        """
        def main(a: T, c: InOut[T], t: TaskId) -> T:
            for i in pl.range(3):
                c, t = pl.submit(bump, a, c, deps=[t])
            return c
        """,
        """
        for i in range(0, 3, 1) [c.3 <- c.1 from c to c.2; t.3 <- t.1 from t to t.2]:
          c.2, t.2 = pl.submit(bump, a, c.1, deps=[t.1])
        return c.3
        """,
    )


def test_regions_let_names_out() -> None:
    check(
        """
        def main(a: T, c: InOut[T], n: Index) -> T:
            with pl.at():
                x = pl.load(a, [0, 0], [64, 64])
                c[0:32, :] = x
            for b in pl.spmd(n):
                c[b:64, :] = x
            return c
        """,
        """
        at():
          x = pl.load(a, [0, 0], [64, 64])
          c.1 = tensor.assemble(c, x, [0, 0])
        spmd(core_num=n) for b:
          c.2 = tensor.assemble(c.1, x, [b, 0])
        return c.2
        """,
    )


def test_loop_index_does_not_leak() -> None:
    check(
        """
        def main(a: T, i: Index) -> T:
            for i in pl.range(3):
                x = i
            return i
        """,
        """
        for i.1 in range(0, 3, 1):
          x = i.1
        return i
        """,
    )


def test_while_reads_its_condition_every_trip() -> None:
    check(
        """
        def main(a: T, n: Index) -> T:
            x = n
            while x > 0:
                x = x - 1
            return a
        """,
        """
        x = n
        while x.1 > 0 [x.3 <- x.1 from x to x.2]:
          x.2 = x.1 - 1
        return a
        """,
    )


def test_scalar_after_a_break_is_unknown_but_a_tensor_is_not() -> None:
    function = ssa(
        """
        def main(a: T, c: InOut[T], n: Index) -> T:
            x = n
            for i in pl.range(3):
                if x > 5:
                    break
                x = x + 1
                c = bump(a, c)
            return c, x
        """
    )
    assert dump(function)[1] == "for i in range(0, 3, 1) [x.3 <- x.1 from x to ...; c.3 <- c.1 from c to c.2]:"


def test_what_an_opaque_statement_binds_is_a_new_value() -> None:
    check(
        """
        def main(a: T, c: InOut[T], n: Index) -> T:
            x = n
            del x
            return x
        """,
        """
        x = n
        opaque x.1
        return x.1
        """,
    )


def test_types_follow_their_names() -> None:
    function = ssa(
        """
        def main(w: T, n: Index) -> T:
            m = n
            m = m * 2
            v = pl.slice(w, [m, 64], [0, 0])
            return v
        """
    )
    assert function.body is not None
    returned = function.body[-1]
    (value,) = statement_exprs(returned)
    assert isinstance(value, Var) and isinstance(value.type, TensorType) and value.type.shape is not None
    assert value.name == "v"
    assert [v.name for v in variables(value.type.shape[0])] == ["m.1"]


def test_function_without_body_is_the_same_object() -> None:
    p = program("@incore\n@extern\ndef k(a: T) -> T:\n    return a\n")
    assert convert_to_ssa.run(p).functions["k"] is p.functions["k"]


def assert_ssa(function: Function) -> None:
    """Every name is bound once, and every use stands where its binding is in scope."""
    assert function.body is not None
    bound: set[str] = {p.name for p in function.params}

    def visit(block: Block, scope: set[str]) -> set[str]:
        scope = set(scope)
        for stmt in block:
            for expr in statement_exprs(stmt):
                # A while's condition may read the inner names; none is generated here.
                assert {v.name for v in variables(expr)} <= scope, stmt
            names = [v.name for v in bound_variables(stmt)]
            assert not bound & set(names) and len(set(names)) == len(names), stmt
            bound.update(names)
            if isinstance(stmt, For):
                inside = visit(stmt.body, scope | {stmt.var.name, *[c.inner.name for c in stmt.carries]})
                for carry in stmt.carries:
                    assert {v.name for v in variables(carry.update)} <= inside
                scope |= {c.result.name for c in stmt.carries}
            elif isinstance(stmt, If):
                arms = visit(stmt.then, scope), visit(stmt.orelse, scope)
                for phi in stmt.phis:
                    assert {v.name for v in variables(phi.then)} <= arms[0]
                    assert {v.name for v in variables(phi.orelse)} <= arms[1]
                scope |= {p.result.name for p in stmt.phis}
            else:
                for body in blocks(stmt):
                    scope = visit(body, scope)
                scope |= set(names)
        return scope

    visit(function.body, bound)


@settings(max_examples=examples(150), deadline=None)
@given(bodies(), st.integers(0, 3), st.integers(-1, 4))
def test_ssa_form_keeps_what_a_program_does(text: str, n: int, a: int) -> None:
    before = program(KERNELS + text)
    after = convert_to_ssa.run(before)
    assert_ssa(after.functions["main"])
    arguments: dict[str, object] = {"n": n, "a": a, "b": 7}
    try:
        expected = run(before, "main", arguments)
    except Unbound:
        return
    assert run(after, "main", arguments) == expected


def test_regions_are_visited_in_a_bounded_number_of_steps() -> None:
    depth = 60
    text = "def main(a: T, c: InOut[T], n: Index) -> T:\n"
    for level in range(depth):
        text += "    " * (level + 1) + f"for i{level} in pl.range(2):\n"
    text += "    " * (depth + 1) + "c = bump(a, c)\n    return c\n"
    function = convert_to_ssa.run(program(BUMP + text)).functions["main"]
    assert function.body is not None
    assert sum(isinstance(s, (For, Region)) for s in walk_block(function.body)) == depth
