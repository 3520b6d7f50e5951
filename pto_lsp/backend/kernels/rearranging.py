"""Operations that put elements elsewhere: gathering, transposing, joining, and the numbers from a start on."""

from __future__ import annotations

from pto_lsp.backend.kernels.code import Loop, Node, Pipe
from pto_lsp.backend.kernels.dtypes import element, size
from pto_lsp.backend.kernels.elementwise import VECTOR_WORK, tile_of
from pto_lsp.backend.kernels.frame import Frame
from pto_lsp.backend.kernels.memory import fixed
from pto_lsp.backend.kernels.regions import Region, as_column, move, whole
from pto_lsp.backend.kernels.scalars import as_element, number
from pto_lsp.backend.kernels.tiles import Layout, Tile, flat, tile_bytes
from pto_lsp.backend.kernels.values import Number, Tensor
from pto_lsp.backend.orchestration.errors import NotEmitted


def gathered(frame: Frame, source: Tensor, index: Tensor) -> Tensor:
    """From every row of ``source`` the elements whose columns that row of ``index`` names."""
    shape, held = fixed(index.shape), fixed(source.shape)
    (rows, cols), (all_rows, _) = flat(shape), flat(held)
    data, places = tile_of(source), tile_of(index)
    if index.dtype != "INT32":
        raise NotEmitted(f"a gather with indices of {index.dtype or 'an unknown data type'}")
    if rows != all_rows or len(shape) != len(held) or Layout.COLUMN in (data.layout, places.layout):
        raise NotEmitted(f"a gather from {list(held)} with indices {list(shape)}")
    if places.valid != (rows, cols) or data.valid[0] != rows:
        raise NotEmitted("a gather with a partly valid tile")
    if size(source.dtype) == 1:
        raise NotEmitted(f"a gather of {source.dtype}")
    result = frame.vector_tile(shape, source.dtype)
    scratch = frame.vector_tile(shape, "INT32", f"{frame.label}_scratch")
    tiles = (result, data, places, scratch)
    if rows == 1:
        frame.vector("TGATHER", *tiles)
        return frame.value(result, shape)
    row = frame.names.fresh("row")
    body: list[Node] = []
    with frame.block(body):
        frame.vector("TGATHER", *[_row(frame, tile, row) for tile in tiles])
    frame.code.add(Loop(f"for (int64_t {row} = 0; {row} < {rows}; ++{row})", body))
    return frame.value(result, shape)


def _row(frame: Frame, tile: Tile, row: str) -> Tile:
    offset = f"{row} * {tile_bytes(1, tile.cols, tile.dtype)}"
    return frame.alias(tile, f"{tile.name}_row", tile.dtype, Layout.ROWS, 1, tile.cols, (1, tile.valid[1]), offset)


def transposed(frame: Frame, operand: Tensor) -> Tensor:
    """Element by element: the transposing instruction takes whole blocks of 16 rows only."""
    shape = fixed(operand.shape)
    tile = tile_of(operand)
    if len(shape) != 2:
        raise NotEmitted(f"a transpose of {list(shape)}")
    rows, cols = shape
    turned, valid = (cols, rows), (tile.valid[1], tile.valid[0])
    if 1 in shape:
        # The elements stay in order.
        seen = as_column(frame, tile, cols) if rows == 1 else frame.rows_of(tile)
        return Tensor(turned, operand.dtype, seen, shared=True)
    result = frame.vector_tile(turned, operand.dtype, valid=valid)
    row, col = frame.names.fresh("row"), frame.names.fresh("col")
    lines = (
        f"for (int64_t {row} = 0; {row} < {tile.valid[0]}; ++{row})",
        f"    for (int64_t {col} = 0; {col} < {tile.valid[1]}; ++{col})",
        f"        {result.name}.SetValue({col} * {result.cols} + {row},"
        f" {tile.name}.GetValue({row} * {tile.cols} + {col}));",
    )
    frame.emit(Pipe.SCALAR, "\n".join(lines), result, tile)
    return frame.value(result, turned)


def joined(frame: Frame, parts: list[Tensor]) -> Tensor:
    """One after the other along the last dimension."""
    shapes = [fixed(part.shape) for part in parts]
    tiles = [tile_of(part) for part in parts]
    if len({shape[:-1] for shape in shapes}) > 1 or len({part.dtype for part in parts}) > 1:
        raise NotEmitted(f"tensors {' and '.join(str(list(shape)) for shape in shapes)} joined")
    if any(tile.valid != flat(shape) for tile, shape in zip(tiles, shapes)):
        raise NotEmitted("partly valid tiles joined")
    shape = (*shapes[0][:-1], sum(each[-1] for each in shapes))
    result = frame.vector_tile(shape, parts[0].dtype)
    column = 0
    for tile, each in zip(tiles, shapes):
        move(frame, Region(result, number(0), number(column), tile.valid), whole(tile))
        column += each[-1]
    return frame.value(result, shape)


def counted(frame: Frame, start: Number, shape: tuple[int, ...], dtype: str, descending: bool) -> Tensor:
    """``start``, ``start + 1``, and so on, or down from it."""
    if frame.cube:
        raise NotEmitted(VECTOR_WORK)
    if dtype not in ("INT32", "INT16") or flat(shape)[0] != 1:
        raise NotEmitted(f"numbers that count in a tile {list(shape)} of {dtype or 'an unknown data type'}")
    result = frame.vector_tile(shape, dtype)
    target = frame.rows_of(result)
    kind = element(dtype)
    arguments = f"<decltype({target.name}), {kind}, {int(descending)}>"
    frame.emit(Pipe.SCALAR, f"TCI{arguments}({target.name}, {as_element(start, kind)});", target)
    return frame.value(result, shape)
