"""Findings, their places and their repairs: plain frozen data shared by every room of the project.

Coordinates here are 0-based lines and 0-based columns counted in Unicode code points; ends are exclusive.
Reporters and the language server convert to what their formats want (rule-codes.md, "Command line").
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple


class Severity(Enum):
    """How loud a finding is (rule-codes.md, "What a severity means")."""

    ERROR = "error"
    WARNING = "warning"
    INFORMATION = "information"
    HINT = "hint"

    @property
    def rank(self) -> int:
        """0 for the loudest; usable as a sort key and for ``--fail-on``."""
        return _RANK[self]


_RANK = {Severity.ERROR: 0, Severity.WARNING: 1, Severity.INFORMATION: 2, Severity.HINT: 3}


class Span(NamedTuple):
    """Half-open range of 0-based code-point offsets into one text; which text, the owner says."""

    start: int
    end: int

    def shifted(self, by: int) -> Span:
        return Span(self.start + by, self.end + by)


COMPLAINT = "cpp-compiler"
"""Name of the findings that are not ours but those of the C++ compiler; they have no code."""


class Position(NamedTuple):
    """0-based line, 0-based column in code points."""

    line: int
    column: int


class Range(NamedTuple):
    """Half-open range between two positions of one file."""

    start: Position
    end: Position


class Tag(Enum):
    """Extra rendering an editor may give a finding."""

    UNNECESSARY = "unnecessary"
    DEPRECATED = "deprecated"


class Applicability(Enum):
    """SAFE: behaviour preserved and every call site seen. UNSAFE: offered, never applied unasked."""

    SAFE = "safe"
    UNSAFE = "unsafe"


@dataclass(frozen=True, slots=True)
class RelatedLocation:
    """Another place that takes part in a finding: producer, parameter, call site, counterexample."""

    path: str
    range: Range
    message: str


@dataclass(frozen=True, slots=True)
class TextEdit:
    """Replace ``range`` of the file ``path`` by ``content``."""

    path: str
    range: Range
    content: str


@dataclass(frozen=True, slots=True)
class Fix:
    """A complete repair. ``edits`` never overlap and are sorted by path, then position."""

    title: str
    applicability: Applicability
    edits: tuple[TextEdit, ...]


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding. ``subject`` is the variable, function or task it is about, as the author wrote it."""

    code: str
    name: str
    severity: Severity
    message: str
    path: str
    range: Range
    subject: str = ""
    function: str = ""
    related: tuple[RelatedLocation, ...] = ()
    tags: tuple[Tag, ...] = ()
    fix: Fix | None = field(default=None)

    def sort_key(self) -> tuple[str, Range, str, str]:
        """Order of every listing: place first, then code; total, so that output is deterministic."""
        return (self.path, self.range, self.code, self.message)
