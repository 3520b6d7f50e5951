"""Findings as JSON documents and back, without loss."""

from __future__ import annotations

from typing import Any

from pto_lsp.diagnostics import (
    Applicability,
    Diagnostic,
    Fix,
    Position,
    Range,
    RelatedLocation,
    Severity,
    Tag,
    TextEdit,
)


def document(found: Diagnostic) -> list[Any]:
    related = [[other.path, *_numbers(other.range), other.message] for other in found.related]
    fix = None
    if found.fix is not None:
        edits = [[edit.path, *_numbers(edit.range), edit.content] for edit in found.fix.edits]
        fix = [found.fix.title, found.fix.applicability.value, edits]
    return [
        found.code,
        found.name,
        found.severity.value,
        found.message,
        found.path,
        *_numbers(found.range),
        found.subject,
        found.function,
        related,
        [tag.value for tag in found.tags],
        fix,
    ]


def diagnostic(record: list[Any]) -> Diagnostic:
    """The finding that `document` described. Raises `ValueError` or `TypeError` for anything else."""
    code, name, severity, message, path, *place, subject, function, related, tags, fix = record
    return Diagnostic(
        code=code,
        name=name,
        severity=Severity(severity),
        message=message,
        path=path,
        range=_range(place),
        subject=subject,
        function=function,
        related=tuple([RelatedLocation(where, _range(numbers), text) for where, *numbers, text in related]),
        tags=tuple([Tag(tag) for tag in tags]),
        fix=None if fix is None else _fix(*fix),
    )


def _fix(title: str, applicability: str, edits: list[list[Any]]) -> Fix:
    made = tuple([TextEdit(path, _range(numbers), content) for path, *numbers, content in edits])
    return Fix(title, Applicability(applicability), made)


def _numbers(place: Range) -> tuple[int, int, int, int]:
    return (*place.start, *place.end)


def _range(numbers: list[int]) -> Range:
    line, column, end_line, end_column = numbers
    return Range(Position(line, column), Position(end_line, end_column))
