"""Polynomials agree with integers wherever their symbols get values."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from pto_lsp.analysis.task_graph import scalars
from pto_lsp.analysis.task_graph.scalars import Scalar, Symbol, Symbols

A, B, C = Symbol("a", 1, 0, 5), Symbol("b", 2, -3, None), Symbol("c", 3)
VALUES = {A: st.integers(0, 5), B: st.integers(-3, 9), C: st.integers(-9, 9)}

trees = st.recursive(
    st.one_of(st.integers(-9, 9), st.sampled_from([A, B, C])),
    lambda inner: st.tuples(st.sampled_from(["+", "-", "*", "//", "%", "min", "max"]), inner, inner),
    max_leaves=6,
)


def build(tree: object, symbols: Symbols, opaque: list[tuple[Symbol, object]]) -> Scalar:
    if isinstance(tree, int):
        return tree
    if isinstance(tree, Symbol):
        return scalars.of_symbol(tree)
    op, left, right = tree  # type: ignore[misc]
    a, b = build(left, symbols, opaque), build(right, symbols, opaque)
    calls = {
        "+": scalars.add,
        "-": scalars.subtract,
        "*": scalars.multiply,
        "//": symbols.divide,
        "%": symbols.modulo,
        "min": symbols.smallest,
        "max": symbols.largest,
    }
    result = calls[op](a, b)
    if op in ("//", "%", "min", "max") and not isinstance(result, int):
        for symbol in scalars.symbols(result):
            if symbol not in (A, B, C) and all(symbol is not known for known, _ in opaque):
                opaque.append((symbol, tree))
    return result


def value(tree: object, env: dict[Symbol, int]) -> int:
    if isinstance(tree, int):
        return tree
    if isinstance(tree, Symbol):
        return env[tree]
    op, left, right = tree  # type: ignore[misc]
    a, b = value(left, env), value(right, env)
    return {
        "+": lambda: a + b,
        "-": lambda: a - b,
        "*": lambda: a * b,
        "//": lambda: a // b,
        "%": lambda: a % b,
        "min": lambda: min(a, b),
        "max": lambda: max(a, b),
    }[op]()


@settings(max_examples=150)
@given(trees, st.fixed_dictionaries(VALUES))
def test_bounds_hold_and_arithmetic_agrees(tree: object, env: dict[Symbol, int]) -> None:
    symbols, opaque = Symbols(), []
    found = build(tree, symbols, opaque)
    try:
        expected = value(tree, env)
        if any(value(inner[2], env) == 0 for _, inner in opaque if inner[0] in ("//", "%")):
            return
    except ZeroDivisionError:
        return
    low, high = scalars.bounds(found)
    assert low is None or low <= expected
    assert high is None or high >= expected
    if not opaque:
        assert scalars.substitute(found, dict(env)) == expected


def test_equal_operations_are_one_symbol() -> None:
    symbols = Symbols()
    n = scalars.of_symbol(symbols.fresh("n", 1))
    first = symbols.divide(scalars.add(n, 3), 4)
    second = symbols.divide(scalars.add(3, n), 4)
    assert scalars.subtract(first, second) == 0
    assert scalars.text(first) == "((n + 3) // 4)"


def test_exact_division_and_remainder() -> None:
    symbols = Symbols()
    i = scalars.of_symbol(symbols.fresh("i", 0, 3))
    assert symbols.divide(scalars.multiply(i, 32), 8) == scalars.multiply(i, 4)
    assert symbols.modulo(scalars.add(scalars.multiply(i, 8), 5), 8) == 5
    assert symbols.modulo(i, 4) == i
