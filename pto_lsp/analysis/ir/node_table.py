"""Values beside nodes, each for exactly as long as its node lives.

An edit replaces a statement and everything around it, up to the function. What was found out about the replaced ones
is never asked for again, and can be as large as the function: it has to go with them, not some edits later.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar
from weakref import ref

from pto_lsp.analysis.node import Referable

V = TypeVar("V")


class _Slot(ref[Referable], Generic[V]):
    """A node that may go, and the value beside it. ``number`` is the identity of the node."""

    __slots__ = ("number", "value")

    number: int
    value: V


class NodeTable(Generic[V]):
    """Nodes are told apart by identity. A value must not lead to its own node: neither would ever go."""

    def __init__(self) -> None:
        self._slots: dict[int, _Slot[V]] = {}
        own = ref(self)

        # Were it to hold the table itself, only the garbage collector would free that.
        def gone(slot: _Slot[V]) -> None:
            table = own()
            if table is not None:
                table._slots.pop(slot.number, None)

        self._gone = gone

    def get(self, node: Referable) -> V | None:
        slot = self._slots.get(id(node))
        return None if slot is None else slot.value

    def put(self, node: Referable, value: V) -> None:
        number = id(node)
        slot = self._slots[number] = _Slot(node, self._gone)
        slot.number = number
        slot.value = value

    def retain(self, wanted: Callable[[V], bool]) -> None:
        """Forget all values but the ``wanted`` ones."""
        self._slots = {number: slot for number, slot in self._slots.items() if wanted(slot.value)}

    def __len__(self) -> int:
        return len(self._slots)
