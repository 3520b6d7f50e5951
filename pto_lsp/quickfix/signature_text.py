"""A parameter list as written, and changes of it."""

from __future__ import annotations

from collections.abc import Sequence

from pto_lsp.analysis.source.signature import Piece, split_signature
from pto_lsp.diagnostics import Span
from pto_lsp.quickfix.listing import Listing, insert_items, remove_item
from pto_lsp.quickfix.places import FunctionText
from pto_lsp.quickfix.rewriter import Refused, Rewriter


class SignatureText:
    """Positions count the parameters of the DSL: a method's ``self`` is none. Raises `Refused` for a broken header."""

    def __init__(self, text: FunctionText) -> None:
        head = text.placed.found.head
        signature = split_signature(head.text)
        if signature is None or not signature.closed:
            raise Refused("the signature cannot be read")
        self._text = text
        self._base = base = text.chunk_start + head.start
        self._pieces = [p for p in signature.parameters if p.text]
        items = tuple(Span(base + p.start, base + p.end) for p in self._pieces)
        self._listing = Listing(items, base + signature.before.end, base + signature.after.start)
        self._leading = 1 if text.placed.function.method and self._pieces and self._pieces[0].text == "self" else 0

    def append(self, rewriter: Rewriter, new: Sequence[str]) -> int:
        """Append parameters, before those with defaults; the position of the first of them."""
        count = len(self._pieces)
        for position, piece in enumerate(self._pieces):
            if piece.text[0] in "*/" or "=" in _without_brackets(piece.text):
                count = position
                break
        insert_items(rewriter, self._text, self._listing, count, new)
        return count - self._leading

    def remove(self, rewriter: Rewriter, index: int) -> None:
        remove_item(rewriter, self._text, self._listing, self._leading + index)

    @property
    def listing(self) -> Listing:
        """All parameters, ``leading`` of which the DSL does not count."""
        return self._listing

    @property
    def leading(self) -> int:
        return self._leading

    def parameter(self, index: int) -> Piece:
        """The text of a parameter; ``start`` is a file offset."""
        piece = self._pieces[self._leading + index]
        return Piece(piece.text, self._base + piece.start)


def _without_brackets(text: str) -> str:
    """``text`` without what stands inside brackets, so that an ``=`` left over is a default."""
    depth, kept = 0, []
    for char in text:
        if char in "([{":
            depth += 1
        elif char in ")]}":
            depth -= 1
        elif depth == 0:
            kept.append(char)
    return "".join(kept)
