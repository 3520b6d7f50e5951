"""Tiles: regions of on-chip memory and the C++ objects that look at them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Union

from pto_lsp.analysis.ir.place import Place
from pto_lsp.backend.kernels.dtypes import BLOCK_BYTES, element, padded, size

_BOX = 16
Extent = Union[int, str]
"""A number, or C++ that yields one."""


class Space(Enum):
    """On-chip memories of a2a3 and their sizes in bytes. A vector core has VEC, the cube core the others."""

    VEC = "Vec", 192 * 1024
    MAT = "Mat", 512 * 1024
    LEFT = "Left", 64 * 1024
    RIGHT = "Right", 64 * 1024
    ACC = "Acc", 128 * 1024

    @property
    def word(self) -> str:
        return self.value[0]

    @property
    def capacity(self) -> int:
        return self.value[1]


class Layout(Enum):
    """How a tile's elements lie in memory."""

    ROWS = "rows"
    """Row after row, each padded to whole blocks."""
    COLUMN = "column"
    """One column, element after element: what a row reduction yields. The same bytes are a tile of one row."""
    FRACTAL = "fractal"
    """In the cube core's small matrices, column of matrices after column."""
    TURNED = "turned"
    """The bytes of a FRACTAL tile read as its transpose."""


@dataclass(frozen=True, slots=True, eq=False)
class Buffer:
    """A stretch of on-chip memory of its own, asked for at the place ``at`` of the program.

    Where it lies is decided at the end (``placement``).
    """

    name: str
    space: Space
    bytes: int
    at: Place | None


@dataclass(frozen=True, slots=True, eq=False)
class Tile:
    """A C++ tile object. ``rows`` and ``cols`` are its allocated extents, ``valid`` those that hold elements: numbers,
    or C++ that yields them.

    ``offset`` is where it begins in its buffer, in bytes: a number, or C++ that yields one.
    """

    name: str
    buffer: Buffer
    dtype: str
    layout: Layout
    rows: int
    cols: int
    valid: tuple[Extent, Extent]
    offset: int | str = 0

    @property
    def type(self) -> str:
        space, kind = self.buffer.space, element(self.dtype)
        extents = f"{self.rows}, {self.cols}"
        valid = ", ".join(str(extent) if isinstance(extent, int) else "-1" for extent in self.valid)
        if space in (Space.LEFT, Space.RIGHT, Space.ACC):
            return f"Tile{space.word}<{kind}, {extents}, {valid}>"
        head = f"Tile<TileType::{space.word}, {kind}, {extents}, "
        if self.layout is Layout.FRACTAL:
            return f"{head}BLayout::ColMajor, {valid}, SLayout::RowMajor, 512>"
        if self.layout is Layout.TURNED:
            return f"{head}BLayout::RowMajor, {valid}, SLayout::ColMajor, 512>"
        order = "ColMajor" if self.layout is Layout.COLUMN else "RowMajor"
        return f"{head}BLayout::{order}, {valid}>"

    @property
    def run_time(self) -> tuple[str, ...]:
        """What the constructor is given: valid extents that are known only when the kernel runs."""
        return tuple([extent for extent in self.valid if isinstance(extent, str)])

    @property
    def in_place(self) -> bool:
        """Whether the object can only be declared where what describes it is known."""
        return bool(self.run_time) or isinstance(self.offset, str)


def flat(shape: tuple[int, ...]) -> tuple[int, int]:
    """Rows and columns of a tensor of any rank: the last dimension, and all others together."""
    rows = 1
    for extent in shape[:-1]:
        rows *= extent
    return rows, shape[-1] if shape else 1


def vector_extents(shape: tuple[int, ...], dtype: str) -> tuple[Layout, int, int]:
    """Layout and allocated extents of a value on the vector core."""
    rows, cols = flat(shape)
    if cols == 1 and len(shape) > 1:
        return Layout.COLUMN, padded(rows, dtype), 1
    return Layout.ROWS, rows, padded(cols, dtype)


def box_extent(dtype: str) -> int:
    """What the extents of a tile of small matrices are multiples of, whichever way it is read."""
    return max(_BOX, BLOCK_BYTES // size(dtype))


def tile_bytes(rows: int, cols: int, dtype: str) -> int:
    return rows * cols * size(dtype)
