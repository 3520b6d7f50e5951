"""Workflow commands of GitHub Actions: each finding becomes an annotation at its place in the change."""

from __future__ import annotations

from pto_lsp.diagnostics import Diagnostic, Severity
from pto_lsp.reporters.paths import portable
from pto_lsp.reporters.report import Report

_COMMAND = {
    Severity.ERROR: "error",
    Severity.WARNING: "warning",
    Severity.INFORMATION: "notice",
    Severity.HINT: "notice",
}


def render(report: Report) -> str:
    return "".join(f"{_annotation(found, report)}\n" for found in report.diagnostics)


def _annotation(found: Diagnostic, report: Report) -> str:
    start, end = found.range
    properties = {
        "title": f"{found.code} {found.name}",
        "file": portable(report, found.path),
        "line": start.line + 1,
        "endLine": max(start.line, end.line - (end.column == 0 and end.line > start.line)) + 1,
    }
    if start.line == end.line:
        # Columns of an annotation over several lines are refused.
        properties["col"] = start.column + 1
        properties["endColumn"] = max(start.column + 1, end.column)
    words = ",".join(f"{key}={_property(str(value))}" for key, value in properties.items())
    lines = [found.message]
    for other in found.related:
        lines.append(f"{portable(report, other.path)}:{other.range.start.line + 1}: {other.message}")
    message = "\n".join(lines)
    return f"::{_COMMAND[found.severity]} {words}::{_data(message)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
