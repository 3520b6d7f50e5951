"""Where an IR node comes from, independent of where its function stands in the file today."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Set as AbstractSet
from typing import TypeVar

from pto_lsp.analysis.node import node
from pto_lsp.diagnostics import Span

_K = TypeVar("_K")
_V = TypeVar("_V")

LOCALS = ".<locals>."
"""In a qualified name, between those of a function and of what is defined in it."""


@node
class SourceId:
    """Identity of one function's source text. ``path`` is the file; ``qualname`` like "P.layer"; ``ordinal`` tells
    functions of the same qualified name in one file apart. The document that owns it knows its present position.
    """

    path: str
    qualname: str
    ordinal: int


class LineStart:
    """Where a logical line begins: code-point offset into the text of its function.

    The one thing here that changes: a line that an edit of its function merely moved keeps its object, and what was
    computed from it stays right. Only the front end writes ``offset``, when it reads a new text.
    """

    __slots__ = ("offset",)

    def __init__(self, offset: int) -> None:
        self.offset = offset


FUNCTION_START = LineStart(0)
"""Where the text of every function begins. Nobody moves it."""


@node
class Anchor:
    """Base of the spans of one statement: the line ``line`` in the text of the function ``source``.

    ``inlined_at`` is the place of the call through which the statement was spliced, None for a statement that
    stands where it was written.
    """

    source: SourceId
    line: LineStart
    inlined_at: Place | None = None

    @property
    def offset(self) -> int:
        """Where the line begins now: code points from the start of the function's text."""
        return self.line.offset


@node
class Place:
    """A concrete range: ``local`` counts from the beginning of the line ``anchor`` stands for."""

    anchor: Anchor
    local: Span

    @property
    def source(self) -> SourceId:
        return self.anchor.source

    @property
    def span(self) -> Span:
        """The range as it is now, counted from the start of the text of the function ``source``."""
        offset, local = self.anchor.line.offset, self.local
        return Span(local.start + offset, local.end + offset)


def place(anchor: Anchor, span: Span) -> Place:
    """The range ``span`` (relative to the statement) of a statement that stands at ``anchor``."""
    return Place(anchor, span)


def forget(table: dict[_K, _V], gone: AbstractSet[SourceId], source_of: Callable[[_K], SourceId]) -> None:
    """Take out of ``table`` what it has of functions that are ``gone``."""
    for key in [key for key in table if source_of(key) in gone]:
        del table[key]


def itself(source: SourceId) -> SourceId:
    return source
