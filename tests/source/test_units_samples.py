"""Sample lines of all kinds: structure and spans agree with ``ast``."""

from __future__ import annotations

import pytest

from pto_lsp.analysis.source import syntax
from pto_lsp.analysis.source.signature import split_signature
from pto_lsp.analysis.source.units import UnitCache, UnitKind
from pto_lsp.diagnostics import Span
from tests.support.ast_oracle import assert_agreement

SIMPLE = [
    "x = y",
    "x = y = z",
    "x, (y, *z) = f()",
    "x[0], y.z = 1, 2",
    "x: int",
    "x: pl.Tensor[[N, 16], pl.FP32] = t",
    "x.y: int = 1",
    "x **= 2",
    "x //= y @ z",
    "x >>= 1; y = 2 ; z",
    "return",
    "return x, *y",
    "return (x)",
    "pass;",
    "break",
    "continue",
    "tile = pl.load(t, [i * 16, 0], [16, 128], target_memory=pl.MemorySpace.UB)",
    "x = pl.slice(\n    t,  # what\n    [4, 4],\n\n    [i, 0],  # where\n)",
    "x = a[\n  1:2,\n  ::3,  # every third\n  ...,\n  None,\n]",
    "x = a \\\n    + b \\\n    - c",
    "x = (a +  # first\n     b)  # second",
    "x = a[1:, :n, lo:hi:st, ::, (0, 1), -1]",
    "x = a[(0, 1)]",
    "x = a[0, ]",
    "x = a[(0), (1)]",
    "x = a[f(b)[c](d)].e",
    "x = ()",
    "x = (y,)",
    "x = ((y, z))",
    "x = (((y)))",
    "x = y,",
    "x = [ ]",
    "x = [y, *z, ]",
    "x = {}",
    "x = {y, *z}",
    "x = {y: z, **w, 'k': 1}",
    "x = [y for y in z]",
    "x = [(y, i) for i, y in enumerate(z) if y if i > 0]",
    "x = [y for z in w for y in z]",
    "x = {y for y in z}",
    "x = {y: w for y, w in z if w}",
    "x = (y for y in z)",
    "f(y for y in z)",
    "f((y for y in z), 1)",
    "x = not y",
    "x = not not y and z or not w",
    "x = - - ~ + y",
    "x = -y ** -z ** w",
    "x = (-y) ** z",
    "x = a or b and c or d",
    "x = (a or b) and c",
    "x = a + b * c - (d - e) % f",
    "x = a << b >> c & d | e ^ f",
    "x = a < b <= c != d",
    "x = a is not b",
    "x = a  not   in  (b)",
    "x = a in b is c",
    "x = y if z else w if v else u",
    "x = lambda: 0",
    "x = lambda a, /, b=1, *c, d=2, **e: (a, b)",
    "x = (y := z)",
    "x = (yield)",
    "x = yield y",
    "x = yield from y",
    "x = await y",
    "f(*a, b, *c, k=1, **d, l=2)",
    "f(k = (v), *a)",
    "x = 0, 0x1F, 0b1_0, 1_000, 1e3, .5, 1., 2j, 0o17",
    "x = True, False, None, ...",
    "x = 'a' \"b\" '''c'''",
    "x = ('a'  # one\n     'b')",
    "x = r'\\d' u'é' '\\x41\\n'",
    "x = b'a' b'\\x00'",
    "x = '''a\n  b'''",
    "x = f'{a}' 'b'",
    'x = f"{a!r:>{w}} {b=} {{}}"',
    "変数 = π + '😀' + ñ",
    "x = '😀' + y # 😀",
    "x\t=\ty\f+ z",
    "import a, b.c, d.e as f",
    "from a import *",
    "from ..a.b import c as d, e",
    "from a import (b, c as d,)",
    "assert x",
    "assert x, 'y'",
    "raise",
    "raise x",
    "raise x from y",
    "global x, y",
    "nonlocal x",
    "'docstring'",
]
HEADERS = [
    "for i in pl.range(4):",
    "for i, (x,) in pl.parallel(0, N, 2, init_values=(x,)):",
    "for x in y, z:",
    "for i in r: f(i); g(i)",
    "async for i in r:",
    "while x < 4 :",
    "if (x):",
    "if x: y = 1; z = 2",
    "if x: return",
    "with a:",
    "with a as b, c() as (d, e):",
    "with (a as b, c,):",
    "with (a), (b):",
    "with (a, b) as c:",
    "with pl.at(level=pl.Level.CORE_GROUP,\n        optimization=x):",
    "with a: b",
    "async with a as b:",
    "try:",
    "try: x = 1",
    "def f():",
    "def f(a, b: int = 1, /, c=2, *, d, e: x = 3, **k) -> pl.Tensor:",
    "def f(*args: int): return args",
    "async def f(a):",
    "class A:",
    "class A(B, metaclass=C):",
    "class A: x = 1",
    "match x, y:",
]


@pytest.mark.parametrize("text", SIMPLE)
def test_simple(text: str) -> None:
    assert_agreement(text, UnitKind.SIMPLE)


@pytest.mark.parametrize("text", [text for text in SIMPLE if "\n" in text])
@pytest.mark.parametrize("line_end", ["\r\n", "\r"])
def test_other_line_ends(text: str, line_end: str) -> None:
    assert_agreement(text.replace("\n", line_end), UnitKind.SIMPLE)


@pytest.mark.parametrize("text", HEADERS)
def test_header(text: str) -> None:
    assert_agreement(text, UnitKind.HEADER)


@pytest.mark.parametrize(
    "text", ["@a", "@ a.b", "@pl.function(type=pl.FunctionType.InCore)", "@a[0](\n  b\n).c", "@(x := y)"]
)
def test_decorator(text: str) -> None:
    assert_agreement(text, UnitKind.DECORATOR)


@pytest.mark.parametrize(
    "text",
    [
        "x",
        "x: int",
        "x = 1",
        "x : pl.Tensor[[\n  N,  # rows\n  16], pl.FP32]\n  = (y)",
        "*a",
        "* a: int",
        "**k",
        "** k : T",
    ],
)
def test_parameter(text: str) -> None:
    assert_agreement(text, UnitKind.PARAMETER)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("elif ⟦x > 1⟧:", ["elif"]),
        ("elif ⟦(x)⟧: pass", ["elif", "pass"]),
        ("else:", ["else"]),
        ("else : ⟦x⟧", ["else", "ExprStmt"]),
        ("except:", ["except"]),
        ("except ⟦A⟧ as e:", ["except"]),
        ("except ⟦(A, B)⟧: pass", ["except", "pass"]),
        ("finally: ⟦x⟧ ; pass", ["finally", "ExprStmt", "pass"]),
        ("case (1, *_) | A(b=x) if ⟦x⟧:", ["case"]),
        ("case {'a': [1,\n   2]}: ⟦x⟧", ["case", "ExprStmt"]),
    ],
)
def test_clause(text: str, parts: list[str]) -> None:
    """``ast`` has no clause without its statement, so the expression is marked by hand."""
    start = text.find("⟦")
    plain = text.replace("⟦", "").replace("⟧", "")
    unit = UnitCache().get(plain, UnitKind.HEADER)
    assert unit.broken is None
    names = [_name(statement) for statement in unit.statements]
    assert names == parts
    assert unit.statements[0].span.start == 0
    assert plain[unit.statements[0].span.end - 1] == ":"
    if start >= 0:
        expected = plain[start : text.find("⟧") - 1]
        found = [_expression(statement) for statement in unit.statements]
        spans = [plain[expr.span.start : expr.span.end] for expr in found if expr is not None]
        assert [span.strip("()") for span in spans] == [expected.strip("()")]


def _name(statement: syntax.Statement) -> str:
    if isinstance(statement, syntax.Else):
        return "else"
    if isinstance(statement, (syntax.Conditional, syntax.Keyword)):
        return statement.word
    return statement.what if isinstance(statement, syntax.OtherStmt) else type(statement).__name__


def _expression(statement: syntax.Statement) -> syntax.Expr | None:
    if isinstance(statement, syntax.Conditional):
        return statement.condition
    if isinstance(statement, syntax.ExprStmt):
        return statement.value
    if isinstance(statement, syntax.OtherStmt) and statement.children:
        return statement.children[0]
    return None


def test_def_head_without_its_parameters() -> None:
    text = "def kernel(a: int, b: int = 1) -> tuple[A, B]: return a"
    signature = split_signature(text)
    assert signature is not None
    unit = UnitCache().get(signature.head_text, UnitKind.DEF_HEAD)
    head, body = unit.statements
    assert isinstance(head, syntax.DefHead)
    assert head.parameters == ()
    assert head.returns is not None
    assert isinstance(body, syntax.Return)

    def original(span: Span) -> str:
        return text[signature.from_head(span.start) : signature.from_head(span.end)]

    assert original(head.name_span) == "kernel"
    assert original(head.returns.span) == "tuple[A, B]"
    assert original(body.span) == "return a"
    assert original(head.span) == text[: text.index(":", text.index("->")) + 1]
