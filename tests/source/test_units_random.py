"""Random units, with comments, line ends of all kinds and non-ASCII text: structure and spans agree with ``ast``."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from pto_lsp.analysis.source import syntax
from pto_lsp.analysis.source.units import UnitCache, UnitKind
from tests.support.ast_oracle import AstView, same, view
from tests.support.unit_texts import expressions, units

pytestmark = pytest.mark.filterwarnings("ignore")
bounded = settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def expected(text: str, kind: UnitKind) -> Any:
    """The view of ``ast``."""
    if kind is UnitKind.PARAMETER:
        source = f"def _({text}\n): pass"
        definition = ast.parse(source).body[0]
        assert isinstance(definition, ast.FunctionDef)
        return AstView(source, len("def _(")).parameters(definition.args)
    if kind is UnitKind.DECORATOR:
        source = f"{text}\ndef _(): pass"
        definition = ast.parse(source).body[0]
        assert isinstance(definition, ast.FunctionDef)
        return (("Decorator", None, AstView(source).expr(definition.decorator_list[0])),)
    source = text
    whole = True
    if text.endswith(":"):
        source = text + {"m": "\n case _: pass", "t": "\n pass\nfinally: pass"}.get(text[0], "\n pass")
        whole = False
    body = ast.parse(source).body
    found = AstView(source)
    if isinstance(body[0], ast.stmt) and hasattr(body[0], "body"):
        return found.body(body[0]) if whole else (found.statement(body[0]),)
    return tuple(found.statement(statement) for statement in body)


@bounded
@given(units())
def test_units_agree_with_ast(item: tuple[str, UnitKind]) -> None:
    text, kind = item
    if text.startswith("try") and not text.endswith(":"):
        kind = UnitKind.HEADER
        theirs = expected(text + "\nfinally: pass", kind)
    else:
        theirs = expected(text, kind)
    unit = UnitCache().get(text, kind)
    assert unit.broken is None, unit.broken
    ours = tuple(view(statement) for statement in unit.statements)
    assert same(ours, theirs), f"{text!r}\n{ours}\n{theirs}"


def inside(node: Any) -> Iterator[Any]:
    """All expressions and arguments in ``node``, which is one of them or anything that holds some."""
    if isinstance(node, tuple):
        for part in node:
            yield from inside(part)
    elif hasattr(node, "__slots__"):
        if hasattr(node, "span"):
            yield node
        for name in node.__slots__:
            yield from inside(getattr(node, name))


def without_spans(described: Any) -> Any:
    if isinstance(described, tuple):
        if described and isinstance(described[0], str) and described[0][:1].isupper() and len(described) > 2:
            return (described[0], *(without_spans(part) for part in described[2:]))
        return tuple(without_spans(part) for part in described)
    return described


@bounded
@given(expressions())
def test_every_slice_parses_to_its_node(text: str) -> None:
    cache = UnitCache()
    unit = cache.get(text, UnitKind.EXPRESSION)
    assert unit.broken is None, unit.broken
    for part in inside(unit.statements):
        inner = text[part.span.start : part.span.end]
        if isinstance(part, syntax.Argument):
            again = cache.get(f"f({inner}\n)", UnitKind.EXPRESSION).statements[0]
            assert isinstance(again, syntax.ExprStmt)
            assert isinstance(again.value, syntax.Call)
            assert without_spans(view(again.value.args[0])) == without_spans(view(part))
        elif (
            not isinstance(part, (syntax.Slice, syntax.ExprStmt)) and getattr(part, "what", "") != "starred expression"
        ):
            again = cache.get(f"({inner}\n)", UnitKind.EXPRESSION).statements[0]
            assert isinstance(again, syntax.ExprStmt), inner
            assert without_spans(view(again.value)) == without_spans(view(part)), inner


@bounded
@given(units(), units())
def test_batch_is_the_same_as_one_by_one(first: tuple[str, UnitKind], second: tuple[str, UnitKind]) -> None:
    items = [first, ("x = (", UnitKind.SIMPLE), second, ("a: int = 1", UnitKind.PARAMETER)]
    together = UnitCache().get_many(items)
    assert [repr(unit) for unit in together] == [repr(UnitCache().get(*item)) for item in items]
