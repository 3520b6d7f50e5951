"""Global memory: windows of parameters, loads and stores of tiles, single elements."""

from __future__ import annotations

from math import prod

from pto_lsp.backend.kernels.code import Pipe
from pto_lsp.backend.kernels.dtypes import bits_of, element, memory_element, padded
from pto_lsp.backend.kernels.epilogue import store_product
from pto_lsp.backend.kernels.frame import Frame
from pto_lsp.backend.kernels.regions import as_column, reshaped
from pto_lsp.backend.kernels.scalars import binary, number
from pto_lsp.backend.kernels.tiles import Extent, Layout, Space, Tile, box_extent, flat
from pto_lsp.backend.kernels.values import Axis, Number, Tensor, View
from pto_lsp.backend.orchestration.errors import NotEmitted
from pto_lsp.backend.orchestration.scalars import bare

_MAX_RANK = 5


def window(view: View, sizes: tuple[Extent, ...], offsets: tuple[Number, ...]) -> View:
    """The part of ``view`` with these extents at these offsets."""
    if len(sizes) != len(view.axes) or len(offsets) != len(view.axes):
        raise NotEmitted(f"a window of {len(sizes)} dimensions of a tensor of {len(view.axes)}")
    axes = tuple([Axis(extent, axis.stride) for extent, axis in zip(sizes, view.axes)])
    return View(view.param, _moved(view, offsets), axes, view.dtype)


def without_axes(view: View, dropped: tuple[int, ...]) -> View:
    kept = tuple([axis for index, axis in enumerate(view.axes) if index not in dropped])
    return View(view.param, view.pointer, kept, view.dtype)


def _moved(view: View, offsets: tuple[Number, ...]) -> str:
    distance = number(0)
    for offset, axis in zip(offsets, view.axes):
        if offset.constant == 0:
            continue
        stride = number(axis.stride) if isinstance(axis.stride, int) else Number(axis.stride, "INDEX")
        step = offset if stride.constant == 1 else binary("*", offset, stride)
        distance = binary("+", distance, step)
    return view.pointer if distance.constant == 0 else f"{view.pointer} + {bare(distance.text)}"


def fixed(shape: tuple[Extent, ...]) -> tuple[int, ...]:
    """Extents as numbers. Raises `NotEmitted` when one is only known when the kernel runs."""
    found = tuple([extent for extent in shape if isinstance(extent, int)])
    if len(found) != len(shape):
        raise NotEmitted(
            "a tile whose extents are known only at run time: give it the largest ones, and the others as valid_shape"
        )
    if any(extent <= 0 for extent in found):
        raise NotEmitted(f"a tile of extents {list(found)}")
    return found


def global_tensor(frame: Frame, view: View) -> tuple[str, bool]:
    """Declare ``view`` for a transfer: its name, and whether its last dimension had to be taken for rows."""
    axes = list(view.axes)
    strided = not axes or axes[-1].stride != 1
    if strided and axes and axes[-1].extent == 1:
        strided = False
        axes[-1] = Axis(1, 1)
    if strided:
        axes.append(Axis(1, 1))
    # Leading dimensions of extent 1 carry no elements.
    while len(axes) > _MAX_RANK and axes[0].extent == 1:
        axes.pop(0)
    if len(axes) > _MAX_RANK:
        raise NotEmitted(f"a window of {len(axes)} dimensions")
    axes = [Axis(1, 1)] * (_MAX_RANK - len(axes)) + axes
    kind = element(view.dtype)
    strides: list[str] = []
    run_time: list[str] = []
    for axis in axes:
        known = axis.stride if isinstance(axis.stride, int) else None
        if axis.extent == 1 and known is None:
            known = 1
        strides.append("-1" if known is None else str(known))
        if known is None:
            run_time.append(str(axis.stride))
    extents = ", ".join(str(axis.extent) if isinstance(axis.extent, int) else "-1" for axis in axes)
    counted = ", ".join(axis.extent for axis in axes if isinstance(axis.extent, str))
    name = frame.names.fresh(f"{view.param}_window")
    given = f", {{{counted}}}, {{{', '.join(run_time)}}}" if run_time or counted else ""
    frame.code.line(
        f"GlobalTensor<{kind}, Shape<{extents}>, Stride<{', '.join(strides)}>> {name}({view.pointer}{given});"
    )
    return name, strided


def load(frame: Frame, view: View, label: str = "", shape: tuple[int, ...] | None = None) -> Tensor:
    """The elements of ``view`` on chip, in a tile for ``shape`` where that is larger."""
    extents = tuple([axis.extent for axis in view.axes])
    if shape is None:
        shape = fixed(extents)
    key = (view.pointer, view.axes, view.dtype, shape)
    known = frame.loaded(key)
    if known is not None:
        return known
    label = label or f"{view.param}_tile"
    valid = flat_extents(extents, shape)
    tile = (_load_cube if frame.cube else _load_vector)(frame, view, shape, valid, label)
    value = Tensor(shape, view.dtype, tile, view, shared=True)
    frame.remember_loaded(key, value)
    return value


def flat_extents(extents: tuple[Extent, ...], shape: tuple[int, ...]) -> tuple[Extent, Extent]:
    """Rows and columns that hold elements, when of every dimension of ``shape`` only ``extents`` do."""
    outer = [axis for axis in range(len(shape) - 1) if shape[axis] != 1]
    if any(extents[axis] != shape[axis] for axis in outer[1:]):
        raise NotEmitted(f"a tile {list(shape)} of which a middle dimension is partly valid")
    rows: Extent = flat(shape)[0]
    if outer and extents[outer[0]] != shape[outer[0]]:
        inner = flat(shape)[0] // shape[outer[0]]
        part = extents[outer[0]]
        rows = part * inner if isinstance(part, int) else part if inner == 1 else f"{part} * {inner}"
    return rows, extents[-1] if shape else 1


def _load_cube(frame: Frame, view: View, shape: tuple[int, ...], valid: tuple[Extent, Extent], label: str) -> Tile:
    rows, cols = flat(shape)
    name, strided = global_tensor(frame, view)
    if strided:
        raise NotEmitted("a column of a matrix on the cube core")
    unit = box_extent(view.dtype)
    allocated = -(-rows // unit) * unit, -(-cols // unit) * unit
    tile = frame.new_tile(label, Space.MAT, view.dtype, Layout.FRACTAL, *allocated, valid)
    frame.emit(Pipe.LOAD, f"TLOAD({tile.name}, {name});", tile)
    return tile


def _load_vector(frame: Frame, view: View, shape: tuple[int, ...], valid: tuple[Extent, Extent], label: str) -> Tile:
    name, strided = global_tensor(frame, view)
    rows, cols = flat(shape)
    if strided and (rows, cols) != (1, 1):
        if valid != flat(shape):
            raise NotEmitted("a partly valid tile whose elements do not follow one another")
        column = (rows * cols, 1)
        tile = frame.vector_tile(column, view.dtype, label)
        spread = _spread(frame, tile, rows * cols, rows * cols)
        frame.emit(Pipe.LOAD, f"TLOAD({spread.name}, {name});", spread)
        frame.column_of(tile, spread)
        return reshaped(frame, tile, column, shape)
    tile = frame.vector_tile(shape, view.dtype, label, valid)
    if cols > 1 or rows == 1:
        target = frame.rows_of(tile)
        frame.emit(Pipe.LOAD, f"TLOAD({target.name}, {name});", target)
        return tile
    # Transfers move rows: each element of a column arrives in a row of its own.
    count = tile.valid[0] if tile.layout is Layout.COLUMN else rows
    spread = _spread(frame, tile, rows, count)
    frame.emit(Pipe.LOAD, f"TLOAD({spread.name}, {name});", spread)
    frame.column_of(as_column(frame, tile, rows), spread)
    return tile


def store(frame: Frame, view: View, value: Tensor, atomic: bool = False) -> None:
    """The elements of ``value`` to ``view``; both have the same number of them."""
    assert value.tile is not None
    frame.forget_loaded()
    tile = value.tile
    name, strided = global_tensor(frame, _valid_part(view, tile, flat(fixed(value.shape))))
    if tile.buffer.space is Space.ACC:
        store_product(frame, name, view, value, atomic)
        frame.stores += 1
        return
    frame.stores += 1
    pipe = Pipe.STORE
    if tile.buffer.space is Space.VEC:
        shape = fixed(value.shape)
        seen = _seen(view, shape, strided)
        if flat(seen) != flat(shape):
            if tile.valid != flat(shape):
                raise NotEmitted("a partly valid tile whose elements do not follow one another in memory")
            tile = reshaped(frame, tile, shape, seen)
        if tile.layout is Layout.COLUMN and flat(seen)[0] > 1:
            count, held = flat(seen)[0], tile.valid[0]
            spread = _spread(frame, tile, count, held)
            kind = bits_of(tile.dtype)
            wide = frame.alias(
                spread, f"{spread.name}_wide", kind, Layout.ROWS, count, spread.cols, (held, spread.cols)
            )
            frame.vector("TROWEXPAND", wide, frame.as_integers(tile))
            tile = spread
        else:
            tile = frame.rows_of(tile)
    else:
        raise NotEmitted("a copy through the cube core")
    if atomic:
        frame.emit(
            pipe, f"TSTORE<decltype({tile.name}), decltype({name}), AtomicType::AtomicAdd>({name}, {tile.name});", tile
        )
    else:
        frame.emit(pipe, f"TSTORE({name}, {tile.name});", tile)


def _seen(view: View, shape: tuple[int, ...], strided: bool) -> tuple[int, ...]:
    """The shape in which the elements of a value of ``shape`` go to ``view``."""
    extents = tuple([axis.extent for axis in view.axes])
    count = prod(shape)
    if strided and count > 1:
        return (count, 1)
    known = tuple([extent for extent in extents if isinstance(extent, int)])
    return known if len(known) == len(extents) and prod(known) == count else shape


def _valid_part(view: View, tile: Tile, extents: tuple[int, int]) -> View:
    """The part of ``view`` that the elements of ``tile``, a value of ``extents``, go to."""
    if tile.valid == extents:
        return view
    sizes = fixed(tuple([axis.extent for axis in view.axes]))
    if len(sizes) < 2 or sizes[-2:] != extents:
        if tile.valid[0] != extents[0] or sizes[-1:] != extents[1:]:
            raise NotEmitted(f"a partly valid tile {list(extents)} written to a window {list(sizes)}")
        outer, last = view.axes[:-1], view.axes[-1:]
    else:
        rows = view.axes[-2]
        outer, last = (*view.axes[:-2], Axis(tile.valid[0], rows.stride)), view.axes[-1:]
    return View(view.param, view.pointer, (*outer, Axis(tile.valid[1], last[0].stride)), view.dtype)


def _spread(frame: Frame, tile: Tile, rows: int, count: Extent) -> Tile:
    """A tile with the elements of a column, each in a row of its own. ``count`` of them are valid."""
    width = padded(1, tile.dtype)
    return frame.new_tile(f"{tile.name}_spread", Space.VEC, tile.dtype, Layout.ROWS, rows, width, (count, 1))


def read_element(frame: Frame, value: Tensor, index: tuple[Number, ...]) -> Number:
    if len(index) != len(value.shape):
        raise NotEmitted(f"an element of {len(index)} indices of a tensor of {len(value.shape)} dimensions")
    name = frame.names.fresh(frame.label)
    kind = memory_element(value.dtype)
    if value.tile is None:
        assert value.view is not None
        place = bare(_moved(value.view, index))
        frame.emit(Pipe.SCALAR, f"const {kind} {name} = *({place});")
    else:
        if value.tile.buffer.space is not Space.VEC:
            raise NotEmitted("an element of a tile of the cube core")
        position = _position(value.tile, index, fixed(value.shape))
        frame.emit(Pipe.SCALAR, f"const {kind} {name} = {value.tile.name}.GetValue({bare(position.text)});", value.tile)
    return Number(name, value.dtype)


def write_element(frame: Frame, value: Tensor, index: tuple[Number, ...], content: str) -> None:
    """``content`` is C++ of the element's type."""
    if len(index) != len(value.shape):
        raise NotEmitted(f"an element of {len(index)} indices of a tensor of {len(value.shape)} dimensions")
    if value.view is not None:
        frame.forget_loaded()
        frame.emit(Pipe.SCALAR, f"*({bare(_moved(value.view, index))}) = {content};")
        frame.emit(
            Pipe.SCALAR,
            f"dcci({bare(_moved(value.view, index))}, cache_line_t::SINGLE_CACHE_LINE, dcci_dst_t::CACHELINE_OUT);",
        )
        return
    assert value.tile is not None
    position = _position(value.tile, index, fixed(value.shape))
    frame.emit(Pipe.SCALAR, f"{value.tile.name}.SetValue({bare(position.text)}, {content});", value.tile)


def _position(tile: Tile, index: tuple[Number, ...], shape: tuple[int, ...]) -> Number:
    row = number(0)
    for position, extent in zip(index[:-1], shape[:-1]):
        row = binary("+", binary("*", row, number(extent)), position) if row.constant != 0 else position
    column = index[-1] if index else number(0)
    if tile.layout is Layout.COLUMN:
        return row
    if row.constant == 0:
        return column
    return binary("+", binary("*", row, number(tile.cols)), column)
