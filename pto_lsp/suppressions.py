"""Comments that silence findings (rule-codes.md, "Suppression"), and PTO009 for those that silence nothing.

``# pto: ignore`` on any physical line of a logical line silences every finding that begins in that logical line;
``# pto: ignore[PTO101, PTO102] reason`` only those codes; ``# pto: ignore-file``, with or without codes, silences the
file when it stands before the first statement (a docstring does not count).
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from pto_lsp.analysis.rules import registry
from pto_lsp.analysis.source.scanner import Comment, Scanner
from pto_lsp.analysis.source.text import LineTable
from pto_lsp.diagnostics import Applicability, Diagnostic, Fix, Range, Severity, Tag, TextEdit

UNUSED = "PTO009"
UNUSED_NAME = "unused-suppression"

_DIRECTIVE = re.compile(r"#\s*pto:\s*ignore(-file)?(?![\w-])(\s*\[)?")
_CODE = re.compile(r"[^,\s](?:[^,]*[^,\s])?")
_WELL_FORMED = re.compile(r"PTO\d{3}")
_INCOMPLETE = frozenset({"PTO001", "PTO008"})
"""Where one of these is found, part of the file was not checked: nothing there can be called unused."""


class _Code(NamedTuple):
    text: str
    start: int
    end: int


@dataclass(slots=True)
class _Directive:
    """One suppression. Offsets into the text: ``start`` of its ``#``, ``end`` of its comment.

    ``codes`` is None when it stands for every rule. ``first`` and ``last`` are the physical lines it covers, None for
    the whole file; ``fault`` says why it can silence nothing.
    """

    start: int
    end: int
    whole_file: bool
    codes: tuple[_Code, ...] | None
    first: int = -1
    last: int = -1
    fault: str = ""
    used: set[str] = field(default_factory=set)

    def silences(self, code: str, line: int) -> bool:
        if self.fault or not (self.whole_file or self.first <= line <= self.last):
            return False
        if self.codes is not None and all(listed.text != code for listed in self.codes):
            return False
        self.used.add(code)
        return True


def apply(text: str, path: str, found: tuple[Diagnostic, ...]) -> tuple[Diagnostic, ...]:
    """The findings of the file ``path`` with this ``text``, without what is silenced, then the unused suppressions."""
    if "pto:" not in text:
        return found
    table = LineTable(text)
    directives = list(_directives(text, table))
    if not directives:
        return found
    kept = tuple(
        diagnostic
        for diagnostic in found
        # A list, not a generator: every suppression that fits is used.
        if not any([directive.silences(diagnostic.code, diagnostic.range.start.line) for directive in directives])
    )
    if any(diagnostic.code in _INCOMPLETE for diagnostic in found):
        return kept
    unused = [diagnostic for directive in directives for diagnostic in _unused(directive, table, path)]
    return kept + tuple(
        diagnostic for diagnostic in unused if not _names_unused(directives, diagnostic.range.start.line)
    )


def _names_unused(directives: list[_Directive], line: int) -> bool:
    """Whether somebody asked, by code, not to hear about unused suppressions on this line."""
    return any(
        (directive.whole_file or directive.first <= line <= directive.last)
        and any(listed.text == UNUSED for listed in directive.codes or ())
        for directive in directives
    )


def _directives(text: str, table: LineTable) -> Iterator[_Directive]:
    comments, lines = _scan(text)
    starts = [start for start, _ in lines]
    body = _first_statement(text, lines)
    for comment in comments:
        match = _DIRECTIVE.search(comment.text)
        if match is None:
            continue
        directive = _read(comment, match)
        if directive.whole_file:
            if comment.offset > body:
                directive.fault = "it counts only before the first statement"
        else:
            directive.first, directive.last = _logical_line(comment.offset, starts, lines, table)
        yield directive


def _scan(text: str) -> tuple[list[Comment], list[tuple[int, int]]]:
    """All comments and logical lines (start, end) of the text, as offsets into it."""
    scanner = Scanner(text)
    first, begin = scanner.preamble()
    comments = list(first)
    lines: list[tuple[int, int]] = []
    while begin < len(text):
        chunk = scanner.chunk(begin)
        lines.extend((begin + line[0], begin + line[1]) for line in chunk.lines)
        for comment in (*chunk.comments, *chunk.gap_comments):
            comments.append(Comment(begin + comment.offset, comment.text))
        begin = chunk.following
    return comments, lines


def _first_statement(text: str, lines: list[tuple[int, int]]) -> int:
    """Offset of the first logical line that is not the module's docstring; the end of the text if there is none."""
    for number, (start, _) in enumerate(lines):
        if number > 0 or re.match(r"[rRuU]?[\"']", text[start : start + 2]) is None:
            return start
    return len(text)


def _logical_line(offset: int, starts: list[int], lines: list[tuple[int, int]], table: LineTable) -> tuple[int, int]:
    """First and last physical line of the logical line that the comment at ``offset`` stands in or behind."""
    own = table.position(offset).line
    index = bisect_right(starts, offset) - 1
    if index >= 0:
        first, last = (table.position(place).line for place in lines[index])
        if own <= last:
            return first, last
    return own, own


def _read(comment: Comment, match: re.Match[str]) -> _Directive:
    start, end = comment.offset + match.start(), comment.offset + len(comment.text)
    whole_file = match[1] is not None
    if match[2] is None:
        return _Directive(start, end, whole_file, None)
    close = comment.text.find("]", match.end())
    if close < 0:
        return _Directive(start, end, whole_file, (), fault="its bracket is not closed")
    codes = tuple(
        _Code(found[0], comment.offset + found.start(), comment.offset + found.end())
        for found in _CODE.finditer(comment.text, match.end(), close)
    )
    return _Directive(start, end, whole_file, codes, fault="" if codes else "it names no rule")


def _unused(directive: _Directive, table: LineTable, path: str) -> Iterator[Diagnostic]:
    """At most one finding a directive, so that the repairs of one file never overlap."""
    codes = directive.codes
    if codes is None or directive.fault:
        if not directive.used:
            subject = "pto: ignore-file" if directive.whole_file else "pto: ignore"
            reason = directive.fault or "nothing is reported here"
            yield _diagnostic(directive, _comment_removal(directive, table, path), subject, reason, table, path)
        return
    idle = tuple(code for code in codes if _is_idle(code.text, directive))
    if not idle:
        return
    subject = ", ".join(code.text for code in idle)
    if any(_WELL_FORMED.fullmatch(code.text) is None for code in idle):
        reason = "it does not name a rule"
    else:
        reason = "nothing of the kind is reported here"
    if len(idle) == len(codes):
        yield _diagnostic(directive, _comment_removal(directive, table, path), subject, reason, table, path)
        return
    place = Range(table.position(codes[0].start), table.position(codes[-1].end))
    left = ", ".join(code.text for code in codes if code not in idle)
    shown = replace(directive, start=idle[0].start, end=idle[-1].end)
    yield _diagnostic(shown, TextEdit(path, place, left), subject, reason, table, path)


def _is_idle(code: str, directive: _Directive) -> bool:
    if code in directive.used or code == UNUSED:
        return False
    # A code that looks right but is not known here may belong to a newer version of this tool.
    return code in registry.codes() or _WELL_FORMED.fullmatch(code) is None


def _diagnostic(
    directive: _Directive, edit: TextEdit, subject: str, reason: str, table: LineTable, path: str
) -> Diagnostic:
    return Diagnostic(
        code=UNUSED,
        name=UNUSED_NAME,
        severity=Severity.HINT,
        message=f"suppression '{subject}' has no effect: {reason}",
        path=path,
        range=Range(table.position(directive.start), table.position(directive.end)),
        subject=subject,
        tags=(Tag.UNNECESSARY,),
        fix=Fix(f"Remove the suppression '{subject}'", Applicability.SAFE, (edit,)),
    )


def _comment_removal(directive: _Directive, table: LineTable, path: str) -> TextEdit:
    """Delete the comment with the blanks before it; the whole line where nothing else stands on it."""
    text = table.text
    start, end = directive.start, directive.end
    while start > 0 and text[start - 1] in " \t\f":
        start -= 1
    line = table.position(directive.start).line
    if start == table.line_start(line) and line + 1 < table.line_count:
        end = table.line_start(line + 1)
    return TextEdit(path, Range(table.position(start), table.position(end)), "")
