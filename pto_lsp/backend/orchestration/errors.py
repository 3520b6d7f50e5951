"""What the emitter has no code for (PTO007)."""

from __future__ import annotations

from pto_lsp.analysis.ir.place import Place


class NotEmitted(Exception):
    """``place`` is where the program asks for it; filled in by whoever walks statements."""

    def __init__(self, reason: str, place: Place | None = None) -> None:
        super().__init__(reason)
        self.place = place
