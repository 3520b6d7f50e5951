"""One line a finding: ``path:line:col: CODE message``."""

from __future__ import annotations

from pto_lsp.reporters.colours import Palette
from pto_lsp.reporters.report import Report


def render(report: Report) -> str:
    paint = Palette(report.colour)
    lines = []
    for found in report.diagnostics:
        line, column = found.range.start
        place = f"{paint.bold(report.shown(found.path))}:{line + 1}:{column + 1}:"
        # One finding, one line: whatever reads this splits at line ends.
        lines.append(f"{place} {paint.severity(found.severity, found.code)} {' '.join(found.message.split())}\n")
    return "".join(lines)
