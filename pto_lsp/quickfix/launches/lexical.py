"""The statements of a function as written, each with what encloses it."""

from __future__ import annotations

from dataclasses import dataclass

from pto_lsp.analysis.ir.expressions import Const
from pto_lsp.analysis.ir.place import Anchor
from pto_lsp.analysis.ir.statements import Block, For, If, Stmt
from pto_lsp.analysis.ir.visitor import blocks
from pto_lsp.analysis.source.logical_lines import LineKind, LogicalLine
from pto_lsp.project import Project
from pto_lsp.quickfix.places import FunctionText
from pto_lsp.quickfix.rewriter import Refused

Chain = tuple[tuple[Stmt, int], ...]
"""Enclosing statements from outermost inwards, each with the number of its block."""


@dataclass(frozen=True, slots=True)
class Written:
    """``stmt`` is the statement before any pass, ``chain`` what it stands in."""

    stmt: Stmt
    line: LogicalLine
    chain: Chain


class Lexical:
    """Looks up the statements of one function by their anchors."""

    def __init__(self, project: Project, text: FunctionText) -> None:
        self.text = text
        lowered = project.linker.lowered(text.path, text.module, text.placed).lowered
        self.body = lowered.function.body or ()
        self._found: dict[int, list[tuple[Stmt, Chain]]] = {}
        self._walk(self.body, ())

    def at(self, anchor: Anchor) -> Written:
        """The statement at ``anchor``. Raises `Refused` unless it has a line of its own."""
        found = self._found.get(anchor.offset, [])
        line = self.text.line(anchor)
        if anchor.source is not self.text.placed.source or not found or line is None:
            raise Refused("the statement was not found")
        if len(found) > 1 or (line.kind is LineKind.SIMPLE and ";" in line.text):
            raise Refused("the statement shares its line with something else")
        stmt, chain = found[0]
        return Written(stmt, line, chain)

    def of(self, stmt: Stmt) -> Written:
        return self.at(stmt.at)

    def statements(self) -> list[Stmt]:
        """All statements in the order of the text."""
        return [stmt for found in self._found.values() for stmt, _ in found]

    def _walk(self, body: Block, chain: Chain) -> None:
        for stmt in body:
            self._found.setdefault(stmt.at.offset, []).append((stmt, chain))
            for number, inner in enumerate(blocks(stmt)):
                self._walk(inner, (*chain, (stmt, number)))


def common(a: Chain, b: Chain) -> int:
    """How many enclosing blocks two statements share."""
    shared = 0
    for (one, arm), (two, other) in zip(a, b):
        if one is not two or arm != other:
            break
        shared += 1
    return shared


def trips_of(loop: For) -> range:
    """The trips of a loop. Raises `Refused` unless its bounds are constants."""
    bounds = [e.value for e in (loop.start, loop.stop, loop.step) if isinstance(e, Const)]
    start, stop, step = bounds if len(bounds) == 3 else (None, None, None)
    if type(start) is not int or type(stop) is not int or type(step) is not int or step == 0:
        raise Refused("the trip count of a loop is not constant")
    return range(start, stop, step)


def branches(chain: Chain) -> bool:
    """Whether some block of ``chain`` is the arm of an ``if``."""
    return any(isinstance(stmt, If) for stmt, _ in chain)
