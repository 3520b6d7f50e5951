"""For people: each finding with an excerpt of the source, carets, the other places involved and the repair on offer."""

from __future__ import annotations

import unicodedata

from pto_lsp.diagnostics import Applicability, Diagnostic, Range
from pto_lsp.reporters.colours import Palette
from pto_lsp.reporters.report import Report

CONTEXT = 2
"""Lines shown before the finding."""
_TAB = 4


def render(report: Report) -> str:
    return "\n".join(_finding(found, report, Palette(report.colour)) for found in report.diagnostics)


def _finding(found: Diagnostic, report: Report, paint: Palette) -> str:
    line, column = found.range.start
    head = paint.severity(found.severity, f"{found.severity.value}[{found.code}]")
    parts = [f"{paint.bold(report.shown(found.path))}:{line + 1}:{column + 1}: {head} {found.message}\n"]
    width = len(str(line + 1))
    margin = " " * width
    excerpt = _excerpt(found.path, found.range, report, paint, width)
    if excerpt:
        parts.append(paint.faint(f"{margin} |") + "\n")
        parts.extend(excerpt)
        parts.append(paint.faint(f"{margin} |") + "\n")
    for other in found.related:
        row, col = other.range.start
        place = f"{report.shown(other.path)}:{row + 1}:{col + 1}"
        parts.append(f"{margin} {paint.faint('=')} {place}: {other.message}\n")
    if found.fix is not None:
        unsafe = " (unsafe)" if found.fix.applicability is Applicability.UNSAFE else ""
        parts.append(f"{margin} {paint.faint('=')} fix{unsafe}: {found.fix.title}\n")
    return "".join(parts)


def _excerpt(path: str, place: Range, report: Report, paint: Palette, width: int) -> list[str]:
    first = place.start.line
    marked = report.line(path, first)
    if marked is None:
        return []
    lines = []
    for number in range(max(0, first - CONTEXT), first):
        before = report.line(path, number)
        lines.append(_numbered(number, _visible(before or ""), paint, width))
    lines.append(_numbered(first, _visible(marked), paint, width))
    # A range over several lines is marked to the end of its first one.
    end = place.end.column if place.end.line == first else len(marked)
    indent = " " * _columns(marked[: place.start.column])
    carets = "^" * max(1, _columns(marked[place.start.column : end]))
    lines.append(f"{' ' * width} {paint.faint('|')} {indent}{paint.bold(carets)}\n")
    return lines


def _numbered(number: int, text: str, paint: Palette, width: int) -> str:
    return f"{paint.faint(f'{number + 1:>{width}} |')} {text}".rstrip() + "\n"


def _visible(text: str) -> str:
    """The line as a terminal can show it: tabs of fixed width, control characters as a placeholder."""
    return "".join(
        " " * _TAB if char == "\t" else char if _is_printed(char) else "\N{REPLACEMENT CHARACTER}" for char in text
    )


def _columns(text: str) -> int:
    """How many terminal columns `_visible` text takes: CJK and emoji take two, combining marks none."""
    return sum(_TAB if char == "\t" else _width(char) for char in text)


def _width(char: str) -> int:
    if not _is_printed(char):
        return 1
    if unicodedata.combining(char):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def _is_printed(char: str) -> bool:
    return unicodedata.category(char) not in ("Cc", "Cf", "Zl", "Zp", "Cs")
