"""Units that Python cannot parse, and units that nobody should try to."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pto_lsp.analysis.source import syntax
from pto_lsp.analysis.source.units import UnitCache, UnitKind
from tests.source.test_units_random import inside

SIMPLE, HEADER = UnitKind.SIMPLE, UnitKind.HEADER


def broken(text: str, kind: UnitKind) -> syntax.Broken:
    unit = UnitCache().get(text, kind)
    assert unit.broken is not None
    assert unit.statements == ()
    return unit.broken


@pytest.mark.parametrize(
    ("marked", "kind", "message"),
    [
        ("x ⟦=⟧", SIMPLE, "incomplete line"),
        ("x = pl⟦.⟧", SIMPLE, "incomplete line"),
        ("x = 1 ⟦+⟧", SIMPLE, "incomplete line"),
        ("for i i⟦n⟧", HEADER, "incomplete line"),
        ("⟦@⟧", UnitKind.DECORATOR, "incomplete line"),
        ("a⟦:⟧", UnitKind.PARAMETER, "incomplete line"),
        ("x = pl.add⟦(⟧a,", SIMPLE, "'(' was never closed"),
        ("@pl.jit⟦(⟧", UnitKind.DECORATOR, "'(' was never closed"),
        ("a: T⟦[⟧", UnitKind.PARAMETER, "'[' was never closed"),
        ("x = ⟦)⟧", SIMPLE, "unmatched ')'"),
        ("x = [1,\n  2⟦)⟧", SIMPLE, "closing parenthesis ')' does not match opening parenthesis '['"),
        ("x = ⟦'⟧abc", SIMPLE, "unterminated string literal"),
        ("x = '😀' ⟦変数⟧ = 2", SIMPLE, "invalid syntax"),
        ("x = f(\r\n  a,\r\n  ⟦b c⟧)", SIMPLE, "invalid syntax. Perhaps you forgot a comma?"),
        ("⟦f()⟧ = 1", SIMPLE, "cannot assign to function call here. Maybe you meant '==' instead of '='?"),
        ("x⟦\0⟧y", SIMPLE, "a null character cannot stand in source code"),
        ("x = '⟦\ud800⟧'", SIMPLE, "a lone surrogate is no character"),
        ("for i in r⟦)⟧:", HEADER, "unmatched ')'"),
        ("else⟦ x⟧:", HEADER, None),
        ("⟦a, b⟧", UnitKind.PARAMETER, "one parameter expected"),
        ("⟦⟧", UnitKind.PARAMETER, "parameter expected"),
        ("⟦a) -> (b⟧", UnitKind.PARAMETER, "not a parameter"),
        ("⟦x = 1\ny = 2⟧", SIMPLE, "more than one statement line"),
        ("⟦@a\n@b⟧", UnitKind.DECORATOR, "not a decorator"),
    ],
)
def test_message_and_place(marked: str, kind: UnitKind, message: str | None) -> None:
    start, end = marked.index("⟦"), marked.index("⟧") - 1
    found = broken(marked.replace("⟦", "").replace("⟧", ""), kind)
    assert not found.too_deep
    if message is not None:  # else: the wording and the exact place differ between versions of Python
        assert (found.message, found.span) == (message, (start, end))
    else:
        assert start <= found.span.start < found.span.end <= end + 1


def test_no_line_numbers_in_messages() -> None:
    for text in ("x = [\n1,\n)", "x = (\n'a", 'x = """\n'):
        assert "line" not in broken(text, SIMPLE).message


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="this Python understands them itself")
def test_syntax_of_later_versions() -> None:
    assert isinstance(UnitCache().get('x = f"{d["k"]}"', SIMPLE).statements[0], syntax.Assign)
    (head,) = UnitCache().get("def f[T](x: T) -> T:", HEADER).statements
    assert isinstance(head, syntax.DefHead)
    assert [param.name for param in head.parameters] == ["x"]
    broken('x = f"{d[" + y', SIMPLE)
    broken('x = f"{a b}"', SIMPLE)


DEEP: dict[str, Callable[[int], str]] = {
    "parentheses": lambda n: "(" * n + "x" + ")" * n,
    "lists": lambda n: "[" * n + "]" * n,
    "dicts": lambda n: "{1:" * n + "x" + "}" * n,
    "calls": lambda n: "f(" * n + ")" * n,
    "subscripts": lambda n: "a[" * n + "0" + "]" * n,
    "unclosed": lambda n: "f(" * n,
    "minus": lambda n: "-" * n + "x",
    "not": lambda n: "not " * n + "x",
    "power": lambda n: "x ** " * n + "x",
    "sum": lambda n: "x + " * n + "x",
    "and": lambda n: "x and " * n + "x",
    "attributes": lambda n: "x" + ".y" * n,
    "chained calls": lambda n: "x" + "()" * n,
    "chained subscripts": lambda n: "x" + "[0]" * n,
    "lambda": lambda n: "lambda: " * n + "x",
    "conditional": lambda n: "x if y else " * n + "x",
    "strings": lambda n: "'a' " * n,
    "f-string": lambda n: "f'{" + "(" * n + "x" + ")" * n + "}'",
    "nested quotes": lambda n: 'f"{x["a"] + ' + "(" * n + "y" + ")" * n + ' + z["b"]}"',
    "walrus": lambda n: "(a := " * n + "1" + ")" * n,
    "sum of the deep": lambda n: "(" * (n // 8) + "x" + ")" * (n // 8) + " + x" * (n // 2),
    "await": lambda n: "await " * n + "x",
    "patterns": lambda n: "case " + "(" * n + "x" + ",)" * n + ":",
    "del": lambda n: "del " + "(" * n + "x" + ",)" * n,
    "case of lists": lambda n: "case " + "[" * (n // 50) + "(x,)" + "]" * (n // 50) + ":",
}


@pytest.mark.parametrize("name", DEEP)
def test_too_deep(name: str) -> None:
    for depth in (800, 3_000, 100_000):
        assert broken(DEEP[name](depth), HEADER).too_deep


@pytest.mark.parametrize("name", DEEP)
def test_whatever_is_not_too_deep_fits_a_small_stack(name: str) -> None:
    """Just below the bounds, in a thread with 1.5 MB of stack; a failure takes the test process down."""
    cache = UnitCache()
    make = DEEP[name]
    depth = next(n for n in (590, 298, 118, 98, 58, 9, 5, 4) if not _deep(cache, make(n)))

    found: list[syntax.Unit] = []
    before = threading.stack_size(1536 * 1024)
    try:
        thread = threading.Thread(target=lambda: found.append(UnitCache().get(make(depth), HEADER)))
        thread.start()
        thread.join()
    finally:
        threading.stack_size(before)
    assert found[0].broken is None or not found[0].broken.too_deep


def _deep(cache: UnitCache, text: str) -> bool:
    unit = cache.get(text, HEADER)
    return unit.broken is not None and unit.broken.too_deep


@pytest.mark.parametrize(
    "text",
    [
        "x = " + " + ".join(["y"] * 500),
        "x = " + "(" * 90 + "y" + ")" * 90,
        "x = [" + ", ".join(["-1"] * 5_000) + "]",
        "x = [" + ", ".join(["(a.b + 1)"] * 2_000) + "]",
        "f(" + ", ".join(f"a{number}=b.c" for number in range(700)) + ")",
        "x = '" + "(-" * 500_000 + "'",
        'x = """' + "f'{(' - a.b\n" * 10_000 + '"""',
        "x = (\n" + "# (((\n" * 5_000 + "1)",
        "x = " + "y" * 100_000,
        "; ".join(["x = -y"] * 2_000),
    ],
    ids=lambda text: str(text)[:20],
)
def test_long_is_not_deep(text: str) -> None:
    unit = UnitCache().get(text, SIMPLE)
    assert unit.broken is None
    assert unit.statements[-1].span.end == len(text)


@settings(max_examples=300, deadline=None)
@given(st.text("()[]{}:,.=+-*@ \n\r\t\\\"'#fx1é😀if\0", max_size=30), st.sampled_from(UnitKind))
def test_no_text_raises(text: str, kind: UnitKind) -> None:
    unit = UnitCache().get(text, kind)
    assert unit.text == text
    if unit.broken is not None:
        assert unit.statements == ()
        assert 0 <= unit.broken.span.start <= unit.broken.span.end <= len(text)
    for part in inside(unit.statements):
        assert 0 <= part.span.start <= part.span.end <= len(text)
