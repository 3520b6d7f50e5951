"""Findings of the front end itself: place, code and the name they are about."""

from __future__ import annotations

import pytest

from tests.support.worlds import MemoryWorld, marked

T = "pl.Tensor[[128, 64], pl.FP32]"


def check(source: str) -> list[tuple[str, str]]:
    """(code, subject) of every finding, after comparing their ranges with the marks in ``source``."""
    text, ranges = marked(source)
    world = MemoryWorld({"main.py": text})
    module = world.module("main.py")
    assert module is not None
    found = []
    for placed in module.syntax.functions:
        found += world.linker.lowered("main.py", module, placed).findings
    found.sort(key=lambda f: world.range_of(f))
    assert [world.range_of(f) for f in found] == sorted(ranges)
    for finding in found:
        assert not finding.subject or f"'{finding.subject}'" in finding.message
    return [(f.code, f.subject) for f in found]


def body(statements: str, before: str = "") -> str:
    lines = "\n".join("    " + line for line in statements.strip("\n").splitlines())
    head = f"@pl.jit\ndef main(x: {T}, y: pl.InOut[{T}], n: pl.Scalar[pl.INDEX], b: pl.Scalar[pl.BOOL]):"
    return f"{before}\n{head}\n{lines}\n    return y\n"


@pytest.mark.parametrize(
    ("statements", "subject"),
    [
        ("⟦n += 1⟧", "n"),
        ("v = ⟦1 if b else 2⟧", "conditional expression"),
        ("⟦v = w = n⟧", "="),
        ("for i in ⟦range(4)⟧:\n    v = i", "range"),
        ("for i in ⟦[1, 2]⟧:\n    v = i", "for"),
        ("if ⟦n⟧:\n    v = n", "n"),
        ("while ⟦3⟧:\n    v = n", "this value"),
        ("v = ⟦min⟧(n, 3)", "min"),
        ("v = ⟦0 < n < 4⟧", "comparison"),
        ("v = ⟦n in x⟧", "in"),
        ("v = ⟦n ** 2⟧", "**"),
        ("v = ⟦lambda: n⟧", "lambda"),
        ("v = ⟦[i for i in n]⟧", "comprehension"),
        ("⟦import os⟧", "import"),
        ("⟦assert b⟧", "assert"),
        ("⟦def inner():⟧\n    pass", "inner"),
        ("v = x[⟦0:8:2⟧, :]", "x"),
        ("v = ⟦x[0, 0, 0]⟧", "x"),
        ("⟦y[0, 0]⟧ = 1.0", "y"),
        ("with ⟦open('f')⟧:\n    v = n", "open"),
        ("⟦with pl.scope(), pl.manual_scope():⟧\n    v = n", "with"),
    ],
)
def test_unsupported_construct(statements: str, subject: str) -> None:
    assert check(body(statements)) == [("PTO002", subject)]


def test_a_python_attribute_in_a_body() -> None:
    before = "from dataclasses import dataclass\n\n@dataclass\nclass Config:\n    size: int = 4\n\nCFG = Config()\n"
    assert check(body("for i in pl.range(⟦CFG.size⟧):\n    v = i", before)) == [("PTO002", "CFG.size")]
    assert check(body("v = pl.slice(x, [⟦CFG.size⟧, 8], [0, 0])", before)) == [("PTO002", "CFG.size")]


def test_undefined_name() -> None:
    assert check(body("v = ⟦nothing⟧ + 1")) == [("PTO003", "nothing")]
    assert check(body("v = later + 1\nlater = 2")) == []
    assert check(body("v = 中文名 + 1", "中文名 = 3")) == []
    assert check(body("v = ⟦未定义⟧ + 1")) == [("PTO003", "未定义")]


def test_unresolved_callee() -> None:
    assert check(body("y = ⟦missing⟧(x, y)")) == [("PTO004", "missing")]
    assert check(body("y = ⟦plain⟧(x, y)", "def plain(a, b):\n    return a\n")) == [("PTO004", "plain")]
    assert check(body("y = imported(x, y)", "from elsewhere import imported")) == []


def test_call_arity() -> None:
    kernel = f"@pl.jit.incore\ndef k(a: {T}, o: pl.InOut[{T}], r: pl.Out[{T}]):\n    return o\n"
    assert check(body("y = k(x, y, x)", kernel)) == []
    assert check(body("y = k(x, o=y, r=x)", kernel)) == []
    assert check(body("y = ⟦k(x, y)⟧", kernel)) == [("PTO005", "k")]
    assert check(body("y = ⟦k(x)⟧", kernel)) == [("PTO005", "k")]
    assert check(body("y = ⟦k(x, y, x, x)⟧", kernel)) == [("PTO005", "k")]
    assert check(body("y = k(*x)", kernel)) == []


@pytest.mark.parametrize(
    ("statements", "code", "subject"),
    [
        ("with ⟦pl.graph()⟧:\n    v = n", "PTO501", "pl.graph"),
        ("with pl.graph(⟦5⟧):\n    v = n", "PTO501", "pl.graph"),
        ('with pl.graph(⟦""⟧):\n    v = n', "PTO501", ""),
        ('with pl.graph(⟦"a b"⟧):\n    v = n', "PTO501", "a b"),
        ('with pl.graph(⟦"class"⟧):\n    v = n', "PTO501", "class"),
        ('with ⟦pl.graph(name="a")⟧:\n    v = n', "PTO501", "pl.graph"),
        ('with ⟦pl.graph("a", 1)⟧:\n    v = n', "PTO501", "pl.graph"),
        ('with pl.graph("a") as ⟦g⟧:\n    v = n', "PTO502", "a"),
        ('with pl.at(level=pl.Level.CORE_GROUP):\n    with ⟦pl.graph⟧("a"):\n        v = n', "PTO503", "a"),
        ('with pl.at(level=pl.Level.HOST):\n    with ⟦pl.graph⟧("a"):\n        v = n', "PTO503", "a"),
        ('with pl.cluster():\n    with ⟦pl.graph⟧("a"):\n        v = n', "PTO503", "a"),
        ('with pl.spmd(4):\n    with ⟦pl.graph⟧("a"):\n        v = n', "PTO503", "a"),
        ('with pl.graph("a"):\n    with ⟦pl.graph⟧("b"):\n        v = n', "PTO504", "b"),
    ],
)
def test_graph_scopes(statements: str, code: str, subject: str) -> None:
    assert check(body(statements)) == [(code, subject)]


def test_graph_scope_in_a_kernel() -> None:
    source = f'@pl.jit.incore\ndef k(a: {T}):\n    with ⟦pl.graph⟧("g"):\n        v = 1\n    return a\n'
    assert check(source) == [("PTO503", "g")]


def test_a_broken_line_costs_only_itself() -> None:
    source = body("v = (n +\nw = ⟦nothing⟧")
    text, _ = marked(source)
    world = MemoryWorld({"main.py": text})
    module = world.module("main.py")
    assert module is not None
    (placed,) = module.syntax.functions
    assert len(placed.function.broken) == 1
    found = world.linker.lowered("main.py", module, placed)
    assert [f.code for f in found.findings] == ["PTO003"]
    assert not found.lowered.function.complete


def test_a_submit_may_leave_outputs_to_the_runtime() -> None:
    source = f"""
    @pl.program
    class P:
        @pl.function(type=pl.FunctionType.InCore)
        def k(self, a: {T}, o: pl.Out[{T}]) -> {T}:
            return o

        @pl.function(type=pl.FunctionType.Orchestration)
        def main(self, a: {T}, o: pl.Out[{T}]) -> {T}:
            r, t = pl.submit(self.k, a)
            r, u = pl.submit(self.k, a, o)
            r, v = ⟦pl.submit(self.k)⟧
            r = ⟦self.k(a)⟧
            return o
    """
    assert check(source) == [("PTO005", "k"), ("PTO005", "k")]
