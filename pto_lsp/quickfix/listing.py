"""Extending what stands between parentheses, a parameter list or the arguments of a call, in its own style."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pto_lsp.diagnostics import Span
from pto_lsp.quickfix.places import FunctionText
from pto_lsp.quickfix.rewriter import Rewriter


@dataclass(frozen=True, slots=True)
class Listing:
    """``items`` are the file spans between the commas, in order; ``open`` is just behind the opening parenthesis,
    ``close`` at the closing one.
    """

    items: tuple[Span, ...]
    open: int
    close: int


def insert_items(rewriter: Rewriter, text: FunctionText, listing: Listing, index: int, new: Sequence[str]) -> None:
    """Insert ``new`` before item ``index``, or behind the last one.

    A list with one item per line gets a line for each new one; comments behind items stay with their items.
    """
    if not new:
        return
    content, path = text.text, text.path
    if not listing.items:
        rewriter.insert(path, listing.open, ", ".join(new))
        return
    wrapped = _wrapped(text, listing)
    if index < len(listing.items):
        at = listing.items[index].start
        if wrapped:
            indent = content[text.begin_of_line(at) : at]
            rewriter.insert(path, at, "".join(f"{item},{text.newline}{indent}" for item in new))
        else:
            rewriter.insert(path, at, "".join(f"{item}, " for item in new))
        return
    last = listing.items[-1]
    comma = _comma_behind(content, last.end, listing.close)
    if not wrapped:
        if comma is None:
            rewriter.insert(path, last.end, "".join(f", {item}" for item in new))
        else:
            rewriter.insert(path, comma + 1, "".join(f" {item}," for item in new))
        return
    indent = content[text.begin_of_line(last.start) : last.start]
    line_end = _before_terminator(text, last.end)
    if line_end > listing.close:
        # The closing parenthesis hugs the last item.
        lines = [f"{text.newline}{indent}{item}" for item in new]
        if comma is None:
            rewriter.insert(path, last.end, "".join(f",{line}" for line in lines))
        else:
            rewriter.insert(path, comma + 1, "".join(f"{line}," for line in lines))
        return
    if comma is None:
        rewriter.insert(path, last.end, ",")
    lines = [f"{text.newline}{indent}{item}," for item in new]
    rewriter.insert(path, line_end, "".join(lines) if comma is not None else "".join(lines)[:-1])


def remove_item(rewriter: Rewriter, text: FunctionText, listing: Listing, index: int) -> None:
    """Delete item ``index`` with its comma; with its line and the comment there where nothing else stands on it."""
    content, path, items = text.text, text.path, listing.items
    item = items[index]
    last = index == len(items) - 1
    comma = _comma_behind(content, item.end, listing.close) if last else content.index(",", item.end)
    begin, end = text.begin_of_line(item.start), _before_terminator(text, item.end)
    behind = content[item.end : end].lstrip(" \t,")
    alone = begin > listing.open and not content[begin : item.start].strip() and (not behind or behind[0] == "#")
    if alone and end <= listing.close:
        if last and comma is None and index:
            before = content.index(",", items[index - 1].end)
            rewriter.replace(path, before, before + 1, "")
        rewriter.replace(path, begin, text.end_of_line(item.end), "")
    elif not last:
        rewriter.replace(path, item.start, items[index + 1].start, "")
    elif index:
        rewriter.replace(path, items[index - 1].end, item.end, "")
    else:
        rewriter.replace(path, item.start, item.end if comma is None else comma + 1, "")


def _wrapped(text: FunctionText, listing: Listing) -> bool:
    """Whether the last item stands at the beginning of its own line."""
    last = listing.items[-1]
    begin = text.begin_of_line(last.start)
    return begin > listing.open and not text.text[begin : last.start].strip()


def _comma_behind(content: str, at: int, close: int) -> int | None:
    """Offset of the trailing comma between the last item and the closing parenthesis."""
    position = at
    while position < close:
        char = content[position]
        if char == ",":
            return position
        if char == "#":
            while position < close and content[position] not in "\r\n":
                position += 1
        else:
            position += 1
    return None


def _before_terminator(text: FunctionText, at: int) -> int:
    content, end = text.text, at
    while end < len(content) and content[end] not in "\r\n":
        end += 1
    return end
