"""Text edits on plain text."""

from __future__ import annotations

from collections.abc import Iterable

from pto_lsp.analysis.source.text import LineTable
from pto_lsp.diagnostics import TextEdit


def apply_edits(text: str, edits: Iterable[TextEdit], path: str | None = None) -> str:
    """``text`` after those of ``edits`` that concern ``path`` (all of them when it is None), sorted as in a `Fix`."""
    table = LineTable(text)
    parts: list[str] = []
    position = 0
    for edit in edits:
        if path is not None and edit.path != path:
            continue
        start, end = table.offset(*edit.range.start), table.offset(*edit.range.end)
        parts += (text[position:start], edit.content)
        position = end
    parts.append(text[position:])
    return "".join(parts)
