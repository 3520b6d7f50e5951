"""Host-side tensor operations: new descriptors on old memory (api.md "Tensors", semantics.md §4).

Every function returns None where the runtime would assert or the result is not a plain strided view.
"""

from __future__ import annotations

from dataclasses import replace
from math import prod

from pto_lsp.analysis.replay.values import Tensor, row_major


def window(source: Tensor, sizes: tuple[int, ...], offsets: tuple[int, ...]) -> Tensor | None:
    """A slice. The emitter clamps every extent to ``min(declared, source extent - offset)``.

    An empty window keeps the start of its source; ``manual_dep`` is not inherited (semantics.md 6.6).
    """
    rank = len(source.shape)
    if len(sizes) != rank or len(offsets) != rank or min(offsets, default=0) < 0:
        return None
    shape = tuple([max(0, min(size, full - offset)) for size, full, offset in zip(sizes, source.shape, offsets)])
    start = source.start
    if 0 not in shape:
        for offset, stride in zip(offsets, source.strides):
            start += offset * stride
    return Tensor(source.buffer, start, shape, source.strides, source.dtype, source.owner, False, source.slot)


def without_axes(source: Tensor, axes: tuple[int, ...]) -> Tensor:
    """Drop the dimensions that a subscript named by one index."""
    keep = [axis for axis in range(len(source.shape)) if axis not in axes]
    if not keep:
        return replace(source, shape=(1,), strides=(1,))
    return replace(
        source, shape=tuple([source.shape[a] for a in keep]), strides=tuple([source.strides[a] for a in keep])
    )


def reshape(source: Tensor, shape: tuple[int, ...]) -> Tensor | None:
    """Another shape of a contiguous tensor with as many elements; one extent may be -1."""
    if -1 in shape:
        others = prod(size for size in shape if size != -1)
        if not others or prod(source.shape) % others:
            return None
        shape = tuple([prod(source.shape) // others if size == -1 else size for size in shape])
    if not source.is_contiguous or prod(shape) != prod(source.shape) or min(shape, default=0) < 0:
        return None
    return replace(source, shape=shape, strides=row_major(shape), manual_dep=False)


def transpose(source: Tensor, first: int, second: int) -> Tensor | None:
    """Swap two axes; negative axes count from the end."""
    rank = len(source.shape)
    if not (-rank <= first < rank and -rank <= second < rank):
        return None
    order = list(range(rank))
    order[first], order[second] = order[second], order[first]
    return replace(
        source,
        shape=tuple([source.shape[axis] for axis in order]),
        strides=tuple([source.strides[axis] for axis in order]),
        manual_dep=False,
    )
