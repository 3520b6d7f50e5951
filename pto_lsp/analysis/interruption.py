"""Stopping an analysis whose result nobody wants any more."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager


class Cancelled(Exception):
    """The text this analysis was about has been replaced."""


def never() -> bool:
    return False


class Interruption:
    """Asked before each function by everything that takes time: one for all that is analysed together.

    What is stopped leaves nothing half done behind: results are only remembered when they are complete.
    """

    def __init__(self) -> None:
        self._wanted_no_more = never

    @contextmanager
    def listening(self, cancelled: Callable[[], bool]) -> Iterator[None]:
        """Within the block, `check` goes by ``cancelled``."""
        before, self._wanted_no_more = self._wanted_no_more, cancelled
        try:
            yield
        finally:
            self._wanted_no_more = before

    def check(self) -> None:
        """Raises `Cancelled` when it is time to stop."""
        if self._wanted_no_more():
            raise Cancelled
