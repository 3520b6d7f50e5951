"""``pto-lsp check --watch``: the same check again whenever something changes that it depends on."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable
from typing import NamedTuple

INTERVAL = 0.3
"""Seconds between two looks at the files."""


class Watched(NamedTuple):
    """``paths``: what one run depended on, including files that were not there. ``code``: how it ended."""

    paths: tuple[str, ...]
    code: int


def watch(run: Callable[[], Watched], files: Callable[[], Iterable[str]], announce: Callable[[str], None]) -> int:
    """Run until interrupted; the code of the last run.

    ``files`` finds the files that a run would check now: that one appears is a change too.
    """
    code = 0
    try:
        while True:
            before = tuple(files())
            started = time.time_ns()
            paths, code = run()
            state = _state((*before, *paths))
            # What changed while the run was reading may have been read before the change.
            stale = any(stamp is not None and stamp[0] >= started for stamp in state.values())
            announce("waiting for changes")
            while not stale and tuple(files()) == before and _state(state) == state:
                time.sleep(INTERVAL)
            if stale:
                time.sleep(INTERVAL)
            announce("files changed, checking again")
    except KeyboardInterrupt:
        return code


def _state(paths: Iterable[str]) -> dict[str, tuple[int, int] | None]:
    return {path: _stamp(path) for path in paths}


def _stamp(path: str) -> tuple[int, int] | None:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size
