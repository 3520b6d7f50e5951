"""A strictly ascending list of offsets that survives edits cheaply."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable


class OffsetTable:
    """Ascending offsets into a text, kept correct while the text is edited.

    An edit moves everything behind it. Instead of rewriting the whole tail, the distance is remembered once and applied
    to the entries from ``_pending_from`` on. Edits cluster, so the border between written and pending entries hardly
    moves, and an edit costs what lies between it and the edit before, not the size of the file.
    """

    __slots__ = ("_pending_by", "_pending_from", "_values")

    def __init__(self, values: Iterable[int]) -> None:
        self._values = list(values)
        self._pending_from = len(self._values)
        self._pending_by = 0

    def __len__(self) -> int:
        return len(self._values)

    def __getitem__(self, index: int) -> int:
        """``index`` must not be negative."""
        value = self._values[index]
        return value + self._pending_by if index >= self._pending_from else value

    def to_list(self) -> list[int]:
        by = self._pending_by
        head = self._values[: self._pending_from]
        head.extend([value + by for value in self._values[self._pending_from :]])
        return head

    def count_below(self, offset: int) -> int:
        """Number of entries that are < ``offset``."""
        split = self._pending_from
        found = bisect_left(self._values, offset, 0, split)
        return found if found < split else bisect_left(self._values, offset - self._pending_by, split)

    def count_up_to(self, offset: int) -> int:
        """Number of entries that are <= ``offset``."""
        split = self._pending_from
        found = bisect_right(self._values, offset, 0, split)
        return found if found < split else bisect_right(self._values, offset - self._pending_by, split)

    def splice(self, begin: int, end: int, replacement: list[int], shift: int) -> None:
        """Replace entries ``begin`` … ``end`` (exclusive) and move every entry behind them by ``shift``."""
        self._write_until(end)
        self._values[begin:end] = replacement
        self._pending_from = begin + len(replacement)
        self._pending_by += shift

    def _write_until(self, index: int) -> None:
        """Move the border between written and pending entries to ``index``."""
        low, high, by = self._pending_from, index, self._pending_by
        if low > high:
            low, high, by = high, low, -by
        if by and low < high:
            self._values[low:high] = [value + by for value in self._values[low:high]]
        self._pending_from = index
        if index == len(self._values):
            self._pending_by = 0
