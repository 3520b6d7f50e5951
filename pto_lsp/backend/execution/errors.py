"""Why a program cannot be executed."""

from __future__ import annotations

from pto_lsp.analysis.ir.place import Place


class NotExecutable(Exception):
    """``place`` is where the program says what cannot be executed, None where no one place does."""

    def __init__(self, reason: str, place: Place | None = None) -> None:
        super().__init__(reason)
        self.place = place
