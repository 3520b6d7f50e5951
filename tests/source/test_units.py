"""The unit cache: what becomes of values and of what has no node of its own, one-line bodies, caching and batches."""

from __future__ import annotations

import gc
import warnings
from typing import Any

import pytest

from pto_lsp.analysis.source import syntax
from pto_lsp.analysis.source.units import UnitCache, UnitKind, parse_expression


def statements(text: str, kind: UnitKind = UnitKind.SIMPLE) -> tuple[syntax.Statement, ...]:
    unit = UnitCache().get(text, kind)
    assert unit.broken is None, unit.broken
    return unit.statements


def value(text: str) -> Any:
    found = parse_expression(text)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("", []),
        ("# nothing", []),
        ("x += 1; return x", [syntax.AugAssign, syntax.Return]),
        ("x = (\n 1); y = 2", [syntax.Assign, syntax.Assign]),
        ("for i in r: f(i)  # why", [syntax.For, syntax.ExprStmt]),
        ("for i in '#': # why:", [syntax.For]),
        ("if a: x = 1; y = 2", [syntax.Conditional, syntax.Assign, syntax.Assign]),
        ("def f(a, b=1): return a", [syntax.DefHead, syntax.Return]),
        ("class A(B): pass", [syntax.ClassHead, syntax.Keyword]),
    ],
)
def test_statements_of_a_line(text: str, kinds: list[type]) -> None:
    assert [type(statement) for statement in statements(text)] == kinds


def test_soft_keywords_are_names_too() -> None:
    for text in ("match = case", "match(x)[0] = y", "type = 1", "case(x)"):
        for kind in (UnitKind.SIMPLE, UnitKind.HEADER):
            assert not isinstance(UnitCache().get(text, kind).statements[0:1], syntax.OtherStmt)
    assert isinstance(statements("match = case", UnitKind.HEADER)[0], syntax.Assign)
    assert isinstance(statements("match x:", UnitKind.HEADER)[0], syntax.OtherStmt)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0x_1F", 31),
        ("1_0.5e1", 105.0),
        ("True", True),
        ("None", None),
        ("...", ...),
        ("'a' \"b\"\\\n'''c'''", "abc"),
        ("r'\\d' '\\x41\\\n'", "\\dA"),
        ("u'é'", "é"),
        ("''", ""),
        ("''''a'''", "'a"),
        ("'''a\r\nb\rc'''", "a\nb\nc"),
        ("b'a' rb'\\x'", b"a\\x"),
        ("'''\\N{BULLET}'''", "•"),
    ],
)
def test_values(text: str, expected: object) -> None:
    found = value(text)
    assert isinstance(found, syntax.Literal)
    assert (type(found.value), found.value) == (type(expected), expected)


@pytest.mark.parametrize(
    ("text", "what", "children"),
    [
        ("a if b else c", "conditional expression", ["a", "b", "c"]),
        ("lambda x, y=a, *, z=b: c", "lambda", ["a", "b", "c"]),
        ("f'{a!r:>{b}} {{{c = }}}' 'd'", "f-string", ["a", "b", "c"]),
        ("'x' f'{a}' f'{b}'", "f-string", ["a", "b"]),
        ("(a := b)", "walrus assignment", ["a", "b"]),
        ("(yield a)", "yield", ["a"]),
        ("(yield from a)", "yield", ["a"]),
        ("await a", "await", ["a"]),
        ("{a, b}", "set display", ["a", "b"]),
        ("{a: b, **c}", "dict display", ["a", "b", "c"]),
        ("{a for b in c if d}", "set comprehension", ["a", "b", "c", "d"]),
        ("{a: b for c in d}", "dict comprehension", ["a", "b", "c", "d"]),
        ("[a for b in c for d in e]", "list comprehension", ["a", "b", "c", "d", "e"]),
        ("(a async for b in c)", "generator", ["a", "b", "c"]),
        ("1j", "complex number", []),
    ],
)
def test_what_the_dsl_does_not_have(text: str, what: str, children: list[str]) -> None:
    found = value(text)
    assert isinstance(found, syntax.Other)
    assert found.what == what
    assert [text[child.span.start : child.span.end] for child in found.children] == children


@pytest.mark.parametrize(
    ("text", "what", "children", "targets"),
    [
        ("import a.b, c as d", "import", [], ["a", "d"]),
        ("from a import (b, c as d)", "import", [], ["b", "d"]),
        ("from a import *", "import", [], []),
        ("assert a, b", "assert", ["a", "b"], []),
        ("del a, b[0]", "del", ["a, b[0]"], []),
        ("raise a from b", "raise", ["a", "b"], []),
        ("global a, b", "global", [], ["a", "b"]),
        ("nonlocal a", "nonlocal", [], ["a"]),
        ("try:", "try", [], []),
        ("except a as b:", "except", ["a"], ["b"]),
        ("finally:", "finally", [], []),
        ("match a:", "match", ["a"], []),
        ("case [b] if a:", "case", ["a"], []),
        ("async for a in b:", "async for", ["a", "b"], []),
        ("async with a as b, c:", "async with", ["a", "b", "c"], []),
        ("async def a(b):", "async function", [], ["a"]),
    ],
)
def test_other_statements(text: str, what: str, children: list[str], targets: list[str]) -> None:
    (found,) = statements(text, UnitKind.HEADER)
    assert isinstance(found, syntax.OtherStmt)
    assert found.what == what
    assert found.span == (0, len(text))
    assert [text[child.span.start : child.span.end] for child in found.children] == children
    assert [text[name.span.start : name.span.end] for name in found.targets] == targets == [n.id for n in found.targets]


def test_parameters() -> None:
    (found,) = statements("a: pl.Out[T] = 1", UnitKind.PARAMETER)
    assert isinstance(found, syntax.Parameter)
    assert (found.name, found.star, found.name_span, found.span) == ("a", "", (0, 1), (0, 16))
    (found,) = statements("** k", UnitKind.PARAMETER)
    assert isinstance(found, syntax.Parameter)
    assert (found.name, found.star, found.name_span, found.span) == ("k", "**", (3, 4), (0, 4))
    for mark in "*/":
        (found,) = statements(mark, UnitKind.PARAMETER)
        assert isinstance(found, syntax.Parameter)
        assert (found.name, found.star, found.span) == (mark, "", (0, 1))


def test_index_with_a_comma_is_a_tuple() -> None:
    assert isinstance(value("x[i,]").items[0], syntax.TupleDisplay)
    assert isinstance(value("x[i]").items[0], syntax.Name)
    assert len(value("x[i, j]").items) == 2
    assert len(value("x[(i, j)].y").base.items) == 1


def test_string_annotation() -> None:
    assert value(" a[0] ").span == (1, 5)
    assert value("a, b").span == (0, 4)
    for text in ("", "a b", "x = 1", "x; y", "a) + (b", "(" * 5000 + ")" * 5000):
        assert parse_expression(text) is None


def test_same_text_is_the_same_unit() -> None:
    cache = UnitCache()
    first = cache.get("x = 1", UnitKind.SIMPLE)
    assert cache.get("x = 1", UnitKind.SIMPLE) is first
    again, other, parameter = cache.get_many(
        [("x = 1", UnitKind.SIMPLE), ("x = 2", UnitKind.SIMPLE), ("x = 1", UnitKind.PARAMETER)]
    )
    assert again is first
    assert other is not first
    assert isinstance(parameter.statements[0], syntax.Parameter)


def test_least_recently_used_is_dropped() -> None:
    cache = UnitCache(capacity=3)
    texts = [(f"x = {number}", UnitKind.SIMPLE) for number in range(4)]
    units = cache.get_many(texts[:3])
    assert cache.get(*texts[0]) is units[0]
    cache.get(*texts[3])
    assert len(cache) == 3
    assert cache.get(*texts[0]) is units[0]
    assert cache.get(*texts[1]) is not units[1]
    # More than fits at once is answered all the same.
    assert [unit.text for unit in cache.get_many(texts)] == [text for text, _ in texts]


def test_batch_survives_what_libcst_cannot_read() -> None:
    odd = "(x): {int}"  # valid, but not for libcst, and not plain either
    items = [(f"a{number} = f({number})", UnitKind.SIMPLE) for number in range(9)]
    items[4:4] = [(odd, UnitKind.SIMPLE), ("b: int", UnitKind.PARAMETER), ("c = 1", UnitKind.PARAMETER)]
    units = UnitCache().get_many(items)
    assert [repr(unit) for unit in units] == [repr(UnitCache().get(*item)) for item in items]
    assert all(unit.broken is None for unit in units)
    (unknown,) = units[4].statements
    assert isinstance(unknown, syntax.OtherStmt)
    assert (unknown.what, unknown.span) == ("unknown syntax", (0, len(odd)))


def test_units_that_would_be_valid_together_are_not() -> None:
    for items in (["x = (1,", "2)"], ['x = """a', 'b"""'], ["if x:\\", "pass"]):
        for unit in UnitCache().get_many([(text, UnitKind.SIMPLE) for text in items if text != "pass"]):
            assert unit.broken is not None


def test_leaves_collector_and_warnings_alone() -> None:
    before = list(warnings.filters)
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        assert statements("x = '\\d' + 1if y else 2")
        assert not seen
    assert warnings.filters == before
    assert gc.isenabled()
    gc.disable()
    try:
        statements("x = 1")
        assert not gc.isenabled()
    finally:
        gc.enable()
