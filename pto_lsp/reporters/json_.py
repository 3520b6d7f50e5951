"""One JSON array of all findings; rows and columns 1-based, columns in code points (rule-codes.md, "Command line")."""

from __future__ import annotations

import json
from typing import Any

from pto_lsp.diagnostics import Diagnostic, Fix, Position, Range
from pto_lsp.reporters.report import Report


def render(report: Report) -> str:
    # Escaped, the document survives any encoding of the output, and text that no encoding can carry.
    return json.dumps(documents(report), indent=2) + "\n"


def documents(report: Report) -> list[dict[str, Any]]:
    """The elements of the array, for documents that hold findings among other things."""
    return [_finding(found, report) for found in report.diagnostics]


def _finding(found: Diagnostic, report: Report) -> dict[str, Any]:
    return {
        "code": found.code,
        "name": found.name,
        "severity": found.severity.value,
        "message": found.message,
        "filename": report.shown(found.path),
        "subject": found.subject,
        "function": found.function,
        **_locations(found.range),
        "related": [
            {"filename": report.shown(other.path), **_locations(other.range), "message": other.message}
            for other in found.related
        ],
        "fix": None if found.fix is None else _fix(found.fix, report),
        "url": report.url(found.code),
    }


def _fix(fix: Fix, report: Report) -> dict[str, Any]:
    return {
        "title": fix.title,
        "applicability": fix.applicability.value,
        "edits": [
            {"filename": report.shown(edit.path), **_locations(edit.range), "content": edit.content}
            for edit in fix.edits
        ],
    }


def _locations(place: Range) -> dict[str, Any]:
    return {"location": _location(place.start), "end_location": _location(place.end)}


def _location(position: Position) -> dict[str, int]:
    return {"row": position.line + 1, "column": position.column + 1}
