"""What takes longer than a moment, noticed by a thread of its own while somebody else does it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

NOTICE_SECONDS = 1.0
"""Work that takes longer is shown: what appears and is gone at once only makes an editor flicker."""


class Activity:
    """``begin(title)`` is called once a piece of work has taken `NOTICE_SECONDS`, and what it returned when it is done.

    Work inside of other work is part of that. For one worker thread.
    """

    def __init__(self, begin: Callable[[str], Callable[[], None]]) -> None:
        self._begin = begin
        self._wake = threading.Condition()
        self._title: str | None = None
        self._due = 0.0
        self._end: Callable[[], None] | None = None
        self._watcher: threading.Thread | None = None
        self._asleep = False

    @contextmanager
    def doing(self, title: str) -> Iterator[None]:
        if self._title is not None:
            yield
            return
        with self._wake:
            self._title = title
            self._due = time.monotonic() + NOTICE_SECONDS
            if self._watcher is None:
                self._watcher = threading.Thread(target=self._watch, name="activity", daemon=True)
                self._watcher.start()
            elif self._asleep:
                self._wake.notify()
        try:
            yield
        finally:
            with self._wake:
                self._title = None
                end, self._end = self._end, None
            if end is not None:
                end()

    def _watch(self) -> None:
        with self._wake:
            while True:
                if self._title is None or self._end is not None:
                    self._asleep = True
                    self._wake.wait()
                    self._asleep = False
                elif (left := self._due - time.monotonic()) > 0:
                    # Woken by time alone: most work is over by then, and the next piece may have begun.
                    self._wake.wait(left)
                else:
                    self._end = self._begin(self._title)
