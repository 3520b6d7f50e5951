"""One file as the front end sees it: its DSL functions, where they stand, and the lines Python cannot parse."""

from __future__ import annotations

import ast

from pto_lsp.analysis.frontend.dsl_function import DslFunction, build, fault_message, unit_kind, unit_texts
from pto_lsp.analysis.frontend.functions import Found, Search, search
from pto_lsp.analysis.frontend.imports import CONVENTIONAL, roots_of
from pto_lsp.analysis.ir.place import SourceId
from pto_lsp.analysis.node import node
from pto_lsp.analysis.source.document import Chunk, Document
from pto_lsp.analysis.source.logical_lines import LogicalLine
from pto_lsp.analysis.source.syntax import Broken
from pto_lsp.analysis.source.units import UnitCache
from pto_lsp.diagnostics import Span


@node
class Placed:
    """A DSL function and where it stands: ``chunk_index`` in the document, ``start`` in that chunk."""

    function: DslFunction
    found: Found
    chunk: Chunk
    chunk_index: int
    start: int


@node
class ModuleSyntax:
    """Snapshot of one text. ``programs`` maps the qualified name of a ``@pl.program`` class to its methods.

    ``broken`` are lines outside of DSL functions that Python cannot parse: chunk index, span in the chunk, what is
    wrong.
    """

    functions: tuple[Placed, ...]
    programs: dict[str, tuple[Placed, ...]]
    broken: tuple[tuple[int, Span, Broken], ...]
    index: dict[tuple[str, int], Placed]

    def at(self, qualname: str, ordinal: int) -> Placed | None:
        return self.index.get((qualname, ordinal))

    def by_source(self, source: SourceId) -> Placed | None:
        placed = self.index.get((source.qualname, source.ordinal))
        return placed if placed is not None and placed.function.source is source else None


@node
class _ChunkFacts:
    roots: frozenset[str]
    search: Search
    broken: tuple[tuple[Span, Broken], ...]


class Module:
    """A file that is being edited or was read. ``syntax`` follows ``document``; functions that did not change stay
    the same
    objects, however far they moved.
    """

    def __init__(self, path: str, text: str, cache: UnitCache) -> None:
        self.path = path
        self.document = Document(text)
        self._cache = cache
        self._imports: dict[Chunk, frozenset[str]] = {}
        self._facts: dict[Chunk, _ChunkFacts] = {}
        self._functions: dict[tuple[str, int], DslFunction] = {}
        self._syntax: ModuleSyntax | None = None

    def edit(self, start: int, end: int, replacement: str) -> None:
        """Replace the text between two offsets."""
        self.document.edit(start, end, replacement)
        self._syntax = None

    def replace_text(self, text: str) -> None:
        self.document.replace_text(text)
        self._syntax = None

    @property
    def syntax(self) -> ModuleSyntax:
        if self._syntax is None:
            self._syntax = self._read()
        return self._syntax

    def start_of(self, source: SourceId) -> int | None:
        """Offset in the file of the text of a function; None when it is gone."""
        placed = self.syntax.by_source(source)
        if placed is None:
            return None
        return self.document.chunk_start(placed.chunk_index) + placed.start

    def _read(self) -> ModuleSyntax:
        chunks = self.document.chunks
        if "pypto" not in self.document.text:
            return ModuleSyntax((), {}, (), {})
        roots = self._roots()
        facts: dict[Chunk, _ChunkFacts] = {}
        fresh: list[Chunk] = []
        for chunk in chunks:
            known = self._facts.get(chunk)
            if known is not None and known.roots == roots:
                facts[chunk] = known
            else:
                fresh.append(chunk)
        self._search(fresh, roots, facts)
        self._facts = facts
        return self._assemble(facts)

    def _roots(self) -> frozenset[str]:
        imports: dict[Chunk, frozenset[str]] = {}
        for chunk in self.document.chunks:
            known = self._imports.get(chunk)
            imports[chunk] = roots_of(chunk.text) if known is None else known
        self._imports = imports
        return CONVENTIONAL.union(*imports.values())

    def _search(self, chunks: list[Chunk], roots: frozenset[str], facts: dict[Chunk, _ChunkFacts]) -> None:
        """Look through new chunks; the units of all their functions are parsed in one go."""
        found: list[tuple[Chunk, Search]] = []
        texts = []
        for chunk in chunks:
            if "@" in chunk.text:
                one = search(chunk, roots, self._cache)
                for function in one.functions:
                    texts.extend(unit_texts(function))
            else:
                one = Search((), (), ())
            found.append((chunk, one))
        self._cache.get_many(texts)
        for chunk, one in found:
            facts[chunk] = _ChunkFacts(roots, one, self._broken(chunk, one))

    def _broken(self, chunk: Chunk, one: Search) -> tuple[tuple[Span, Broken], ...]:
        lines: list[LogicalLine] = list(one.host)
        if not one.functions:
            try:
                ast.parse(chunk.text)
                return ()
            except (SyntaxError, ValueError, RecursionError, MemoryError):
                lines = _all_lines(chunk)
        units = self._cache.get_many([(line.text, unit_kind(line)) for line in lines])
        broken: list[tuple[Span, Broken]] = []
        for line, unit in zip(lines, units):
            if unit.broken is not None:
                broken.append((unit.broken.span.shifted(line.start), unit.broken))
            elif line in chunk.faults:
                whole = Broken(fault_message(chunk.faults[line]), Span(0, len(line.text)), False)
                broken.append((whole.span.shifted(line.start), whole))
        return tuple(broken)

    def _assemble(self, facts: dict[Chunk, _ChunkFacts]) -> ModuleSyntax:
        placed: list[Placed] = []
        programs: dict[str, list[Placed]] = {}
        broken: list[tuple[int, Span, Broken]] = []
        ordinals: dict[str, int] = {}
        functions: dict[tuple[str, int], DslFunction] = {}
        for index, chunk in enumerate(self.document.chunks):
            known = facts[chunk]
            for span, what in known.broken:
                broken.append((index, span, what))
            for found in known.search.functions:
                ordinal = ordinals.get(found.qualname, 0)
                ordinals[found.qualname] = ordinal + 1
                function = self._function(chunk, found, ordinal)
                functions[found.qualname, ordinal] = function
                one = Placed(function, found, chunk, index, found.start)
                placed.append(one)
                if found.owner:
                    programs.setdefault(found.owner, []).append(one)
        self._functions = functions
        by_name = {(p.function.source.qualname, p.function.source.ordinal): p for p in placed}
        classes = {name: tuple(methods) for name, methods in programs.items()}
        return ModuleSyntax(tuple(placed), classes, tuple(broken), by_name)

    def _function(self, chunk: Chunk, found: Found, ordinal: int) -> DslFunction:
        text = chunk.text[found.start : found.end]
        known = self._functions.get((found.qualname, ordinal))
        if known is not None and known.text == text and known.owner == found.owner:
            return known
        source = known.source if known is not None else SourceId(self.path, found.qualname, ordinal)
        return build(found, chunk, source, text, self._cache)


def _all_lines(chunk: Chunk) -> list[LogicalLine]:
    found: list[LogicalLine] = []
    stack = list(reversed(chunk.lines))
    while stack:
        line = stack.pop()
        found.append(line)
        stack.extend(reversed(line.children))
    return found
