"""Where every buffer lies in its on-chip memory.

Buffers whose lifetimes overlap get disjoint places: each takes the lowest address that is free for as long as it lives.
The result of an instruction that computes element by element takes the place of an operand that it uses up, if that
is as large.
Instructions are numbered as they are written. What is touched inside a loop and before it lives until the loop's end,
because the next trip may read it; what is touched only inside is made anew by every trip.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from pto_lsp.backend.kernels.code import Branch, InPlace, Instruction, Loop, Node, Touch
from pto_lsp.backend.kernels.tiles import Buffer, Space
from pto_lsp.backend.orchestration.errors import NotEmitted

_ALIGNMENT = {Space.VEC: 32, Space.MAT: 512, Space.LEFT: 512, Space.RIGHT: 512, Space.ACC: 1024}


@dataclass(slots=True)
class _Lifetimes:
    """First and last position at which a buffer is needed, both included.

    ``heirs``: for the result of an instruction, the operands whose place it could take.
    """

    first: dict[Buffer, int] = field(default_factory=dict)
    last: dict[Buffer, int] = field(default_factory=dict)
    heirs: dict[Buffer, tuple[Buffer, ...]] = field(default_factory=dict)
    position: int = 0

    def walk(self, block: list[Node]) -> None:
        for node in block:
            self.position += 1
            if isinstance(node, Instruction):
                result = node.tiles[0].buffer if node.tiles else None
                if node.replaceable and result is not None and result not in self.first:
                    operands = [t.buffer for t in node.replaceable if t.offset == 0 and t.buffer.bytes == result.bytes]
                    if node.tiles[0].offset == 0:
                        self.heirs[result] = tuple(operands)
                for tile in node.tiles:
                    self._touch(tile.buffer)
            elif isinstance(node, (Touch, InPlace)):
                self._touch(node.tile.buffer)
            elif isinstance(node, Loop):
                start = self.position
                self.walk(node.body)
                self.position += 1
                for buffer, last in self.last.items():
                    if last >= start and self.first[buffer] < start:
                        self.last[buffer] = self.position
            elif isinstance(node, Branch):
                self.walk(node.then)
                self.walk(node.orelse)

    def _touch(self, buffer: Buffer) -> None:
        self.first.setdefault(buffer, self.position)
        self.last[buffer] = self.position


def place_buffers(code: list[Node]) -> dict[Buffer, int]:
    """Byte addresses. Raises `NotEmitted` when a memory is too small."""
    lifetimes = _Lifetimes()
    lifetimes.walk(code)
    found: dict[Buffer, int] = {}
    for buffer in lifetimes.first:
        start = lifetimes.first[buffer]
        neighbours = {
            other: address
            for other, address in found.items()
            if other.space is buffer.space
            and lifetimes.first[other] <= lifetimes.last[buffer]
            and start <= lifetimes.last[other]
        }
        used_up = [each for each in lifetimes.heirs.get(buffer, ()) if lifetimes.last[each] == start]
        place = next((found[each] for each in used_up if _is_free(found[each], buffer, neighbours, each)), None)
        found[buffer] = _first_gap(buffer, neighbours) if place is None else place
    return found


def _is_free(address: int, buffer: Buffer, neighbours: dict[Buffer, int], but_for: Buffer) -> bool:
    return all(
        other is but_for or start + other.bytes <= address or address + buffer.bytes <= start
        for other, start in neighbours.items()
    )


def _first_gap(buffer: Buffer, neighbours: dict[Buffer, int]) -> int:
    address, unit = 0, _ALIGNMENT[buffer.space]
    for start, end in sorted((start, start + other.bytes) for other, start in neighbours.items()):
        if address + buffer.bytes <= start:
            break
        address = max(address, -(-end // unit) * unit)
    capacity = buffer.space.capacity
    if address + buffer.bytes > capacity:
        raise NotEmitted(
            f"a tile '{buffer.name}' of {buffer.bytes} bytes at address {address}: "
            f"{buffer.space.word} memory has {capacity} bytes",
            buffer.at,
        )
    return address
