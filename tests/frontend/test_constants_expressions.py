"""Expressions of DSL code: names come from a lookup, functions and properties find their globals in a module."""

from __future__ import annotations

import pytest

from pto_lsp.analysis.frontend.constants.expressions import evaluate
from pto_lsp.analysis.frontend.constants.importer import MemoryImporter, ModuleSource
from pto_lsp.analysis.frontend.constants.modules import ModuleEnv, evaluate_module
from pto_lsp.analysis.frontend.constants.values import MISSING, UNKNOWN, DType, DynamicSymbol, PlAttribute, PlSubscript
from pto_lsp.analysis.source import syntax
from pto_lsp.analysis.source.units import UnitCache, UnitKind

TEXT = """
from dataclasses import dataclass
import pypto.language as pl
SCALE = 2
M = pl.dynamic("M")
@dataclass
class Config:
    hidden: int = 64
    @property
    def rows(self): return self.hidden // 4
    @property
    def scaled(self): return self.hidden * SCALE
    def tiles(self, n): return self.hidden // n
CFG = Config()
TABLE = {"a": [1, 2], (1, 2): 3}
def ceil_div(a, b=4): return (a + b - 1) // b
def scaled(a): return a * SCALE
"""


@pytest.fixture(scope="module")
def env() -> ModuleEnv:
    return evaluate_module(ModuleSource.from_text("/m.py", TEXT), MemoryImporter({}))


def parse(text: str) -> syntax.Expr:
    (statement,) = UnitCache().get(text, UnitKind.SIMPLE).statements
    assert isinstance(statement, syntax.ExprStmt)
    return statement.value


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("3", 3),
        ("CFG.hidden * 2 - 1", 127),
        ("-CFG.hidden // 3", -22),
        ("CFG.rows", 16),
        ("CFG.tiles(8)", 8),
        ("ceil_div(9)", 3),
        ("ceil_div(b=2, a=9)", 5),
        ("min(CFG.hidden, 5), max([1, 2])", (5, 2)),
        ("TABLE['a'][1:]", [2]),
        ("TABLE[1, 2]", 3),
        ("[i * 2 for i in range(4) if i != 2]", [0, 2, 6]),
        ("[a + b for a, b in [(1, 2), (3, 4)]]", [3, 7]),
        ("1 < CFG.hidden <= 64", True),
        ("not CFG.hidden or 5", 5),
        ("0 and nonsense", 0),
        ("len(TABLE)", 2),
        ("M", DynamicSymbol("M")),
        ("pl.FP32", DType("FP32")),
        ("pl.Level.HOST", PlAttribute("pl.Level.HOST")),
        ("pl.Tensor[[M, 4], pl.FP16]", PlSubscript("pl.Tensor", ([DynamicSymbol("M"), 4], DType("FP16")))),
        ("pl.dynamic('K')", DynamicSymbol("K")),
    ],
)
def test_known(env: ModuleEnv, text: str, expected: object) -> None:
    assert evaluate(parse(text), env.lookup) == expected


@pytest.mark.parametrize(
    "text",
    ["x", "x + 1", "CFG.absent", "M + 1", "M // 2", "[x for x in y]", "ceil_div(x)", "TABLE['z']", "1 // 0", "f(1)"],
)
def test_not_known(env: ModuleEnv, text: str) -> None:
    assert evaluate(parse(text), env.lookup) is UNKNOWN


def test_globals_of_functions_need_the_module(env: ModuleEnv) -> None:
    for text, expected in [("scaled(3)", 6), ("CFG.scaled", 128)]:
        assert evaluate(parse(text), env.lookup) is UNKNOWN
        assert evaluate(parse(text), env.lookup, env) == expected


def test_names_of_the_lookup_hide_builtins() -> None:
    hidden = {"len": UNKNOWN, "n": 3}
    assert evaluate(parse("len([n])"), lambda name: hidden.get(name, MISSING)) is UNKNOWN
    assert evaluate(parse("max([n])"), lambda name: hidden.get(name, MISSING)) == 3


def test_values_of_the_module_are_not_changed(env: ModuleEnv) -> None:
    assert evaluate(parse("TABLE['a'].append(3)"), env.lookup, env) is UNKNOWN
    assert evaluate(parse("TABLE['a']"), env.lookup, env) == [1, 2]
