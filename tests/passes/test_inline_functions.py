from __future__ import annotations

import textwrap

from hypothesis import given, settings
from hypothesis import strategies as st

from pto_lsp.analysis.findings import Finding
from pto_lsp.analysis.ir.program import FunctionKind, Program
from pto_lsp.analysis.ir.statements import Assign, Block
from pto_lsp.analysis.passes import convert_to_ssa, inline_functions, unroll_loops
from tests.passes.build import program
from tests.passes.dump import dump
from tests.passes.interpret import Unbound, run
from tests.passes.programs import KERNELS, bodies
from tests.support.effort import examples

BUMP = """
@incore
def bump(a: T, c: InOut[T]) -> T:
    return c

@incore
def shift(a: T, c: InOut[T], off: Index) -> T:
    return c

"""


def inlined(text: str) -> tuple[Program, tuple[Finding, ...]]:
    return inline_functions.run(program(BUMP + textwrap.dedent(text)))


def check(text: str, expected: str) -> None:
    result, findings = inlined(text)
    assert not findings
    assert dump(result.functions["main"]) == textwrap.dedent(expected).strip("\n").split("\n")


HELPER = """
@inline
def layer(x: T, y: T, n: Index) -> T:
    off = n + 1
    y2 = shift(x, y, off)
    return y2

"""


def test_forms_of_calls() -> None:
    check(
        HELPER
        + textwrap.dedent(
            """
            def main(a: T, c: InOut[T], p: Index) -> T:
                c = layer(a, c, p)
                layer(a, c, 4)
                return layer(a, c, p * 2)
            """
        ),
        """
        off@layer = p + 1
        y2@layer = shift(a, c, off@layer)
        c = y2@layer
        off@layer#2 = 4 + 1
        y2@layer#2 = shift(a, c, off@layer#2)
        off@layer#3 = p * 2 + 1
        y2@layer#3 = shift(a, c, off@layer#3)
        return y2@layer#3
        """,
    )


def test_several_results() -> None:
    check(
        """
        @inline
        def two(x: T, y: T) -> (T, T):
            z = bump(x, y)
            return z, x

        def main(a: T, c: InOut[T]) -> T:
            u, v = two(a, c)
            return u, v
        """,
        """
        z@two = bump(a, c)
        u = z@two
        v = a
        return u, v
        """,
    )


def test_swapped_results_do_not_overwrite_each_other() -> None:
    check(
        """
        @inline
        def swap(x: T, y: T) -> (T, T):
            return y, x

        def main(a: T, c: InOut[T]) -> T:
            a, c = swap(a, c)
            return a, c
        """,
        """
        c@swap = a
        a = c
        c = c@swap
        return a, c
        """,
    )


def test_helper_writes_the_callers_tensor() -> None:
    check(
        """
        @inline
        def store(x: T, y: T) -> T:
            with pl.at():
                y[:, :] = pl.add(x[:, :], x[:, :])
            return y

        def main(a: T, c: InOut[T]) -> T:
            c = store(a, c)
            return c
        """,
        """
        at():
          c = tensor.assemble(c, pl.add(a[:, :], a[:, :]), [0, 0])
        return c
        """,
    )


REBINDING = """
@inline{}
def again(x: T, y: T) -> T:
    y = bump(x, y)
    return y

def main(a: T, c: InOut[T]) -> T:
    d = again(a, c)
    return c
"""


def test_plain_rebinding_stays_inside_a_jit_helper() -> None:
    check(
        REBINDING.format(""),
        """
        y@again = c
        y@again = bump(a, y@again)
        d = y@again
        return c
        """,
    )


def test_plain_rebinding_reaches_the_caller_of_a_method() -> None:
    check(
        REBINDING.format("\n@method"),
        """
        c = bump(a, c)
        d = c
        return c
        """,
    )


def test_ids_stored_by_a_helper_are_the_callers() -> None:
    check(
        """
        @inline
        def note(x: T, y: T, ids: Ids[4], i: Index) -> T:
            z, t = pl.submit(bump, x, y)
            ids[i] = t
            return z

        def main(a: T, c: InOut[T]) -> T:
            ids = pl.array.create(4, pl.TASK_ID)
            c = note(a, c, ids, 2)
            d = pl.system.task_dummy(deps=[ids])
            return c
        """,
        """
        ids = pl.array.create(4, pl.TASK_ID)
        z@note, t@note = pl.submit(bump, a, c)
        ids = array.update_element(ids, 2, t@note)
        c = z@note
        d = pl.system.task_dummy(deps=[ids])
        return c
        """,
    )


def test_argument_with_an_operator_is_bound_once() -> None:
    check(
        """
        @inline
        def layer(x: T, y: T) -> T:
            y = bump(x, y)
            y = bump(x, y)
            return y

        def main(a: T, c: InOut[T], p: Index) -> T:
            c = layer(pl.slice(a, [8, 8], [p, 0]), c)
            return c
        """,
        """
        x@layer = pl.slice(a, [8, 8], [p, 0])
        y@layer = c
        y@layer = bump(x@layer, y@layer)
        y@layer = bump(x@layer, y@layer)
        c = y@layer
        return c
        """,
    )


def test_yielded_call() -> None:
    check(
        HELPER
        + textwrap.dedent(
            """
            def main(a: T, c: InOut[T], p: Index) -> T:
                for i, (u,) in pl.range(3, init_values=(c,)):
                    r = pl.yield_(layer(a, u, i))
                if p > 0:
                    s = pl.yield_(layer(a, r, p))
                else:
                    s = pl.yield_(r)
                return s
            """
        ),
        """
        for i in range(0, 3, 1) [r <- u from c to _yield@1]:
          off@layer = i + 1
          y2@layer = shift(a, u, off@layer)
          _yield@1 = y2@layer
        if p > 0 [s <- _yield@2 | r]:
          off@layer#2 = p + 1
          y2@layer#2 = shift(a, r, off@layer#2)
          _yield@2 = y2@layer#2
        return s
        """,
    )


NESTED = """
@inline
def inner(x: T, y: T) -> T:
    z = bump(x, y)
    return z

@inline
def outer(x: T, y: T) -> T:
    z = inner(x, y)
    w = inner(x, z)
    return w

def main(a: T, c: InOut[T]) -> T:
    c = outer(a, c)
    return c
"""


def test_helpers_in_helpers() -> None:
    result, _ = inlined(NESTED)
    assert dump(result.functions["main"]) == [
        "z@inner@outer = bump(a, c)",
        "z@outer = z@inner@outer",
        "z@inner#2@outer = bump(a, z@outer)",
        "w@outer = z@inner#2@outer",
        "c = w@outer",
        "return c",
    ]
    assert [f.kind for f in result.functions.values()] == [FunctionKind.INCORE] * 2 + [FunctionKind.ORCHESTRATION]


def test_anchors_tell_the_chain_of_calls() -> None:
    result, _ = inlined(NESTED)
    body = result.functions["main"].body
    assert body is not None
    launch = body[0]
    assert isinstance(launch, Assign)
    line = (BUMP + NESTED).split("\n").index
    assert launch.at.offset == line("    z = bump(x, y)") + 1
    first = launch.at.inlined_at
    assert first is not None and first.anchor.offset == line("    z = inner(x, y)") + 1
    assert first.span.start - first.anchor.offset == 8
    second = first.anchor.inlined_at
    assert second is not None and second.anchor.offset == line("    c = outer(a, c)") + 1
    assert second.anchor.inlined_at is None
    assert launch.target.label == "z"


def test_recursion_is_reported_and_left() -> None:
    result, findings = inlined(
        """
        @inline
        def ping(x: T) -> T:
            y = pong(x)
            return y

        @inline
        def pong(x: T) -> T:
            y = ping(x)
            return y

        def main(a: T) -> T:
            b = ping(a)
            return b
        """
    )
    assert [(f.code, f.subject, f.function) for f in findings] == [("PTO002", "ping", "pong")]
    assert "ping -> pong -> ping" in findings[0].message
    assert {"ping", "main"} <= result.functions.keys()
    assert "ping(a)" in dump(result.functions["main"])[0]


def test_early_return_and_nested_call_are_reported_and_left() -> None:
    result, findings = inlined(
        """
        @inline
        def early(x: T, n: Index) -> T:
            if n > 0:
                return x
            y = bump(x, x)
            return y

        @inline
        def fine(x: T) -> T:
            return x

        def main(a: T, c: InOut[T], n: Index) -> T:
            b = early(a, n)
            c = bump(fine(a), c)
            return c
        """
    )
    assert [(f.code, f.subject) for f in findings] == [("PTO002", "early"), ("PTO002", "fine")]
    assert dump(result.functions["main"])[:2] == ["b = early(a, n)", "c = bump(fine(a), c)"]


def test_wrong_number_of_arguments_leaves_the_call() -> None:
    result, findings = inlined(HELPER + "def main(a: T) -> T:\n    b = layer(a)\n    return b\n")
    assert not findings
    assert dump(result.functions["main"]) == ["b = layer(a)", "return b"]


def test_nothing_to_do_is_the_same_object() -> None:
    p = program(BUMP + "def main(a: T, c: InOut[T]) -> T:\n    c = bump(a, c)\n    return c\n")
    result, _ = inline_functions.run(p)
    assert result.functions["main"] is p.functions["main"]


def test_unknown_helper_body_leaves_the_call() -> None:
    result, findings = inlined(
        """
        @inline
        @extern
        def far(x: T) -> T:
            return x

        def main(a: T) -> T:
            b = far(a)
            return b
        """
    )
    assert not findings and dump(result.functions["main"]) == ["b = far(a)", "return b"]
    assert "far" in result.functions


HELPERS = """
@inline
@method
def m(x: Int, y: Int) -> Int:
    y = y * 2
    if x < y:
        y = x
    return y

@inline
def h(x: Int, y: Int) -> Int:
    z = x + y
    for i in pl.range(2):
        x = x + z
    w = k(x, y)
    return w

"""


@settings(max_examples=examples(120), deadline=None)
@given(bodies(calls=("k", "h", "m")), st.integers(0, 3), st.integers(-1, 4))
def test_inlining_and_unrolling_keep_what_a_program_does(text: str, n: int, a: int) -> None:
    before = program(KERNELS + HELPERS + text)
    after, _ = inline_functions.run(before)
    assert after.functions.keys() == {"k", "main"}
    after = convert_to_ssa.run(unroll_loops.run(after))
    arguments: dict[str, object] = {"n": n, "a": a, "b": 7}
    try:
        expected = run(before, "main", arguments)
    except Unbound:
        return
    assert run(after, "main", arguments) == expected


def test_block_without_calls_is_the_same_object() -> None:
    main = "def main(a: T, n: Index) -> T:\n    if n > 0:\n        b = a\n    layer(a, a, n)\n    return a\n"
    p = program(BUMP + HELPER + main)
    before: Block | None = p.functions["main"].body
    result, _ = inline_functions.run(p)
    after = result.functions["main"].body
    assert before is not None and after is not None and after[0] is before[0]
