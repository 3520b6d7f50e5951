"""Reductions along rows and columns."""

from __future__ import annotations

from pto_lsp.analysis.replay.dtypes import is_float
from pto_lsp.backend.kernels.elementwise import tile_of
from pto_lsp.backend.kernels.frame import Frame
from pto_lsp.backend.kernels.memory import fixed
from pto_lsp.backend.kernels.tiles import Layout, flat
from pto_lsp.backend.kernels.values import Tensor
from pto_lsp.backend.orchestration.errors import NotEmitted

REDUCTIONS = ("sum", "max", "min", "prod")


def reduce(frame: Frame, operation: str, operand: Tensor, along_row: bool) -> Tensor:
    """One value for each row (column), in place of its elements; that dimension stays, with extent 1."""
    shape = fixed(operand.shape)
    if len(shape) < 2:
        raise NotEmitted(f"a reduction of a tensor {list(shape)}")
    rows, cols = flat(shape)
    if not along_row and rows != shape[-2]:
        raise NotEmitted(f"a reduction along the columns of a tensor {list(shape)}")
    tile = frame.computable(tile_of(operand), shape, "a reduction")
    if is_float(tile.dtype) and operation in ("sum", "prod"):
        # Sums of half-precision numbers are accumulated in single precision.
        tile = frame.converted(tile, shape, "FP32")
    word = operation.upper()
    reduced = (*shape[:-1], 1) if along_row else (*shape[:-2], 1, shape[-1])
    if (cols if along_row else rows) == 1:
        result = frame.converted(tile, shape, operand.dtype)
        return Tensor(reduced, operand.dtype, result, shared=result is operand.tile)
    valid = (tile.valid[0], 1) if along_row else (1, tile.valid[1])
    result = frame.vector_tile(reduced, tile.dtype, valid=valid)
    if along_row:
        scratch = frame.vector_tile(shape, tile.dtype, f"{frame.label}_scratch", tile.valid)
        frame.vector(f"TROW{word}", result, tile, scratch)
    elif tile.layout is Layout.COLUMN:
        # The one column is one row in memory.
        row = frame.rows_of(tile)
        scratch = frame.vector_tile((1, rows), tile.dtype, f"{frame.label}_scratch", row.valid)
        frame.vector(f"TROW{word}", result, row, scratch)
    else:
        frame.vector(f"TCOL{word}", result, tile)
    return frame.value(frame.converted(result, reduced, operand.dtype), reduced)
