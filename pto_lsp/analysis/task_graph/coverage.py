"""Whether several boxes together cover another."""

from __future__ import annotations

from pto_lsp.analysis.task_graph.regions import View, covers
from pto_lsp.analysis.task_graph.scalars import Scalar


def union_covers(boxes: list[View], target: View) -> bool:
    """``boxes`` surely cover ``target``. Boxes are joined where they abut along one dimension and agree on all
    others; what that does not find counts as not covered.
    """
    parts = [(box.offsets, box.shape) for box in boxes if box.shape is not None and box.strides == target.strides]
    changed = True
    while changed:
        changed = False
        for box in boxes[:1]:
            for offsets, shape in parts:
                if covers(View(box.buffer, offsets, shape, target.strides), _like(target, box)):
                    return True
        for i in range(len(parts)):
            for j in range(len(parts)):
                joined = _join(parts[i], parts[j]) if i != j else None
                if joined is not None:
                    parts = [part for k, part in enumerate(parts) if k not in (i, j)] + [joined]
                    changed = True
                    break
            if changed:
                break
    return False


def _like(target: View, box: View) -> View:
    return View(box.buffer, target.offsets, target.shape, target.strides)


Part = tuple[tuple[Scalar, ...], tuple[Scalar, ...]]


def _join(a: Part, b: Part) -> Part | None:
    """One box that is exactly both, or the larger of two nested ones."""
    differing = [d for d in range(len(a[0])) if a[0][d] != b[0][d] or a[1][d] != b[1][d]]
    if not differing:
        return a
    if len(differing) > 1:
        return None
    d = differing[0]
    low, extent, other, size = a[0][d], a[1][d], b[0][d], b[1][d]
    if not isinstance(low, int) or not isinstance(extent, int):
        return None
    if not isinstance(other, int) or not isinstance(size, int):
        return None
    if not low <= other <= low + extent:
        return None
    shape = list(a[1])
    shape[d] = max(extent, other + size - low)
    return a[0], tuple(shape)
