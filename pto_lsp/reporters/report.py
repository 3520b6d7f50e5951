"""What every reporter is given."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from pto_lsp.diagnostics import Diagnostic, Severity


class RuleText(NamedTuple):
    """What a report says of a rule in general. ``what``, ``why`` and ``fix`` are Markdown; ``fix`` may be empty."""

    name: str
    severity: Severity
    summary: str
    what: str
    why: str
    fix: str


class Fault(NamedTuple):
    """A file, configuration or run that could not be checked; ``shown`` names it as messages do."""

    shown: str
    reason: str


@dataclass(frozen=True, slots=True)
class Report:
    """``diagnostics`` in the order in which they are to be listed.

    ``shown`` turns the path of a finding into the path that the user knows; ``line`` gives one line of a file (path as
    in the finding, 0-based number, without its line end), None where it cannot be read; ``url`` the page of a rule and
    ``rule`` what it says in general, None where it is not known.
    """

    diagnostics: tuple[Diagnostic, ...]
    shown: Callable[[str], str]
    line: Callable[[str, int], str | None]
    url: Callable[[str], str]
    colour: bool = False
    rule: Callable[[str], RuleText | None] = lambda code: None
    faults: tuple[Fault, ...] = ()
