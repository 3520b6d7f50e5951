"""Products on the cube core.

Factors come from L1 into the operand memories piece by piece along the inner dimension, as long as both pieces fit; the
accumulator adds the pieces up.
"""

from __future__ import annotations

from pto_lsp.analysis.replay.dtypes import is_float
from pto_lsp.backend.kernels.code import Pipe
from pto_lsp.backend.kernels.dtypes import element, padded, size
from pto_lsp.backend.kernels.frame import Frame
from pto_lsp.backend.kernels.memory import fixed
from pto_lsp.backend.kernels.scalars import as_element, number
from pto_lsp.backend.kernels.tiles import Extent, Layout, Space, Tile, box_extent, flat
from pto_lsp.backend.kernels.values import Tensor
from pto_lsp.backend.orchestration.errors import NotEmitted

_UNIT = 16
_FACTORS = frozenset({"FP32", "FP16", "BF16", "INT8"})


def product(
    frame: Frame,
    left: Tensor,
    right: Tensor,
    out_dtype: str,
    turned: tuple[bool, bool],
    accumulator: Tensor | None,
    target: Tile | None = None,
    first: str = "",
) -> Tensor:
    """``left @ right``, added to ``accumulator`` in place, or into ``target``, or into an accumulator of its own.

    ``first`` is C++ for when nothing is in the accumulator yet, so that it is replaced.
    """
    if not frame.cube:
        raise NotEmitted("a matrix product on a vector core")
    a, b = _factor(frame, left, turned[0]), _factor(frame, right, turned[1])
    if left.dtype != right.dtype or left.dtype not in _FACTORS:
        raise NotEmitted(f"a product of {left.dtype} and {right.dtype}")
    (m, k), (inner, n) = a.valid, b.valid
    if k != inner:
        raise NotEmitted(f"a product of {list(a.valid)} and {list(b.valid)}")
    if not isinstance(k, int):
        raise NotEmitted("a product whose inner extent is known only at run time")
    real = is_float(left.dtype)
    kind = "FP32" if real else "INT32"
    if accumulator is not None:
        target = accumulator.tile
        if target is None or target.buffer.space is not Space.ACC:
            raise NotEmitted("an accumulator that is not the result of a product")
    rows = fixed(left.shape)[-1 if turned[0] else -2]
    cols = fixed(right.shape)[-2 if turned[1] else -1]
    extents = _rounded(rows), _rounded(cols)
    if target is not None and (target.dtype, target.rows, target.cols) == (kind, *extents):
        tile = frame.limited(target, (m, n))
    elif accumulator is None:
        tile = accumulator_tile(frame, (rows, cols), kind, (m, n))
    else:
        raise NotEmitted(f"a product {[rows, cols]} added to an accumulator {list(accumulator.shape)}")
    step = _inner_step(extents, left.dtype, k)
    for start in range(0, k, step):
        extent = min(step, k - start)
        added = accumulator is not None or start > 0
        _piece(frame, tile, a, b, (start, extent), added, first if start == 0 else "")
    dtype = accumulator.dtype if accumulator is not None else out_dtype or kind
    # Leading dimensions, all of extent 1, are those of the factor that has more of them.
    leading = max(left.shape[:-2], right.shape[:-2], key=len)
    return Tensor((*leading, rows, cols), dtype, tile)


def accumulator_tile(
    frame: Frame, shape: tuple[int, ...], dtype: str, valid: tuple[Extent, Extent] | None = None
) -> Tile:
    rows, cols = flat(shape)
    extents = _rounded(rows), _rounded(cols)
    return frame.new_tile(frame.label, Space.ACC, dtype, Layout.FRACTAL, *extents, valid or (rows, cols))


def _rounded(count: int) -> int:
    return -(-count // _UNIT) * _UNIT


def _factor(frame: Frame, value: Tensor, turned: bool) -> Tile:
    tile = value.tile
    shape = fixed(value.shape)
    if tile is not None and tile.buffer.space is Space.ACC:
        tile = _brought_back(frame, value, tile)
    if tile is None or tile.buffer.space is not Space.MAT:
        raise NotEmitted("a factor that was not loaded from memory")
    if len(shape) < 2 or flat(shape)[0] != shape[-2]:
        raise NotEmitted(f"a factor {list(shape)}")
    return turned_tile(frame, tile) if turned else tile


def _brought_back(frame: Frame, value: Tensor, tile: Tile) -> Tile:
    """A product as a factor: the way from the accumulator to L1 only takes half-precision numbers."""
    if value.dtype not in ("FP16", "BF16") or value.added is not None:
        raise NotEmitted(f"a product in {value.dtype} as a factor: cast it to FP16 or BF16")
    result = frame.new_tile(
        f"{tile.name}_factor", Space.MAT, value.dtype, Layout.FRACTAL, tile.rows, tile.cols, tile.valid
    )
    given = f"<decltype({result.name}), decltype({tile.name}), ReluPreMode::NormalRelu>" if value.clipped else ""
    frame.emit(Pipe.DRAIN, f"TMOV{given}({result.name}, {tile.name});", result, tile)
    return result


def turned_tile(frame: Frame, tile: Tile) -> Tile:
    """The transpose of a tile in L1: the same bytes, read in another order."""
    layout = Layout.FRACTAL if tile.layout is Layout.TURNED else Layout.TURNED
    valid = (tile.valid[1], tile.valid[0])
    return frame.alias(tile, f"{tile.name}_turned", tile.dtype, layout, tile.cols, tile.rows, valid)


def _inner_step(extents: tuple[int, int], dtype: str, k: int) -> int:
    """How much of the inner dimension fits into the operand memories at a time."""
    width, unit = size(dtype), box_extent(dtype)
    most = min(Space.LEFT.capacity // (extents[0] * width), Space.RIGHT.capacity // (extents[1] * width))
    step = most // unit * unit
    if step < unit:
        raise NotEmitted(f"a product {list(extents)}, which does not fit into the cube core")
    return min(step, -(-k // unit) * unit)


def _piece(frame: Frame, tile: Tile, a: Tile, b: Tile, inner: tuple[int, int], added: bool, first: str) -> None:
    """Of the inner dimension, ``inner[1]`` from ``inner[0]`` on."""
    start, extent = inner
    unit = box_extent(a.dtype)
    rounded = -(-extent // unit) * unit
    left = frame.new_tile(
        f"{frame.label}_left", Space.LEFT, a.dtype, Layout.FRACTAL, tile.rows, rounded, (a.valid[0], extent)
    )
    right = frame.new_tile(
        f"{frame.label}_right", Space.RIGHT, b.dtype, Layout.FRACTAL, rounded, tile.cols, (extent, b.valid[1])
    )
    for target, source, place in ((left, a, f"0, {start}"), (right, b, f"{start}, 0")):
        whole = (target.rows, target.cols) == (source.rows, source.cols)
        text = f"TMOV({target.name}, {source.name});" if whole else f"TEXTRACT({target.name}, {source.name}, {place});"
        frame.emit(Pipe.FEED, text, target, source)
    if first:
        replaced = f"TMATMUL({tile.name}, {left.name}, {right.name});"
        added_up = f"TMATMUL_ACC({tile.name}, {tile.name}, {left.name}, {right.name});"
        text = f"if ({first}) {replaced}\nelse {added_up}"
    elif added:
        text = f"TMATMUL_ACC({tile.name}, {tile.name}, {left.name}, {right.name});"
    else:
        text = f"TMATMUL({tile.name}, {left.name}, {right.name});"
    frame.emit(Pipe.CUBE, text, tile, left, right)


def zeros(frame: Frame, shape: tuple[int, ...], dtype: str) -> Tensor:
    """An accumulator full of zeros: nothing writes to one but a product, so this is one of zeros."""
    kind = "FP32" if is_float(dtype) else "INT32"
    factor = "FP16" if kind == "FP32" else "INT8"
    width = padded(1, factor)
    tile = accumulator_tile(frame, shape, kind)
    name, (rows, cols) = f"{tile.name}_zeros", flat(shape)
    unit = box_extent(factor)
    tall, wide = -(-rows // unit) * unit, -(-cols // unit) * unit
    left = frame.new_tile(name, Space.MAT, factor, Layout.FRACTAL, tall, width, (rows, width))
    right = frame.new_tile(name, Space.MAT, factor, Layout.FRACTAL, width, wide, (width, cols))
    for each in (left, right):
        frame.emit(Pipe.LOAD, f"TEXPANDS({each.name}, {as_element(number(0), element(factor))});", each)
    _piece(frame, tile, left, right, (0, width), False, "")
    return Tensor(shape, dtype, tile)
