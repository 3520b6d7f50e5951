"""The DSL functions of one chunk: found by their decorators, before their lines are parsed."""

from __future__ import annotations

from collections.abc import Sequence

from pto_lsp.analysis.frontend.decorators import Declaration, declaration, is_program
from pto_lsp.analysis.ir.place import LOCALS
from pto_lsp.analysis.node import node
from pto_lsp.analysis.source import syntax
from pto_lsp.analysis.source.document import Chunk
from pto_lsp.analysis.source.logical_lines import LineKind, LogicalLine
from pto_lsp.analysis.source.units import UnitCache, UnitKind


@node
class Found:
    """A decorated function in its chunk. ``start`` is the beginning of the line of its first decorator, ``end`` the
    end of
    its last line, both in the chunk. ``owner`` is the qualified name of the ``@pl.program`` class of a method, ""
    otherwise;
    ``enclosing`` are the ``def`` lines of the Python functions around it, outermost first.
    """

    qualname: str
    owner: str
    declaration: Declaration
    start: int
    end: int
    head: LogicalLine
    enclosing: tuple[LogicalLine, ...]

    @property
    def name(self) -> str:
        return self.qualname.rpartition(".")[2]


@node
class Search:
    """What one chunk holds: DSL functions, ``@pl.program`` classes (qualified name, class line) and the other lines."""

    functions: tuple[Found, ...]
    programs: tuple[tuple[str, LogicalLine], ...]
    host: tuple[LogicalLine, ...]


def search(chunk: Chunk, roots: frozenset[str], cache: UnitCache) -> Search:
    """Everything of the DSL in ``chunk``; ``roots`` are the names that mean pypto in this file."""
    seeker = _Seeker(chunk.text, roots, cache)
    seeker.walk(chunk.lines, "", "", ())
    return Search(tuple(seeker.functions), tuple(seeker.programs), tuple(seeker.host))


class _Seeker:
    def __init__(self, text: str, roots: frozenset[str], cache: UnitCache) -> None:
        self._text = text
        self._roots = roots
        self._cache = cache
        self.functions: list[Found] = []
        self.programs: list[tuple[str, LogicalLine]] = []
        self.host: list[LogicalLine] = []

    def walk(self, lines: Sequence[LogicalLine], prefix: str, owner: str, enclosing: tuple[LogicalLine, ...]) -> None:
        decorators: list[LogicalLine] = []
        for line in lines:
            if line.kind is LineKind.DECORATOR:
                decorators.append(line)
                continue
            if line.kind is LineKind.DEF:
                self._definition(line, decorators, prefix, owner, enclosing)
            elif line.kind is LineKind.CLASS:
                self._class(line, decorators, prefix, enclosing)
            else:
                self.host.extend(decorators)
                self.host.append(line)
                if line.children:
                    self.walk(line.children, prefix, owner, enclosing)
            decorators = []
        self.host.extend(decorators)

    def _definition(
        self,
        line: LogicalLine,
        decorators: list[LogicalLine],
        prefix: str,
        owner: str,
        enclosing: tuple[LogicalLine, ...],
    ) -> None:
        name = _defined_name(line.text)
        found = self._declaration(decorators)
        qualname = prefix + name
        if found is not None and name:
            begin = self._line_start(decorators[0].start)
            self.functions.append(Found(qualname, owner, found, begin, _end(line), line, enclosing))
            return
        self.host.extend(decorators)
        self.host.append(line)
        self.walk(line.children, qualname + LOCALS, "", (*enclosing, line))

    def _class(
        self, line: LogicalLine, decorators: list[LogicalLine], prefix: str, enclosing: tuple[LogicalLine, ...]
    ) -> None:
        qualname = prefix + _defined_name(line.text)
        self.host.extend(decorators)
        self.host.append(line)
        owner = ""
        if any(is_program(value, self._roots) for value in self._decorator_values(decorators)):
            owner = qualname
            self.programs.append((qualname, line))
        self.walk(line.children, f"{qualname}.", owner, enclosing)

    def _declaration(self, decorators: list[LogicalLine]) -> Declaration | None:
        for value in self._decorator_values(decorators):
            found = declaration(value, self._roots)
            if found is not None:
                return found
        return None

    def _decorator_values(self, decorators: list[LogicalLine]) -> list[syntax.Expr]:
        values: list[syntax.Expr] = []
        for decorator in decorators:
            if any(root in decorator.text for root in self._roots):
                for statement in self._cache.get(decorator.text, UnitKind.DECORATOR).statements:
                    if isinstance(statement, syntax.Decorator):
                        values.append(statement.value)
        return values

    def _line_start(self, offset: int) -> int:
        return max(self._text.rfind("\n", 0, offset), self._text.rfind("\r", 0, offset)) + 1


def _end(line: LogicalLine) -> int:
    while line.children:
        line = line.children[-1]
    return line.end


def _defined_name(text: str) -> str:
    """Name after ``def`` or ``class``; "" when there is none yet."""
    words = text.replace("(", " ").replace(":", " ").replace("[", " ").split(None, 3)
    if words and words[0] == "async":
        words = words[1:]
    return words[1] if len(words) > 1 and words[1].isidentifier() else ""
