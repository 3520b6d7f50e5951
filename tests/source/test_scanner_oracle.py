"""On text that Python accepts, the scanner finds what ``ast`` and libcst find."""

from __future__ import annotations

import argparse
import ast
import dataclasses
import difflib
import inspect
import random
import tarfile
import textwrap
import typing
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType

import libcst
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pto_lsp.analysis.source.document import Document
from pto_lsp.analysis.source.logical_lines import LineKind, LogicalLine
from tests.support.effort import examples

# Pieces of valid programs. INDENT and END stand for indentation and line end of the place they are put at.
EXPRESSIONS = [
    "x",
    "f(a, [1, {2: 3}])",
    "f(END INDENT  a,  # b]END# (ENDb, END)",
    "(ENDa,ENDb)",
    "'a#\\''",
    '"b\\"\\ENDdef f():\\ENDreturn"',
    '"""a"bEND  def f():ENDclass C:END\\"""# c"""',
    "'''END@dEND'''",
    "rb'\\\\' b'\\''",
    "f'{x}' \"\"",
    "a[1:END2]",
    "a + \\ENDb",
    "lambda: (yield)",
    "x if y elseEND".replace("END", " ") + "z",
    "张 + '😀'",
    '"""a"""if x else"""b"""',
    "(aEND@bENDif cENDelse dENDfor_)".replace("for_", " "),
]
SIMPLE = [
    "EXPR",
    "x = EXPR",
    "x: EXPR = EXPR",
    "x += EXPR ; y = EXPR;",
    "pass",
    "import a.b",
    "from . import (aEND, bEND)",
    "assert EXPR, EXPR",
    "del x",
    "match = case",
]
HEADERS = [
    "if EXPR:",
    "while EXPR :",
    "for x in EXPR:",
    "with EXPR as x, EXPR:",
    "class C(EXPR):",
    "def f(a, *, b: EXPR = EXPR) -> EXPR:",
    "@EXPREND INDENTdef f(ENDa,  # cENDb=EXPR,END):",
    "@dENDEND# cENDINDENT@dEND INDENTasync def f():",
]
CHAINS = [
    ["if EXPR:", "elif EXPR:", "else:"],
    ["try:", "except EXPR as e:", "else :", "finally:"],
    ["for x in EXPR:", "else:"],
    ["match EXPR:"],
]
GAPS = ["", "", "END", "# c (END", "  # ' END", " \t END", "\f", "\fEND"]
TAILS = ["", "", "  ", "  # c ' (", "\t"]


@st.composite
def programs(draw: st.DrawFn) -> str:
    end = draw(st.sampled_from(["\n", "\r\n", "\r"]))
    choose = lambda options: draw(st.sampled_from(options))  # noqa: E731
    out: list[str] = []

    def put(template: str, indent: str) -> None:
        while "EXPR" in template:
            template = template.replace("EXPR", choose(EXPRESSIONS), 1)
        gap = choose(GAPS)
        out.append((gap + indent + template + choose(TAILS)).replace(" INDENT", indent).replace("INDENT", indent) + end)

    def block(indent: str, depth: int) -> None:
        for _ in range(draw(st.integers(1, 3))):
            form = draw(st.integers(0, 5 if depth < 3 else 2))
            if form <= 1:
                put(choose(SIMPLE), indent)
            elif form == 2:
                put(choose(HEADERS[:6]) + " " + choose(["pass", "x = EXPR; y"]), indent)
            elif form == 5:
                for header in choose(CHAINS):
                    put(header, indent)
                    inner = indent + choose([" ", "    ", "\t"])
                    if header.startswith("match"):
                        put("case EXPR:" if draw(st.booleans()) else "case _:", inner)
                        inner += " "
                    block(inner, depth + 1)
            else:
                put(choose(HEADERS), indent)
                block(indent + choose(["  ", "    ", "\t"]), depth + 1)

    block("", 0)
    text = "".join(out).replace("END", end)
    return text if draw(st.booleans()) else text.rstrip("\r\n")


def parsed(text: str) -> ast.Module | None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return ast.parse(text)
        except SyntaxError:
            return None


def every_line(lines: Sequence[LogicalLine]) -> Iterator[LogicalLine]:
    for line in lines:
        yield line
        yield from every_line(line.children)


class Starts(ast.NodeVisitor):
    """Nesting depth of each statement and decorator by the offset it begins at."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.depths: dict[int, int] = {}
        self.depth = 0

    def offset(self, line: int, byte: int) -> int:
        """From ``ast``'s line from 1 and column in UTF-8 bytes."""
        table = self.document.line_table
        head = table.line_text(line - 1).encode()[:byte].decode()
        return table.line_start(line - 1) + len(head)

    def generic_visit(self, node: ast.AST) -> None:
        inner = isinstance(node, (ast.stmt, ast.excepthandler, ast.match_case))
        if isinstance(node, ast.stmt):
            self.depths[self.offset(node.lineno, node.col_offset)] = self.depth
            for decorator in getattr(node, "decorator_list", []):
                at = self.document.text.rindex("@", 0, self.offset(decorator.lineno, decorator.col_offset))
                self.depths[at] = self.depth
        self.depth += inner and not isinstance(node, ast.excepthandler)
        super().generic_visit(node)
        self.depth -= inner and not isinstance(node, ast.excepthandler)


def depths_found(document: Document) -> tuple[dict[int, int], set[int]]:
    """Depth of each line by its offset, and the offsets of those that are no statements of their own."""
    depths: dict[int, int] = {}
    clauses = set()

    def walk(base: int, lines: Sequence[LogicalLine], depth: int) -> None:
        for line in lines:
            depths[base + line.start] = depth
            if line.kind is LineKind.CLAUSE or line.keyword == "case":
                clauses.add(base + line.start)
            walk(base, line.children, depth + 1)

    for index, chunk in enumerate(document.chunks):
        walk(document.chunk_start(index), chunk.lines, 0)
    return depths, clauses


def check_against_ast(text: str, tree: ast.Module) -> None:
    document = Document(text)
    wanted = Starts(document)
    wanted.visit(tree)
    found, clauses = depths_found(document)
    # ast puts the statements of "elif" into an "if" of its own, one level deeper each time.
    assert {offset for offset in found if offset not in clauses} <= set(wanted.depths)
    for offset in set(wanted.depths) - set(found):
        before = text[:offset].rstrip(" \t\f\\\r\n")
        assert before[-1] in ":;", text[offset : offset + 40]
        assert text[text.rfind(before[-1], 0, offset) : offset].strip(" \t\f;:") in ("", "\\\n", "\\\r\n", "\\\r")
    if not any(line.keyword == "elif" for chunk in document.chunks for line in every_line(chunk.lines)):
        assert {
            offset: depth for offset, depth in found.items() if offset not in clauses
        }.items() <= wanted.depths.items()
    assert not [fault for chunk in document.chunks for fault in chunk.faults.values()]


def check_against_libcst(text: str) -> None:
    document = Document(text)
    module = libcst.parse_module(text)
    assert len(document.chunks) == len(module.body)
    for chunk, statement in zip(document.chunks, module.body):
        code = module.code_for_node(statement.with_changes(leading_lines=()))
        # libcst forgets form feeds in front of a line.
        assert code.replace("\f", "").startswith(chunk.text.replace("\f", "").lstrip(" \t"))


@settings(max_examples=examples(150), deadline=None)
@given(programs())
def test_generated_programs(text: str) -> None:
    tree = parsed(text)
    if tree is not None:
        check_against_ast(text, tree)


@settings(max_examples=examples(30), deadline=None)
@given(programs())
def test_top_level_of_generated_programs(text: str) -> None:
    try:
        libcst.parse_module(text)
    except libcst.ParserSyntaxError:
        return
    check_against_libcst(text)


@pytest.mark.parametrize(
    "module",
    [argparse, ast, dataclasses, difflib, inspect, random, tarfile, textwrap, typing],
    ids=lambda m: m.__name__,
)
def test_modules_of_the_standard_library(module: ModuleType) -> None:
    text = Path(inspect.getsourcefile(module) or "").read_text(encoding="utf-8")
    tree = parsed(text)
    assert tree is not None
    check_against_ast(text, tree)


@pytest.mark.parametrize("module", [dataclasses, textwrap], ids=lambda m: m.__name__)
def test_top_level_of_modules_of_the_standard_library(module: ModuleType) -> None:
    check_against_libcst(Path(inspect.getsourcefile(module) or "").read_text(encoding="utf-8"))
