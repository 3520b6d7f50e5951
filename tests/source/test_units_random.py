"""Random units, with comments, line ends of all kinds and non-ASCII text: structure and spans agree with ``ast``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from pto_lsp.analysis.source import syntax
from pto_lsp.analysis.source.units import UnitCache, UnitKind
from tests.support.ast_oracle import assert_agreement, view
from tests.support.effort import examples
from tests.support.unit_texts import expressions, units

pytestmark = pytest.mark.filterwarnings("ignore")
bounded = settings(max_examples=examples(100), deadline=None, suppress_health_check=[HealthCheck.too_slow])


@bounded
@given(units())
def test_units_agree_with_ast(item: tuple[str, UnitKind]) -> None:
    assert_agreement(*item)


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
