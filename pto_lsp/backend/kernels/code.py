"""Tile code as a tree: what placement and synchronisation work on before it becomes text."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import Enum
from typing import Union

from pto_lsp.backend.kernels.tiles import Tile


class Pipe(Enum):
    """The queues of a core. Each runs its instructions in order, all of them at the same time."""

    LOAD = "PIPE_MTE2"
    STORE = "PIPE_MTE3"
    VECTOR = "PIPE_V"
    SCALAR = "PIPE_S"
    FEED = "PIPE_MTE1"
    """From L1 to the operands of the cube."""
    CUBE = "PIPE_M"
    DRAIN = "PIPE_FIX"
    """From the accumulator to global memory."""


@dataclass(frozen=True, slots=True)
class Instruction:
    """One statement that runs on ``pipe``. ``tiles`` are all that it touches, its result first.

    ``replaceable`` are operands in whose place the result may lie: an element of it depends on theirs in its own place
    alone.
    """

    text: str
    pipe: Pipe
    tiles: tuple[Tile, ...]
    replaceable: tuple[Tile, ...] = ()


@dataclass(frozen=True, slots=True)
class Line:
    """Plain C++ (a number, a window of global memory), or a comment."""

    text: str


@dataclass(frozen=True, slots=True)
class Declaration:
    """C++ without any effect but to give ``name`` a value: left out where nothing uses it."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Touch:
    """From here on ``tile`` has to keep its place, though nothing is done to it."""

    tile: Tile


@dataclass(frozen=True, slots=True)
class InPlace:
    """A tile object whose address or extents are only known when it is reached: declared there."""

    tile: Tile


@dataclass(frozen=True, slots=True)
class Loop:
    head: str
    body: list[Node]


@dataclass(frozen=True, slots=True)
class Branch:
    condition: str
    then: list[Node]
    orelse: list[Node]


Node = Union[Instruction, Line, Declaration, Touch, InPlace, Loop, Branch]


@dataclass(slots=True)
class CodeBuilder:
    """Appends to the block that is open."""

    root: list[Node] = field(default_factory=list)
    _open: list[list[Node]] = field(default_factory=list)

    def add(self, node: Node) -> None:
        (self._open[-1] if self._open else self.root).append(node)

    def line(self, text: str) -> None:
        self.add(Line(text))

    @contextmanager
    def inside(self, block: list[Node]) -> Iterator[None]:
        """Append to ``block`` for the time being."""
        self._open.append(block)
        yield
        self._open.pop()


def declared_names(code: list[Node]) -> set[str]:
    """Names that are declared in a block, or in one inside it."""
    found: set[str] = set()
    for node in code:
        if isinstance(node, Declaration):
            found.add(node.name)
        elif isinstance(node, Loop):
            found |= declared_names(node.body)
        elif isinstance(node, Branch):
            found |= declared_names(node.then) | declared_names(node.orelse)
    return found
