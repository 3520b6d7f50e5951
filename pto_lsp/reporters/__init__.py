"""Output formats. Each module has ``render(report) -> str``; it knows findings, nothing of how they were made."""

from __future__ import annotations

from importlib import import_module
from typing import Protocol, cast

from pto_lsp.reporters.report import Fault, Report, RuleText

FORMATS = {
    "full": "pto_lsp.reporters.full",
    "concise": "pto_lsp.reporters.concise",
    "json": "pto_lsp.reporters.json_",
    "sarif": "pto_lsp.reporters.sarif",
    "github": "pto_lsp.reporters.github",
    "gitlab": "pto_lsp.reporters.gitlab",
    "junit": "pto_lsp.reporters.junit",
}
"""Format name → module, imported when asked for."""
WITH_FIXES = frozenset({"json", "sarif"})
"""Formats that carry the edits of repairs; computing these takes time."""


class Reporter(Protocol):
    """Turns a report into text, with a final newline unless it is empty."""

    def __call__(self, report: Report) -> str: ...


def reporter(name: str) -> Reporter:
    """The reporter of one of `FORMATS`."""
    return cast(Reporter, import_module(FORMATS[name]).render)


__all__ = ["FORMATS", "WITH_FIXES", "Fault", "Report", "Reporter", "RuleText", "reporter"]
