"""What passes, plan and front end report before a finding gets its file range, severity and rule page."""

from __future__ import annotations

from dataclasses import dataclass

from pto_lsp.analysis.ir.place import Place


@dataclass(frozen=True, slots=True)
class Note:
    """Another place of a finding, with what it has to do with it."""

    place: Place
    message: str


@dataclass(frozen=True, slots=True)
class Finding:
    """``subject`` is the name the message carries in quotes; ``function`` the function (or Graph) it is in.

    ``data`` is what a quick fix needs to know beyond the code and the place: name → value, frozen data only.
    """

    code: str
    subject: str
    place: Place
    message: str
    function: str = ""
    notes: tuple[Note, ...] = ()
    data: tuple[tuple[str, object], ...] = ()
