"""Code quality report of GitLab: an array of issues, recognised from run to run by their fingerprints."""

from __future__ import annotations

import json
from typing import Any

from pto_lsp.diagnostics import Diagnostic, Severity
from pto_lsp.reporters.fingerprints import fingerprints
from pto_lsp.reporters.paths import portable
from pto_lsp.reporters.report import Report

_SEVERITY = {
    Severity.ERROR: "critical",
    Severity.WARNING: "major",
    Severity.INFORMATION: "minor",
    Severity.HINT: "info",
}


def render(report: Report) -> str:
    issues = [_issue(found, name, report) for found, name in zip(report.diagnostics, fingerprints(report))]
    return json.dumps(issues, indent=2) + "\n"


def _issue(found: Diagnostic, fingerprint: str, report: Report) -> dict[str, Any]:
    start, end = found.range
    return {
        "description": f"{found.code}: {found.message}",
        "check_name": found.code,
        "fingerprint": fingerprint,
        "severity": _SEVERITY[found.severity],
        "location": {
            "path": portable(report, found.path),
            "positions": {
                "begin": {"line": start.line + 1, "column": start.column + 1},
                "end": {"line": end.line + 1, "column": end.column + 1},
            },
        },
    }
