"""One file as the front end sees it: its DSL functions, where they stand, and the lines Python cannot parse."""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import partial

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


class Placed:
    """A DSL function and where it stands: ``chunk_index`` in the document, ``found.start`` in that chunk.

    Its lines are parsed when somebody asks for ``function``; what nothing reaches is never parsed.
    """

    __slots__ = ("_build", "_function", "chunk_index", "found", "source")

    def __init__(self, source: SourceId, found: Found, chunk_index: int, build: Callable[[], DslFunction]) -> None:
        self.source = source
        self.found = found
        self.chunk_index = chunk_index
        self._build = build
        self._function: DslFunction | None = None

    @property
    def function(self) -> DslFunction:
        if self._function is None:
            self._function = self._build()
        return self._function


@node
class ModuleSyntax:
    """Snapshot of one text. ``programs`` maps the qualified name of a ``@pl.program`` class to its methods."""

    functions: tuple[Placed, ...]
    programs: dict[str, tuple[Placed, ...]]
    index: dict[tuple[str, int], Placed]

    def at(self, qualname: str, ordinal: int) -> Placed | None:
        return self.index.get((qualname, ordinal))

    def by_source(self, source: SourceId) -> Placed | None:
        placed = self.index.get((source.qualname, source.ordinal))
        return placed if placed is not None and placed.source is source else None


@node
class _ChunkFacts:
    roots: frozenset[str]
    search: Search


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
        self._sources: dict[tuple[str, int], SourceId] = {}
        self._functions: dict[SourceId, DslFunction] = {}
        self._broken: dict[Chunk, tuple[tuple[Span, Broken], ...]] = {}
        self._parsed: set[Found] = set()
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

    def parse_all(self) -> None:
        """Parse the lines of every function in one go, which is much cheaper than function by function."""
        texts = []
        for placed in self.syntax.functions:
            known = self._functions.get(placed.source)
            if known is None or known.text != self._text_of(placed):
                texts.extend(unit_texts(placed.found, self._cache))
                self._parsed.add(placed.found)
        self._cache.get_many(texts)

    def _text_of(self, placed: Placed) -> str:
        chunk = self.document.chunks[placed.chunk_index]
        return chunk.text[placed.found.start : placed.found.end]

    def broken_lines(self) -> list[tuple[int, Span, Broken]]:
        """Lines outside of DSL functions that Python cannot parse: chunk index, span in the chunk, what is wrong."""
        if not self.syntax.functions and "pypto" not in self.document.text:
            return []
        broken: dict[Chunk, tuple[tuple[Span, Broken], ...]] = {}
        found: list[tuple[int, Span, Broken]] = []
        for index, chunk in enumerate(self.document.chunks):
            known = self._broken.get(chunk)
            broken[chunk] = known = self._broken_in(chunk, self._facts[chunk].search) if known is None else known
            found.extend((index, span, what) for span, what in known)
        self._broken = broken
        return found

    def start_of(self, source: SourceId) -> int | None:
        """Offset in the file of the text of a function; None when it is gone."""
        placed = self.syntax.by_source(source)
        if placed is None:
            return None
        return self.document.chunk_start(placed.chunk_index) + placed.found.start

    def _read(self) -> ModuleSyntax:
        chunks = self.document.chunks
        if "pypto" not in self.document.text:
            return ModuleSyntax((), {}, {})
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
        for chunk in chunks:
            one = search(chunk, roots, self._cache) if "@" in chunk.text else Search((), (), ())
            facts[chunk] = _ChunkFacts(roots, one)

    def _broken_in(self, chunk: Chunk, one: Search) -> tuple[tuple[Span, Broken], ...]:
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
        ordinals: dict[str, int] = {}
        sources: dict[tuple[str, int], SourceId] = {}
        for index, chunk in enumerate(self.document.chunks):
            known = facts[chunk]
            for found in known.search.functions:
                ordinal = ordinals.get(found.qualname, 0)
                ordinals[found.qualname] = ordinal + 1
                key = (found.qualname, ordinal)
                source = self._sources.get(key) or SourceId(self.path, found.qualname, ordinal)
                sources[key] = source
                one = Placed(source, found, index, partial(self._function, chunk, found, source))
                placed.append(one)
                if found.owner:
                    programs.setdefault(found.owner, []).append(one)
        self._sources = sources
        self._parsed.clear()
        self._functions = {source: f for source, f in self._functions.items() if sources.get(_key(source)) is source}
        by_name = {_key(p.source): p for p in placed}
        classes = {name: tuple(methods) for name, methods in programs.items()}
        return ModuleSyntax(tuple(placed), classes, by_name)

    def _function(self, chunk: Chunk, found: Found, source: SourceId) -> DslFunction:
        text = chunk.text[found.start : found.end]
        known = self._functions.get(source)
        if known is None or known.text != text or known.owner != found.owner:
            if found not in self._parsed:
                self._cache.get_many(unit_texts(found, self._cache))
            known = self._functions[source] = build(found, chunk, source, text, self._cache, known)
        return known


def _key(source: SourceId) -> tuple[str, int]:
    return (source.qualname, source.ordinal)


def _all_lines(chunk: Chunk) -> list[LogicalLine]:
    found: list[LogicalLine] = []
    stack = list(reversed(chunk.lines))
    while stack:
        line = stack.pop()
        found.append(line)
        stack.extend(reversed(line.children))
    return found
