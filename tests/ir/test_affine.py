from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pto_lsp.analysis.ir.affine import Affine, affine, difference, structural_key
from pto_lsp.analysis.ir.expressions import NO_SPAN, Binary, Const, Expr, Op, Symbol, Unary, Var

VI, VJ = Var("i", "i"), Var("j", "j")


def c(value: int) -> Const:
    return Const(value)


def b(op: str, left: Expr, right: Expr) -> Binary:
    return Binary(op, left, right)


def test_window_extents_cancel() -> None:
    extent = b("-", b("*", b("+", VI, c(1)), c(128)), b("*", VI, c(128)))
    assert affine(extent) == Affine(128)


def test_atoms_cancel_by_structure() -> None:
    half = b("//", b("+", VI, c(1)), c(2))
    other = b("//", b("+", c(1), VI), c(2))
    assert affine(b("-", half, other)) == Affine(0)
    assert affine(b("-", b("min", VI, VJ), b("min", VI, VJ))) == Affine(0)
    dim = Op("tensor.dim", (Var("a", "a"), c(0)))
    assert affine(b("-", b("+", dim, c(4)), dim)) == Affine(4)


def test_two_reads_are_not_the_same_value() -> None:
    assert affine(Op("tensor.read", (Var("a", "a"), c(0)))) is None


def test_atoms_are_reported() -> None:
    atoms: dict[str, Expr] = {}
    product = b("*", VI, VJ)
    form = affine(b("+", product, VI), atoms)
    assert form is not None
    assert list(atoms.values()) == [product]
    assert set(form.atoms) == {"i", *atoms}


def test_symbols_do_not_clash_with_variables() -> None:
    assert affine(b("-", Symbol("i"), VI)) != Affine(0)


@pytest.mark.parametrize("value", [1.5, True, None, "x"])
def test_only_integers_have_a_form(value: object) -> None:
    assert affine(Const(value)) is None  # type: ignore[arg-type]


def test_deep_division_chains_stay_cheap() -> None:
    expr: Expr = VI
    for _ in range(200):
        expr = b("//", b("+", expr, c(1)), c(3))
    assert structural_key(expr) is not None
    assert affine(expr) is not None


def test_difference() -> None:
    assert difference(VJ, c(0), NO_SPAN) is VJ
    window = difference(b("+", VI, c(8)), VI, NO_SPAN)
    assert isinstance(window, Const) and window.value == 8
    assert isinstance(difference(VJ, VI, NO_SPAN), Binary)


OPS = ["+", "-", "*", "//", "%", "min", "max"]


def exprs() -> st.SearchStrategy[Expr]:
    leaves: st.SearchStrategy[Expr] = st.one_of(st.integers(-9, 9).map(c), st.sampled_from([VI, VJ]))
    return st.recursive(
        leaves,
        lambda inner: st.one_of(
            st.builds(b, st.sampled_from(OPS), inner, inner), st.builds(lambda e: Unary("-", e), inner)
        ),
        max_leaves=8,
    )


def evaluate(expr: Expr, env: dict[str, int]) -> int:
    """Python's own arithmetic; raises ZeroDivisionError."""
    if isinstance(expr, Const):
        assert isinstance(expr.value, int)
        return expr.value
    if isinstance(expr, Var):
        return env[expr.name]
    if isinstance(expr, Unary):
        return -evaluate(expr.operand, env)
    assert isinstance(expr, Binary)
    x, y = evaluate(expr.left, env), evaluate(expr.right, env)
    table = {"+": x + y, "-": x - y, "*": x * y, "min": min(x, y), "max": max(x, y)}
    if expr.op in table:
        return table[expr.op]
    return x // y if expr.op == "//" else x % y


@settings(max_examples=150, deadline=None)
@given(exprs(), st.integers(-20, 20), st.integers(-20, 20))
def test_a_form_has_the_value_of_its_expression(expr: Expr, i: int, j: int) -> None:
    env = {"i": i, "j": j}
    atoms: dict[str, Expr] = {}
    form = affine(expr, atoms)
    assert form is not None
    try:
        expected = evaluate(expr, env)
        values = {**env, **{key: evaluate(atom, env) for key, atom in atoms.items()}}
    except ZeroDivisionError:
        return
    assert form.const + sum(k * values[name] for name, k in form.terms) == expected
