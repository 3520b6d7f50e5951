"""How far a long run is, on a terminal: one line on standard error that leaves nothing behind."""

from __future__ import annotations

import sys
import time
from typing import TextIO

from pto_lsp.cli.terminal import is_terminal

PATIENCE = 1.0
"""Seconds before anything is shown: what is over by then needs no progress."""
_INTERVAL = 0.1
_ERASE = "\r\x1b[K"


class Progress:
    """Counts files. Shows nothing where ``stream`` (standard error by default) is no terminal."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = sys.stderr if stream is None else stream
        self._enabled = is_terminal(self._stream)
        self._next = time.monotonic() + PATIENCE
        self._shown = False

    def __call__(self, done: int, total: int) -> None:
        if not self._enabled or time.monotonic() < self._next:
            return
        self._next = time.monotonic() + _INTERVAL
        self._shown = True
        self._stream.write(f"{_ERASE}checked {done} of {total} files")
        self._stream.flush()

    def clear(self) -> None:
        if self._shown:
            self._stream.write(_ERASE)
            self._stream.flush()
            self._shown = False
