"""Something for each of many texts, within bounds."""

from __future__ import annotations

from collections import OrderedDict
from typing import Generic, TypeVar

_V = TypeVar("_V")


class TextCache(Generic[_V]):
    """Values by text. Once the texts are longer than ``capacity`` characters together, the least recently used go."""

    def __init__(self, capacity: int) -> None:
        self._capacity = capacity
        self._length = 0
        self._values: OrderedDict[str, _V] = OrderedDict()

    def get(self, text: str) -> _V | None:
        found = self._values.get(text)
        if found is not None:
            self._values.move_to_end(text)
        return found

    def put(self, text: str, value: _V) -> None:
        """``text`` has no value so far."""
        self._values[text] = value
        self._length += len(text)
        while self._length > self._capacity:
            dropped, _ = self._values.popitem(last=False)
            self._length -= len(dropped)
