"""The unit cache: kinds of units, what becomes of each, and broken ones."""

from __future__ import annotations

import pytest

from pto_lsp.analysis.source import syntax
from pto_lsp.analysis.source.units import UnitCache, UnitKind, parse_expression


def unit(text: str, kind: UnitKind = UnitKind.SIMPLE) -> syntax.Unit:
    return UnitCache().get(text, kind)


def statements(text: str, kind: UnitKind = UnitKind.SIMPLE) -> tuple[syntax.Statement, ...]:
    result = unit(text, kind)
    assert result.broken is None, result.broken
    return result.statements


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("x = y", [syntax.Assign]),
        ("x: int", [syntax.Assign]),
        ("x += 1; return x", [syntax.AugAssign, syntax.Return]),
        ("for i in r: f(i)", [syntax.For, syntax.ExprStmt]),
        ("if a: x = 1; y = 2", [syntax.Conditional, syntax.Assign, syntax.Assign]),
        ("def f(a, b=1): return a", [syntax.DefHead, syntax.Return]),
        ("class A(B): pass", [syntax.ClassHead, syntax.Keyword]),
        ("import os, sys", [syntax.OtherStmt]),
    ],
)
def test_statements_of_a_line(text: str, kinds: list[type]) -> None:
    assert [type(statement) for statement in statements(text)] == kinds


def test_string_annotation() -> None:
    found = parse_expression(" a[0] ")
    assert isinstance(found, syntax.Subscript)
    assert found.span == (1, 5)
    assert parse_expression("a b") is None
    assert parse_expression("x = 1") is None
    assert parse_expression("") is None
