"""What the emitter has no code for (PTO007)."""

from __future__ import annotations

from pto_lsp.analysis.ir.place import Place


class NotEmitted(Exception):
    """``place`` is where the program asks for it; filled in by whoever walks statements.

    ``operation`` is the operator it is about, as an author writes it ("pl.assemble"), "" where it is about none.
    """

    def __init__(self, reason: str, place: Place | None = None, operation: str = "") -> None:
        super().__init__(reason)
        self.place = place
        self.operation = operation


class Consequence(NotEmitted):
    """Only because something before it has no code, which is reported: says nothing by itself."""


def surface_name(operator: str) -> str:
    """An operator as an author writes it: ``pl.slice`` for ``tensor.slice``."""
    return f"pl.{operator.removeprefix('tensor.').removeprefix('tile.')}"
