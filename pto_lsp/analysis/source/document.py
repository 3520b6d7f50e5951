"""A text as its top-level statements, kept up to date edit by edit.

A *chunk* is one top-level statement with its decorators and clauses (``else``, ``except`` …). It begins at the
beginning of its first physical line and ends before the terminator of its last; blank lines and comments between chunks
belong to none. Chunks hold no position of their own: a chunk whose text did not change is the same object after an
edit, however far it moved, so everything computed from it stays valid. ``Document.chunk_start`` says where it stands.

Offsets count code points of the text. A byte order mark at its beginning counts like any other character and is
otherwise ignored.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from operator import itemgetter
from typing import NamedTuple

from pto_lsp.analysis.source.logical_lines import Fault, LineTree, LogicalLine, build_tree
from pto_lsp.analysis.source.offsets import OffsetTable
from pto_lsp.analysis.source.scanner import Comment, RawLine, ScannedChunk, Scanner
from pto_lsp.analysis.source.text import LineTable
from pto_lsp.diagnostics import Position, Range, Span


class Chunk:
    """One top-level statement. Immutable; compares by identity. Offsets count from its start."""

    __slots__ = ("_tree", "comments", "raw_lines", "text")

    def __init__(self, text: str, raw_lines: tuple[RawLine, ...], comments: tuple[Comment, ...]) -> None:
        self.text = text
        self.raw_lines = raw_lines
        self.comments = comments
        self._tree: LineTree | None = None

    @property
    def tree(self) -> LineTree:
        """The logical lines by indentation. Computed at first use."""
        tree = self._tree
        if tree is None:
            tree = self._tree = build_tree(self.text, self.raw_lines)
        return tree

    @property
    def lines(self) -> Sequence[LogicalLine]:
        """The top level of ``tree``."""
        return self.tree.top

    def line_at(self, offset: int) -> LogicalLine | None:
        """The last logical line that begins at or before ``offset``; blanks and comments behind a line count as its."""
        index = bisect_right(self.raw_lines, offset, key=itemgetter(0)) - 1
        return self.tree.flat[index] if index >= 0 else None

    @property
    def faults(self) -> Mapping[LogicalLine, Fault]:
        """What is wrong with the layout, by the line to report it at."""
        return self.tree.faults


class Change(NamedTuple):
    """What an edit did to ``Document.chunks``: from index ``first`` on, ``removed`` gave way to ``added``."""

    first: int
    removed: tuple[Chunk, ...]
    added: tuple[Chunk, ...]


class Document:
    """Not safe for use from several threads at once; its chunks are."""

    def __init__(self, text: str) -> None:
        self._table = LineTable(text)
        scanner = Scanner(text)
        self._leading, position = scanner.preamble()
        found = _Regions()
        while position < len(text):
            position = found.add(scanner, position)
        self._starts = OffsetTable(found.starts)
        self._chunks = [Chunk(text[start : one.end], one.lines, one.comments) for start, one in found.pairs()]
        self._gaps = [one.gap_comments for one in found.scanned]
        self._reaches = found.reaches()
        self._far = found.far(0)

    @property
    def text(self) -> str:
        return self._table.text

    @property
    def line_table(self) -> LineTable:
        """Read only: edit the document, not the table."""
        return self._table

    @property
    def chunks(self) -> Sequence[Chunk]:
        """In the order of the text. An edit does not change this list, it makes a new one."""
        return self._chunks

    def chunk_start(self, index: int) -> int:
        """Offset of the beginning of the first physical line of ``chunks[index]``."""
        return self._starts[index]

    def chunk_starts(self) -> list[int]:
        return self._starts.to_list()

    def chunk_index(self, offset: int) -> int:
        """The last chunk that begins at or before ``offset``, which may stand in the gap behind it; -1 for none."""
        return self._starts.count_up_to(offset) - 1

    def comments(self) -> list[Comment]:
        """Every comment, inside chunks and between them, with offsets into the text."""
        found = list(self._leading)
        for start, chunk, gap in zip(self.chunk_starts(), self._chunks, self._gaps):
            found.extend([Comment(start + offset, text) for offset, text in chunk.comments])
            found.extend([Comment(start + offset, text) for offset, text in gap])
        return found

    def position(self, offset: int) -> Position:
        return self._table.position(offset)

    def offset(self, position: Position) -> int:
        return self._table.offset(position.line, position.column)

    def range_in_chunk(self, index: int, span: Span) -> Range:
        """Where ``span``, offsets from the start of ``chunks[index]``, stands in the file."""
        start = self._starts[index]
        position = self._table.position
        return Range(position(start + span.start), position(start + span.end))

    def replace_text(self, text: str) -> Change:
        """Take ``text`` for the whole content. What it has in common with the old content stays the same chunks."""
        old = self._table.text
        prefix = _common_prefix(old, text)
        suffix = _common_suffix(old, text, min(len(old), len(text)) - prefix)
        return self.edit(prefix, len(old) - suffix, text[prefix : len(text) - suffix])

    def edit(self, start: int, end: int, replacement: str) -> Change:
        """Replace the text between the offsets ``start`` and ``end`` (exclusive; ``0 <= start <= end <= length``)."""
        self._table.edit(start, end, replacement)
        text = self._table.text
        shift = len(replacement) - (end - start)
        scanner = Scanner(text)
        first = self._first_affected(start)
        if first < 0:
            first = 0
            self._leading, position = scanner.preamble()
        else:
            position = self._starts[first]
        found = _Regions()
        last = len(self._chunks)
        while position < len(text):
            if position >= end + shift:
                index = self._index_of_start(position - shift)
                # The byte order mark means nothing but at the very beginning.
                if index >= 0 and (position == 0) == (position == shift):
                    last = index
                    break
            position = found.add(scanner, position)
        return self._splice(first, last, found, shift)

    def _first_affected(self, offset: int) -> int:
        """The first chunk whose scan depends on text from ``offset`` on; -1 for what precedes all chunks."""
        starts, reaches = self._starts, self._reaches
        index = starts.count_up_to(offset) - 1
        for far in self._far:
            if far < index and starts[far] + reaches[far] > offset:
                return far
        if index > 0:
            return index - 1 if starts[index - 1] + reaches[index - 1] > offset else index
        return -1

    def _index_of_start(self, offset: int) -> int:
        index = self._starts.count_below(offset)
        return index if index < len(self._starts) and self._starts[index] == offset else -1

    def _splice(self, first: int, last: int, found: _Regions, shift: int) -> Change:
        removed = self._chunks[first:last]
        text = self._table.text
        by_text: dict[str, list[Chunk]] = {}
        for chunk in reversed(removed):
            by_text.setdefault(chunk.text, []).append(chunk)
        added: list[Chunk] = []
        for start, scanned in found.pairs():
            content = text[start : scanned.end]
            candidates = by_text.get(content)
            if candidates and candidates[-1].raw_lines == scanned.lines and candidates[-1].comments == scanned.comments:
                added.append(candidates.pop())
            else:
                added.append(Chunk(content, scanned.lines, scanned.comments))
        self._chunks = self._chunks[:first] + added + self._chunks[last:]
        self._starts.splice(first, last, found.starts, shift)
        self._gaps[first:last] = [scanned.gap_comments for scanned in found.scanned]
        self._reaches[first:last] = found.reaches()
        moved = len(added) - len(removed)
        self._far = [
            *(index for index in self._far if index < first),
            *found.far(first),
            *(index + moved for index in self._far if index >= last),
        ]
        same = 0
        while same < len(removed) and same < len(added) and removed[same] is added[same]:
            same += 1
        while len(removed) > same and len(added) > same and removed[-1] is added[-1]:
            removed.pop()
            added.pop()
        return Change(first + same, tuple(removed[same:]), tuple(added[same:]))


class _Regions:
    """Freshly scanned chunks with their starts."""

    __slots__ = ("scanned", "starts")

    def __init__(self) -> None:
        self.starts: list[int] = []
        self.scanned: list[ScannedChunk] = []

    def add(self, scanner: Scanner, position: int) -> int:
        """Scan the chunk at ``position``; returns where the next one begins."""
        scanned = scanner.chunk(position)
        self.starts.append(position)
        self.scanned.append(scanned)
        return scanned.following

    def pairs(self) -> Iterator[tuple[int, ScannedChunk]]:
        return zip(self.starts, self.scanned)

    def reaches(self) -> list[int]:
        """``ScannedChunk.reach`` relative to the chunk."""
        return [scanned.reach - start for start, scanned in self.pairs()]

    def far(self, first: int) -> list[int]:
        """Which of the chunks look ahead, when they stand in the document from index ``first`` on."""
        return [index for index, scanned in enumerate(self.scanned, first) if scanned.far]


def _common_prefix(left: str, right: str) -> int:
    """Length of the longest common prefix, by bisection: comparing slices runs at memory speed."""
    low, high = 0, min(len(left), len(right))
    while low < high:
        middle = (low + high + 1) // 2
        if left[low:middle] == right[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _common_suffix(left: str, right: str, limit: int) -> int:
    """Length of the longest common suffix that is at most ``limit``."""
    low, high = 0, limit
    while low < high:
        middle = (low + high + 1) // 2
        if left[len(left) - middle : len(left) - low] == right[len(right) - middle : len(right) - low]:
            low = middle
        else:
            high = middle - 1
    return low
