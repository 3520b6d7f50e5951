"""A comment that silences one finding (rule-codes.md, "Suppression")."""

from __future__ import annotations

import re

from pto_lsp.analysis.frontend.module import Module
from pto_lsp.diagnostics import Diagnostic, Range, TextEdit

_LISTED = re.compile(r"#\s*pto:\s*ignore\s*\[[^\]\r\n]*")


def suppression(module: Module, diagnostic: Diagnostic) -> TextEdit | None:
    """The edit that silences ``diagnostic`` on its line; None where no comment can stand.

    A comment that is there already is kept, and a list of codes in it extended.
    """
    document = module.document
    text = document.text
    offset = document.offset(diagnostic.range.start)
    index = document.chunk_index(offset)
    if not diagnostic.code or index < 0:
        return None
    begin = document.chunk_start(index)
    line = document.chunks[index].line_at(offset - begin)
    if line is None:
        return None
    # Behind the last physical line: the ones before it may end in a backslash, or inside a string.
    start = end = begin + line.end
    while end < len(text) and text[end] not in "\r\n":
        end += 1
    if text[start:end].rstrip().endswith("\\"):
        return None
    listed = _LISTED.search(text, start, end)
    if listed is not None:
        at, content = listed.end(), f", {diagnostic.code}"
    else:
        at = start + len(text[start:end].rstrip())
        content = f"  # pto: ignore[{diagnostic.code}]"
    where = document.position(at)
    return TextEdit(module.path, Range(where, where), content)
