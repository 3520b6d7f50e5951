"""What every reporter is given."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pto_lsp.diagnostics import Diagnostic


@dataclass(frozen=True, slots=True)
class Report:
    """``diagnostics`` in the order in which they are to be listed.

    ``shown`` turns the path of a finding into the path that the user knows; ``line`` gives one line of a file (path as
    in the finding, 0-based number, without its line end), None where it cannot be read; ``url`` the page of a rule.
    """

    diagnostics: tuple[Diagnostic, ...]
    shown: Callable[[str], str]
    line: Callable[[str, int], str | None]
    url: Callable[[str], str]
    colour: bool = False
