"""How far edits are apart, and when their findings are worth sending.

Edits a few milliseconds apart come from a macro or a repeated command: nobody reads what is found in between. Then
findings are held back for as long as it takes until the next edit is overdue; only the first and the last ones go out.

A client may also send an edit as soon as it is given the findings of the one before. It would wait for nothing, so when
that has happened twice nothing is held back any more until there is a pause. Times are seconds of
``time.perf_counter``.
"""

from __future__ import annotations

BURST_SECONDS = 0.012
"""Keyboards repeat at most every 30 ms."""
PAUSE_SECONDS = 0.1
OVERDUE = 1.2
"""The next edit is overdue when it has taken that many times as long as those before."""
PATIENCE = 2


class Pace:
    """Of the edits of one client, whatever their documents."""

    def __init__(self) -> None:
        self._last = float("-inf")
        self._longest = 0.0
        self._due = float("-inf")
        self._held = False
        self._sent_late = False
        self._in_vain = 0

    def edited(self, now: float) -> None:
        """An edit has come."""
        gap, self._last = now - self._last, now
        # It has come only after the findings had been held back for it.
        self._in_vain = self._in_vain + self._sent_late if gap <= PAUSE_SECONDS else 0
        if gap > BURST_SECONDS:
            self._longest, self._due = 0.0, now
        else:
            self._longest = max(self._longest, gap)
            self._due = now + OVERDUE * self._longest if self._in_vain < PATIENCE else now
        self._held = self._sent_late = False

    def hold(self, now: float) -> float:
        """For how much longer findings are to be held back; 0 when they are to be sent."""
        left = max(0.0, self._due - now)
        self._held = self._held or left > 0.0
        return left

    def sent(self) -> None:
        """The findings of the last edit are on their way."""
        self._sent_late = self._held
