"""What cannot be written as tile code (PTO007)."""

from __future__ import annotations

from pto_lsp.analysis.ir.place import Place


class NotLowered(Exception):
    """``place`` is the operation that has no tile code; filled in by whoever walks statements."""

    def __init__(self, reason: str, place: Place | None = None) -> None:
        super().__init__(reason)
        self.place = place
