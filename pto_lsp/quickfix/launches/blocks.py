"""Taking a block out of its header, and moving lines."""

from __future__ import annotations

from collections.abc import Iterator

from pto_lsp.analysis.source.logical_lines import LogicalLine
from pto_lsp.quickfix.places import FunctionText
from pto_lsp.quickfix.rewriter import Refused, Rewriter


def end_of_block(text: FunctionText, line: LogicalLine) -> int:
    """File offset behind the last physical line of ``line`` and everything below it."""
    last = line
    while last.children:
        last = last.children[-1]
    return text.end_of_line(text.chunk_start + last.end)


def unwrap(rewriter: Rewriter, text: FunctionText, line: LogicalLine) -> None:
    """Delete the header ``line`` and move its block out. Raises `Refused` where the layout is unusual."""
    start = text.chunk_start + line.start
    begin, behind = text.begin_of_line(start), text.end_of_line(start + len(line.text))
    comment = text.text[start + len(line.text) : behind].strip()
    if comment:
        rewriter.replace(text.path, start, behind, f"{comment}{text.newline}")
    else:
        rewriter.replace(text.path, begin, behind, "")
    outdent(rewriter, text, line, text.indentation(line))


def outdent(rewriter: Rewriter, text: FunctionText, line: LogicalLine, to: str) -> None:
    """Move the block below ``line`` out, so that its first line is indented by ``to``."""
    if not line.children:
        raise Refused("the block stands on the line of its header")
    extra = text.indentation(line.children[0])[len(to) :]
    behind = text.end_of_line(text.chunk_start + line.end)
    for at in _lines(text, behind, end_of_block(text, line)):
        if text.text.startswith(to + extra, at):
            rewriter.replace(text.path, at + len(to), at + len(to) + len(extra), "")
        elif text.text[at : text.end_of_line(at)].strip():
            raise Refused("a line of the block is not indented like the others")


def _lines(text: FunctionText, start: int, end: int) -> Iterator[int]:
    if '"""' in text.text[start:end] or "'''" in text.text[start:end]:
        raise Refused("the block holds a string of several lines")
    at = start
    while at < end:
        yield at
        at = text.end_of_line(at)
