"""The runtime's map of live writers, and the wait set of one task (replay.md §5.1)."""

from __future__ import annotations

from enum import Enum

from pto_lsp.analysis.replay.overlap import Overlap, overlap
from pto_lsp.analysis.replay.values import Buffer, TaskId, Tensor


class Tag(Enum):
    """How one tensor argument takes part in ordering; the value is the name in recorded definitions."""

    INPUT = "input"
    OUTPUT = "output"
    INOUT = "inout"
    OUTPUT_EXISTING = "output_existing"
    NO_DEP = "no_dep"


_READS = (Tag.INPUT, Tag.INOUT)
_WRITES = (Tag.INOUT, Tag.OUTPUT_EXISTING)


class TensorMap:
    """Writers by buffer, oldest first."""

    def __init__(self) -> None:
        self._entries: dict[Buffer, list[tuple[Tensor, TaskId]]] = {}
        self.size = 0

    def producers(self, args: list[tuple[Tensor, Tag]]) -> list[TaskId]:
        """Owner and overlap producers of ``args`` in order of discovery, repeats kept; entries that an INOUT covers go.

        The owner edge holds for every tag but OUTPUT; the look-up is for reads without ``manual_dep``, newest first.
        """
        found: list[TaskId] = []
        for tensor, tag in args:
            if tag is Tag.OUTPUT:
                continue
            if tensor.owner is not None:
                found.append(tensor.owner)
            if tag in _READS and not tensor.manual_dep:
                entries = self._entries.get(tensor.buffer)
                if entries:
                    self._look_up(entries, tensor, tag is Tag.INOUT, found)
        return found

    def _look_up(
        self, entries: list[tuple[Tensor, TaskId]], probe: Tensor, replaces: bool, found: list[TaskId]
    ) -> None:
        covered = False
        kept: list[tuple[Tensor, TaskId]] = []
        for entry in reversed(entries):
            relation = overlap(entry[0], probe)
            if relation is not Overlap.NONE:
                found.append(entry[1])
            if replaces and relation is Overlap.COVERED:
                covered = True
                self.size -= 1
            else:
                kept.append(entry)
        if covered:
            kept.reverse()
            entries[:] = kept

    def publish(self, args: list[tuple[Tensor, Tag]], task: TaskId) -> None:
        """Register ``task`` as writer of its INOUT and OUTPUT_EXISTING arguments."""
        for tensor, tag in args:
            if tag in _WRITES and not tensor.manual_dep:
                self._entries.setdefault(tensor.buffer, []).append((tensor, task))
                self.size += 1


def distinct(ids: list[TaskId]) -> tuple[TaskId, ...]:
    """``ids`` without repeats, first occurrence kept."""
    return tuple(dict.fromkeys(ids))
