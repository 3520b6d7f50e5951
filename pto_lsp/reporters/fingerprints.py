"""Names of findings that stay the same while the text around them moves, so that a service recognises old ones.

A fingerprint holds the rule, the file, the function and the variable, and the text of the line without its blanks;
never a line number. Findings that agree in all of these are counted, in listing order.
"""

from __future__ import annotations

import hashlib
from collections import Counter

from pto_lsp.diagnostics import Diagnostic
from pto_lsp.reporters.paths import portable
from pto_lsp.reporters.report import Report


def fingerprints(report: Report) -> list[str]:
    """One hexadecimal digest for each finding, in order, no two alike."""
    seen: Counter[str] = Counter()
    result = []
    for found in report.diagnostics:
        identity = _identity(found, report)
        seen[identity] += 1
        text = f"{identity}\0{seen[identity]}"
        result.append(hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32])
    return result


def _identity(found: Diagnostic, report: Report) -> str:
    line = report.line(found.path, found.range.start.line) or ""
    parts = (found.code, portable(report, found.path), found.function, found.subject, " ".join(line.split()))
    return "\0".join(parts)
