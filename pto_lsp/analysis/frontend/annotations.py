"""Parameter and return annotations (surface.md §3)."""

from __future__ import annotations

from pto_lsp.analysis.frontend.constants.values import UNKNOWN as UNKNOWN_VALUE
from pto_lsp.analysis.frontend.constants.values import DType as DTypeValue
from pto_lsp.analysis.frontend.constants.values import PlAttribute, PlSubscript, Value
from pto_lsp.analysis.frontend.context import Context
from pto_lsp.analysis.frontend.decorators import dotted
from pto_lsp.analysis.frontend.operators import DTYPES
from pto_lsp.analysis.frontend.values import evaluate_in, expression_of
from pto_lsp.analysis.ir.expressions import Expr, Unknown
from pto_lsp.analysis.ir.program import Direction
from pto_lsp.analysis.ir.types import TASK_ID, TILE, UNKNOWN, ArrayType, ScalarType, TensorType, TupleType, Type
from pto_lsp.analysis.source import syntax
from pto_lsp.analysis.source.units import parse_expression

_WRAPPERS = {"Out": Direction.OUT, "InOut": Direction.INOUT}


def annotation(ctx: Context, expr: syntax.Expr | None) -> tuple[Type, Direction]:
    """Type and direction of a parameter annotation; unknown forms give UNKNOWN, never an error."""
    if isinstance(expr, syntax.Literal) and isinstance(expr.value, str):
        expr = parse_expression(expr.value)
    if expr is None:
        return UNKNOWN, Direction.IN
    if isinstance(expr, syntax.Subscript):
        head = _head(expr.base)
        if head in _WRAPPERS and len(expr.items) == 1:
            inner = expr.items[0]
            if isinstance(inner, syntax.Slice):
                return UNKNOWN, _WRAPPERS[head]
            return annotation(ctx, inner)[0], _WRAPPERS[head]
    value = evaluate_in(ctx, expr) if isinstance(expr, (syntax.Name, syntax.Attribute)) else UNKNOWN_VALUE
    if isinstance(value, PlSubscript):
        head = value.dotted.rpartition(".")[2]
        if head in _WRAPPERS and value.items:
            return _alias(value.items[0]), _WRAPPERS[head]
    return _type(ctx, expr), Direction.IN


def return_types(ctx: Context, expr: syntax.Expr | None) -> tuple[Type, ...] | None:
    """Declared result types, one per result; None when nothing is declared."""
    if isinstance(expr, syntax.Literal) and isinstance(expr.value, str):
        expr = parse_expression(expr.value)
    if expr is None:
        return None
    if isinstance(expr, syntax.Literal) and expr.value is None:
        return ()
    if isinstance(expr, syntax.TupleDisplay):
        return tuple(_type(ctx, item) for item in expr.items)
    if isinstance(expr, syntax.Subscript) and _head(expr.base) in ("tuple", "Tuple"):
        if _head(expr.base) == "Tuple":
            return (_type(ctx, expr),)
        return tuple(UNKNOWN if isinstance(i, syntax.Slice) else _type(ctx, i) for i in expr.indices)
    return (_type(ctx, expr),)


def dtype_of(ctx: Context, expr: syntax.Expr) -> str:
    """PyPTO's name of the data type that ``expr`` denotes, "" when unknown."""
    path = dotted(expr)
    if path and path[-1] in DTYPES and len(path) > 1:
        return path[-1]
    value = evaluate_in(ctx, expr)
    return value.name if isinstance(value, DTypeValue) else ""


def _type(ctx: Context, expr: syntax.Expr) -> Type:
    if isinstance(expr, syntax.Subscript):
        head = _head(expr.base)
        items = expr.indices
        if head in ("Tensor", "DistributedTensor"):
            return _tensor(ctx, items, head == "DistributedTensor")
        if head == "Scalar" and items and not isinstance(items[0], syntax.Slice):
            return ScalarType(dtype_of(ctx, items[0]))
        if head == "Array" and len(items) == 2:
            return _array(ctx, items)
        if head in ("tuple", "Tuple"):
            return TupleType(tuple(UNKNOWN if isinstance(i, syntax.Slice) else _type(ctx, i) for i in items))
        if head == "Tile":
            return TILE
        if head in _WRAPPERS and len(items) == 1 and not isinstance(items[0], syntax.Slice):
            return _type(ctx, items[0])
        return UNKNOWN
    head = _head(expr)
    if head in ("Tensor", "DistributedTensor"):
        return TensorType(None, "", head == "DistributedTensor")
    if head == "TaskId":
        return TASK_ID
    if head == "Tile":
        return TILE
    if head == "Scalar":
        return ScalarType("")
    if head in DTYPES:
        return ScalarType(head)
    return _alias(evaluate_in(ctx, expr))


def _alias(value: Value) -> Type:
    """Type of a name bound to a type: ``KV = pl.Tensor[[M, N], pl.FP32]``."""
    if isinstance(value, DTypeValue):
        return ScalarType(value.name)
    if isinstance(value, PlAttribute):
        head = value.dotted.rpartition(".")[2]
        if head in ("Tensor", "DistributedTensor"):
            return TensorType(None, "", head == "DistributedTensor")
        return TASK_ID if head == "TaskId" else UNKNOWN
    if not isinstance(value, PlSubscript) or not value.items:
        return UNKNOWN
    head, items = value.dotted.rpartition(".")[2], value.items
    dtype = next((i.name for i in items if isinstance(i, DTypeValue)), "")
    if head in ("Tensor", "DistributedTensor"):
        shape = items[0]
        extents = tuple(_dimension_of(v) for v in shape) if isinstance(shape, (list, tuple)) else None
        return TensorType(extents, dtype, head == "DistributedTensor")
    if head == "Scalar":
        return ScalarType(dtype)
    if head == "Array":
        return ArrayType(items[0] if isinstance(items[0], int) else None, dtype)
    return TILE if head == "Tile" else UNKNOWN


def _tensor(ctx: Context, items: tuple[syntax.Expr | syntax.Slice, ...], distributed: bool) -> TensorType:
    shape, dtype = items[0], ""
    if len(items) > 1 and not isinstance(items[1], syntax.Slice):
        dtype = dtype_of(ctx, items[1])
    if isinstance(shape, (syntax.ListDisplay, syntax.TupleDisplay)):
        return TensorType(tuple(dimension(ctx, d) for d in shape.items), dtype, distributed)
    if isinstance(shape, syntax.Slice):
        return TensorType(None, dtype, distributed)
    value = evaluate_in(ctx, shape)
    if isinstance(value, (list, tuple)):
        return TensorType(tuple(_dimension_of(v) for v in value), dtype, distributed)
    return TensorType(None, dtype, distributed)


def dimension(ctx: Context, expr: syntax.Expr) -> Expr:
    """An extent in an annotation: a constant, a dynamic symbol, or unknown."""
    return _dimension_of(evaluate_in(ctx, expr))


def _dimension_of(value: Value) -> Expr:
    found = expression_of(value) if value is not UNKNOWN_VALUE else None
    return found if found is not None else Unknown("extent")


def _array(ctx: Context, items: tuple[syntax.Expr | syntax.Slice, ...]) -> Type:
    extent, dtype = items
    if isinstance(extent, syntax.Slice) or isinstance(dtype, syntax.Slice):
        return UNKNOWN
    value = evaluate_in(ctx, extent)
    return ArrayType(value if isinstance(value, int) else None, dtype_of(ctx, dtype))


def _head(expr: syntax.Expr | syntax.Slice) -> str:
    if isinstance(expr, syntax.Slice):
        return ""
    path = dotted(expr)
    return path[-1] if path else ""
