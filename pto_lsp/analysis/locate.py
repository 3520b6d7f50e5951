"""From findings, whose places move with their functions, to diagnostics, which speak of a file as it is now."""

from __future__ import annotations

from typing import Protocol

from pto_lsp.analysis.findings import Finding
from pto_lsp.analysis.ir.place import Place, SourceId
from pto_lsp.analysis.rules import registry
from pto_lsp.analysis.source.text import LineTable
from pto_lsp.diagnostics import Diagnostic, Range, RelatedLocation, Severity, Tag

UNNECESSARY = frozenset({"PTO102", "PTO106"})
"""Codes whose place is code that can go."""


class Locator(Protocol):
    """Knows where functions stand now."""

    def locate(self, source: SourceId) -> tuple[LineTable, int] | None:
        """The lines of the file of ``source`` and the offset of its text there; None when it is gone."""


def range_of(place: Place, locator: Locator) -> Range | None:
    """Where ``place`` is in its file now."""
    found = locator.locate(place.source)
    if found is None:
        return None
    lines, start = found
    return Range(lines.position(start + place.span.start), lines.position(start + place.span.end))


def diagnostic(finding: Finding, locator: Locator) -> Diagnostic | None:
    """The finding with its file range, severity and rule name; None when its function is gone."""
    where = range_of(finding.place, locator)
    if where is None:
        return None
    rule = registry.rule(finding.code)
    related: list[RelatedLocation] = []
    for note in finding.notes:
        other = range_of(note.place, locator)
        if other is not None:
            related.append(RelatedLocation(note.place.source.path, other, note.message))
    unnecessary = rule.severity is Severity.HINT or finding.code in UNNECESSARY
    return Diagnostic(
        code=finding.code,
        name=rule.name,
        severity=rule.severity,
        message=finding.message,
        path=finding.place.source.path,
        range=where,
        subject=finding.subject,
        function=finding.function,
        related=tuple(related),
        tags=(Tag.UNNECESSARY,) if unnecessary else (),
    )
