"""Where a fault of our own is caught: it costs the findings of one step about one program, nothing else."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from pto_lsp.analysis.interruption import Cancelled

T = TypeVar("T")


class Faults:
    """What went wrong in here while analysing one file, in words for its reader; the traceback goes to the log."""

    def __init__(self) -> None:
        self.messages: list[str] = []

    def guarded(self, what: str, compute: Callable[[], T], instead: T) -> T:
        """``compute()``, or ``instead`` when that raises. ``what`` completes "could not …"."""
        try:
            return compute()
        except Cancelled:
            raise
        except Exception:
            import logging  # takes longer to import than a small file to be checked

            logging.getLogger("pto_lsp").exception("pto-lsp could not %s", what)
            self.messages.append(f"'pto-lsp' could not {what}: an internal error, see the log")
            return instead
