from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pto_lsp.analysis.ir.bounds import Bounds, natural, refinements
from pto_lsp.analysis.ir.expression_printer import print_expr
from pto_lsp.analysis.ir.expressions import Binary, Cast, Const, Expr, Unary, Var
from pto_lsp.analysis.ir.folding import fold
from pto_lsp.analysis.ir.types import INDEX, TILE, ScalarType

INT = ScalarType("INT32")
VI, VJ, VX, TILE_T = Var("i", "i", INDEX), Var("j", "j", INDEX), Var("x", "x", INT), Var("t", "t", TILE)


def c(value: int | bool) -> Const:
    return Const(value)


def b(op: str, left: Expr, right: Expr) -> Binary:
    return Binary(op, left, right)


def known() -> Bounds:
    bounds = Bounds()
    bounds.assume("i", (0, 7))
    bounds.assume("j", natural(INDEX))
    return bounds


@pytest.mark.parametrize(
    ("expr", "text"),
    [
        (b("-", b("*", b("+", VI, c(1)), c(128)), b("*", VI, c(128))), "128"),
        (b("+", VX, c(0)), "x"),
        (b("*", VX, c(0)), "0"),
        (b("//", b("*", VX, c(8)), c(8)), "x"),
        (b("-", b("+", VX, VI), VI), "x"),
        (b("+", b("*", VX, c(2)), c(3)), "x * 2 + 3"),
        (b("+", b("*", c(2), c(3)), VX), "6 + x"),
        (b("min", VI, c(7)), "i"),
        (b("min", VI, c(6)), "pl.min(i, 6)"),
        (b("max", VJ, c(0)), "j"),
        (b("max", VX, c(0)), "pl.max(x, 0)"),
        (b("%", VI, c(8)), "i"),
        (b("//", VI, c(8)), "0"),
        (b("//", c(7), c(0)), "7 // 0"),
        (b("<", VI, c(8)), "True"),
        (b("==", b("+", VI, c(1)), c(0)), "False"),
        (b("<", VX, b("+", VX, c(1))), "True"),
        (b("<", VX, VJ), "x < j"),
        (Unary("not", b("<", VI, c(8))), "False"),
        (b("and", b("<", VI, c(8)), b(">", VX, c(3))), "x > 3"),
        (b("or", b("<", VI, c(8)), b(">", VX, c(3))), "True"),
        (Cast(b("+", c(1), c(2)), "INT32"), "pl.cast(3, pl.INT32)"),
        (b("*", TILE_T, c(0)), "t * 0"),
        (b("-", TILE_T, TILE_T), "t - t"),
    ],
)
def test_fold(expr: Expr, text: str) -> None:
    assert print_expr(fold(expr, known())) == text


def test_nothing_to_fold_is_the_same_object() -> None:
    expr = b("+", b("*", VX, c(2)), VJ)
    assert fold(expr, Bounds()) is expr


def test_long_chains_do_not_recurse() -> None:
    expr: Expr = VX
    for _ in range(3000):
        expr = b("+", expr, c(1))
    assert print_expr(fold(b("-", expr, VX), Bounds())) == "3000"


OPS = ["+", "-", "*", "//", "%", "min", "max"]


def exprs() -> st.SearchStrategy[Expr]:
    leaves: st.SearchStrategy[Expr] = st.one_of(st.integers(-5, 5).map(c), st.sampled_from([VI, VX]))
    return st.recursive(
        leaves,
        lambda inner: st.one_of(
            st.builds(b, st.sampled_from(OPS), inner, inner), st.builds(lambda e: Unary("-", e), inner)
        ),
        max_leaves=7,
    )


def evaluate(expr: Expr, env: dict[str, int]) -> int:
    """Raises ZeroDivisionError."""
    if isinstance(expr, Const):
        return int(expr.value)  # type: ignore[arg-type]
    if isinstance(expr, Var):
        return env[expr.name]
    if isinstance(expr, Unary):
        value = evaluate(expr.operand, env)
        return int(not value) if expr.op == "not" else -value
    assert isinstance(expr, Binary)
    x, y = evaluate(expr.left, env), evaluate(expr.right, env)
    if expr.op in ("//", "%"):
        return x // y if expr.op == "//" else x % y
    table = {
        "+": x + y, "-": x - y, "*": x * y, "min": min(x, y), "max": max(x, y), "<": x < y, "<=": x <= y, ">": x > y,
        ">=": x >= y, "==": x == y, "!=": x != y,
    }  # fmt: skip
    return int(table[expr.op])


@settings(max_examples=200, deadline=None)
@given(exprs(), st.integers(0, 7), st.integers(-20, 20))
def test_folding_keeps_the_value(expr: Expr, i: int, x: int) -> None:
    env = {"i": i, "x": x}
    try:
        expected = evaluate(expr, env)
    except ZeroDivisionError:
        return
    bounds = known()
    assert evaluate(fold(expr, bounds), env) == expected
    low, high = bounds.of(expr)
    assert (low is None or low <= expected) and (high is None or expected <= high)


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(["==", "!=", "<", "<=", ">", ">="]), exprs(), exprs(), st.integers(0, 7), st.integers(-20, 20))
def test_what_is_proven_holds(op: str, left: Expr, right: Expr, i: int, x: int) -> None:
    env = {"i": i, "x": x}
    condition = b(op, left, right)
    try:
        value = bool(evaluate(condition, env))
    except ZeroDivisionError:
        return
    assert known().proves(condition) in (None, value)
    for name, (low, high) in refinements(condition, value):
        if name in env:
            assert (low is None or low <= env[name]) and (high is None or env[name] <= high)
