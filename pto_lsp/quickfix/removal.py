"""Taking a statement's line out of the text."""

from __future__ import annotations

from collections.abc import Sequence

from pto_lsp.analysis.source.logical_lines import LogicalLine
from pto_lsp.quickfix.places import FunctionText
from pto_lsp.quickfix.rewriter import Rewriter


def remove_line(rewriter: Rewriter, text: FunctionText, line: LogicalLine, gone: Sequence[LogicalLine]) -> None:
    """Delete ``line`` with its comment. ``gone`` are all lines that the same fix deletes: the first of a block that
    loses all its statements becomes ``pass``.
    """
    start = text.chunk_start + line.start
    begin, end = text.begin_of_line(start), text.end_of_line(start + len(line.text))
    siblings = _siblings(text, line)
    leaving = [each for each in siblings if any(each is other for other in gone)]
    if len(leaving) == len(siblings) and leaving[0] is line:
        rewriter.replace(text.path, start, start + len(line.text), "pass")
        return
    rewriter.replace(text.path, begin, end, "")


def _siblings(text: FunctionText, line: LogicalLine) -> Sequence[LogicalLine]:
    """The lines of the block that ``line`` stands in."""
    level: Sequence[LogicalLine] = text.module.document.chunks[text.placed.chunk_index].lines
    while True:
        inside = [each for each in level if each.start <= line.start]
        if not inside or inside[-1] is line:
            return level
        level = inside[-1].children
