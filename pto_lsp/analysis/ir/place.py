"""Where an IR node comes from, independent of where its function stands in the file today."""

from __future__ import annotations

from pto_lsp.analysis.node import node
from pto_lsp.diagnostics import Span


@node
class SourceId:
    """Identity of one function's source text. ``path`` is the file; ``qualname`` like "P.layer"; ``ordinal`` tells
    functions of the same qualified name in one file apart. The document that owns it knows its present position."""

    path: str
    qualname: str
    ordinal: int


@node
class Anchor:
    """Base of the spans of one statement: code-point offset ``offset`` into the text of the function ``source``.

    ``inlined_at`` is the place of the call through which the statement was spliced, None for a statement that
    stands where it was written.
    """

    source: SourceId
    offset: int
    inlined_at: Place | None = None


@node
class Place:
    """A concrete range: ``span`` counts from the start of the function ``anchor.source`` (offset already added)."""

    anchor: Anchor
    span: Span

    @property
    def source(self) -> SourceId:
        return self.anchor.source


def place(anchor: Anchor, span: Span) -> Place:
    """The range ``span`` (relative to the statement) of a statement that stands at ``anchor``."""
    return Place(anchor, Span(span.start + anchor.offset, span.end + anchor.offset))
