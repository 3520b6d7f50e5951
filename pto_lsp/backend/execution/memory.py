"""Device memory of one run: an array for every allocation, views of it for tensor descriptors."""

from __future__ import annotations

import numpy as np

from pto_lsp.analysis.replay.dtypes import element_bits
from pto_lsp.analysis.replay.values import Buffer, Tensor
from pto_lsp.backend.execution.errors import NotExecutable
from pto_lsp.backend.execution.values import Array, converted, undefined


class Memory:
    """Owns the arrays. An allocation holds elements of one data type, that of the first tensor in it."""

    def __init__(self) -> None:
        self._arrays: dict[Buffer, Array] = {}

    def put(self, tensor: Tensor, content: Array) -> None:
        """Fill the allocation of ``tensor``, which is all of it, with a copy of ``content``."""
        self._arrays[tensor.buffer] = converted(content, tensor.dtype).reshape(-1).copy()

    def view(self, tensor: Tensor) -> Array:
        """The elements of ``tensor`` in place. Raises `NotExecutable` where it reaches out of its allocation."""
        flat = self._arrays.get(tensor.buffer)
        if flat is None:
            flat = self._arrays[tensor.buffer] = _fresh(tensor)
        if tensor.start < 0 or tensor.start + tensor.extent > len(flat):
            raise NotExecutable(f"a view of '{tensor.buffer.name}' reaches beyond its end")
        strides = [stride * flat.itemsize for stride in tensor.strides]
        return np.lib.stride_tricks.as_strided(flat[tensor.start :], tensor.shape, strides)

    def element(self, buffer: Buffer, index: int) -> int:
        """One element of an allocation that has been put in. Raises `NotExecutable`."""
        array = self._arrays[buffer]
        if not 0 <= index < len(array):
            raise NotExecutable(f"the host reads element {index} of '{buffer.name}', which has {len(array)}")
        value: int = array[index].item()
        return value


def _fresh(tensor: Tensor) -> Array:
    buffer = tensor.buffer
    count = buffer.size * 8 // element_bits(tensor.dtype)
    flat = undefined((count,), tensor.dtype)
    if buffer.fill is not None:
        flat[:] = converted(np.asarray(buffer.fill), tensor.dtype)
    return flat
