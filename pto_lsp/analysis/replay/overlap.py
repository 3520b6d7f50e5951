"""The runtime's overlap test between a registered writer and a tensor argument (replay.md §5.1, semantics.md §4)."""

from __future__ import annotations

from enum import Enum
from itertools import pairwise

from pto_lsp.analysis.replay.dtypes import element_bits
from pto_lsp.analysis.replay.values import Tensor


class Overlap(Enum):
    NONE = "none"
    COVERED = "covered"
    OTHER = "other"


def overlap(entry: Tensor, probe: Tensor) -> Overlap:
    """How ``probe`` meets ``entry``, both in one buffer: COVERED when it contains ``entry`` in every dimension.

    Exact only for boxes of one grid (same type, rank and strides); anything else that touches is OTHER, an edge.
    """
    entry_extent, probe_extent = entry.extent, probe.extent
    if entry_extent == 0 or probe_extent == 0:
        return Overlap.NONE
    if entry.start >= probe.start + probe_extent or probe.start >= entry.start + entry_extent:
        return Overlap.NONE
    if entry.dtype != probe.dtype or entry.strides != probe.strides or not _is_grid(entry):
        return Overlap.OTHER
    entry_box, probe_box = _box(entry), _box(probe)
    if entry_box is None or probe_box is None:
        return Overlap.OTHER
    covered = True
    for (entry_low, entry_high), (probe_low, probe_high) in zip(entry_box, probe_box):
        if entry_low >= probe_high or probe_low >= entry_high:
            return Overlap.NONE
        if probe_low > entry_low or probe_high < entry_high:
            covered = False
    return Overlap.COVERED if covered else Overlap.OTHER


def _elements(tensor: Tensor) -> int:
    return tensor.buffer.size * 8 // element_bits(tensor.dtype)


def _is_grid(tensor: Tensor) -> bool:
    strides = tensor.strides
    if not strides or strides[-1] != 1:
        return False
    for outer, inner in pairwise(strides):
        if inner == 0 or outer % inner:
            return False
    return strides[0] > 0 and _elements(tensor) % strides[0] == 0


def _box(tensor: Tensor) -> list[tuple[int, int]] | None:
    """Index range per dimension in the grid that the strides span over the whole buffer; None when it does not fit."""
    box: list[tuple[int, int]] = []
    rest = tensor.start
    limit = _elements(tensor) // tensor.strides[0]
    for axis, stride in enumerate(tensor.strides):
        index, rest = divmod(rest, stride)
        high = index + tensor.shape[axis]
        if high > limit:
            return None
        box.append((index, high))
        if axis + 1 < len(tensor.strides):
            limit = stride // tensor.strides[axis + 1]
    return box
