"""Parts of vector tiles: where they lie, and moving elements from one to another.

A part that begins at a block is a tile of its own at the same bytes, and one instruction moves it. What does not is
moved element by element by the scalar unit, which knows no alignment.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from math import prod

from pto_lsp.backend.kernels.code import Pipe
from pto_lsp.backend.kernels.dtypes import BLOCK_BYTES, padded, size
from pto_lsp.backend.kernels.frame import Frame, is_linear
from pto_lsp.backend.kernels.scalars import binary, number
from pto_lsp.backend.kernels.tiles import Extent, Layout, Space, Tile, flat, vector_extents
from pto_lsp.backend.kernels.values import Number
from pto_lsp.backend.orchestration.errors import NotEmitted
from pto_lsp.backend.orchestration.scalars import bare

_MOST_REGIONS = 64
"""Of one part; each is moved by code of its own."""


@dataclass(frozen=True, slots=True)
class Region:
    """``extents`` rows and columns of ``tile`` from ``row`` and ``column`` on."""

    tile: Tile
    row: Number
    column: Number
    extents: tuple[Extent, Extent]


def whole(tile: Tile) -> Region:
    return Region(tile, number(0), number(0), tile.valid)


def regions_of(tile: Tile, shape: tuple[int, ...], sizes: tuple[int, ...], offsets: tuple[Number, ...]) -> list[Region]:
    """The window of ``tile``, a value of ``shape``: one region where its rows follow one another, else equal ones."""
    if tile.buffer.space is not Space.VEC:
        raise NotEmitted("a part of a tile of the cube core")
    rank = len(shape)
    split = rank - 2
    while split > 0 and sizes[split] == shape[split]:
        split -= 1
    split = max(split, 0)
    leading = sizes[: split if rank > 1 else 0]
    if prod(leading) > _MOST_REGIONS:
        raise NotEmitted(f"a part {list(sizes)} of a tile {list(shape)}")
    rows = prod(sizes[len(leading) : -1])
    found: list[Region] = []
    for index in product(*[range(extent) for extent in leading]):
        row = number(0)
        for axis, offset in enumerate(offsets[:-1]):
            step = binary("+", offset, number(index[axis])) if axis < len(index) else offset
            row = binary("+", row, binary("*", step, number(prod(shape[axis + 1 : -1]))))
        column = offsets[-1] if offsets else number(0)
        found.append(Region(tile, row, column, (rows, sizes[-1] if sizes else 1)))
    return found


def part_valid(frame: Frame, region: Region, extents: tuple[int, int]) -> Region:
    """``region`` of the tile of a value of ``extents``, without what of that tile is not valid."""
    tile = region.tile
    found = [
        asked if valid == full or not isinstance(asked, int) else _clipped(frame, valid, start, asked)
        for valid, full, start, asked in zip(tile.valid, extents, (region.row, region.column), region.extents)
    ]
    return Region(tile, region.row, region.column, (found[0], found[1]))


def _clipped(frame: Frame, valid: Extent, start: Number, asked: int) -> Extent:
    if isinstance(valid, int) and isinstance(start.constant, int):
        return max(0, min(valid - start.constant, asked))
    if start.constant == 0 and asked == 1:
        return 1
    held = binary("-", Number(str(valid), "INDEX", valid if isinstance(valid, int) else None), start)
    return frame.named(binary("max", binary("min", held, number(asked)), number(0)).text, "valid")


def intersected(
    frame: Frame, one: tuple[Extent, Extent], other: tuple[Extent, Extent], extents: tuple[int, int]
) -> tuple[Extent, Extent]:
    """What is valid of both, of values of ``extents``."""
    rows, cols = [_least(frame, *pair) for pair in zip(one, other, extents)]
    return rows, cols


def _least(frame: Frame, one: Extent, other: Extent, full: int) -> Extent:
    if other in (one, full):
        return one
    if one == full:
        return other
    if isinstance(one, int) and isinstance(other, int):
        return min(one, other)
    return frame.named(f"({one} < {other} ? {one} : {other})", "valid")


def as_tile(frame: Frame, region: Region) -> Tile | None:
    """The region as a tile of its own, in place; None where it does not begin at a block."""
    tile, (rows, cols) = region.tile, region.extents
    width = size(tile.dtype)
    if tile.layout is Layout.COLUMN:
        unit, start = region.row, binary("*", region.row, number(width))
        most = rows if isinstance(rows, int) else tile.rows
        capacity = (padded(most, tile.dtype), 1)
    else:
        unit = region.column
        start = binary("+", binary("*", region.row, number(tile.cols * width)), binary("*", unit, number(width)))
        capacity = (rows if isinstance(rows, int) and rows else tile.rows, tile.cols)
    if unit.multiple % (BLOCK_BYTES // width):
        return None
    if start.constant == 0 and tile.valid == region.extents:
        return tile
    offset: int | str = int(start.constant) if start.constant is not None else bare(start.text)
    return frame.alias(tile, f"{tile.name}_part", tile.dtype, tile.layout, *capacity, (rows, cols), offset)


def move(frame: Frame, target: Region, source: Region) -> None:
    """The elements of ``source`` into ``target``, which has the same extents and type."""
    into, out = as_tile(frame, target), as_tile(frame, source)
    if into is None or out is None:
        _move_one_by_one(frame, target, source)
    elif into.layout is out.layout:
        frame.copy(into, out)
    elif into.layout is Layout.COLUMN:
        frame.column_of(into, out)
    else:
        frame.vector("TROWEXPAND", frame.as_integers(into), frame.as_integers(out))


def _move_one_by_one(frame: Frame, target: Region, source: Region) -> None:
    rows, cols = source.extents
    row, col = frame.names.fresh("row"), frame.names.fresh("col")
    lines = [f"for (int64_t {row} = 0; {row} < {rows}; ++{row})"]
    indent = "    "
    if cols == 1:
        col = ""
    else:
        lines.append(f"{indent}for (int64_t {col} = 0; {col} < {cols}; ++{col})")
        indent *= 2
    element = f"{source.tile.name}.GetValue({_position(source, row, col)})"
    lines.append(f"{indent}{target.tile.name}.SetValue({_position(target, row, col)}, {element});")
    frame.emit(Pipe.SCALAR, "\n".join(lines), target.tile, source.tile)


def _position(region: Region, row: str, col: str) -> str:
    """C++ for the place of an element in the tile, counted in elements."""
    at_row = binary("+", region.row, Number(row, "INDEX"))
    if region.tile.layout is Layout.COLUMN:
        return bare(at_row.text)
    at_column = binary("+", region.column, Number(col, "INDEX")) if col else region.column
    return bare(binary("+", binary("*", at_row, number(region.tile.cols)), at_column).text)


def as_column(frame: Frame, tile: Tile, count: int) -> Tile:
    """``tile``, whose elements follow one another, as a column."""
    if tile.layout is Layout.COLUMN:
        return tile
    valid = tile.valid[1] if tile.rows == 1 else count
    return frame.alias(tile, f"{tile.name}_column", tile.dtype, Layout.COLUMN, padded(count, tile.dtype), 1, (valid, 1))


def same_extents(frame: Frame, tile: Tile, extents: tuple[int, int], value: tuple[int, ...]) -> Tile | None:
    """``tile``, of a ``value`` of that shape, with ``extents`` rows and columns where it can be seen so."""
    if flat(value) == extents:
        return tile
    if flat(value) == (extents[1], extents[0]) and extents[1] == 1:
        return as_column(frame, tile, extents[0])
    if flat(value) == (extents[1], extents[0]) and extents[0] == 1:
        return frame.rows_of(tile)
    return None


def reshaped(frame: Frame, tile: Tile, shape: tuple[int, ...], new: tuple[int, ...]) -> Tile:
    """``tile``, wholly valid and of a value of ``shape``, as one of shape ``new``: at the same bytes if possible."""
    layout, rows, cols = vector_extents(new, tile.dtype)
    if flat(new) == flat(shape) and (layout, rows, cols) == (tile.layout, tile.rows, tile.cols):
        return tile
    there = frame.alias(tile, frame.label, tile.dtype, layout, rows, cols, flat(new))
    if is_linear(tile) and is_linear(there) and rows * cols * size(tile.dtype) <= tile.buffer.bytes:
        return there
    result = frame.vector_tile(new, tile.dtype)
    index = frame.names.fresh("index")
    target, source = _linear(result, flat(new)[1], index), _linear(tile, flat(shape)[1], index)
    head = f"for (int64_t {index} = 0; {index} < {prod(new)}; ++{index})"
    text = f"{head}\n    {result.name}.SetValue({target}, {tile.name}.GetValue({source}));"
    frame.emit(Pipe.SCALAR, text, result, tile)
    return result


def _linear(tile: Tile, cols: int, index: str) -> str:
    """C++ for the place in ``tile``, whose rows have ``cols`` elements, of element ``index`` in row-major order."""
    if is_linear(tile):
        return index
    return f"{index} / {cols} * {tile.cols} + {index} % {cols}"
