"""Types of IR expressions, as far as the front end needs them: shapes of views, scalars versus tensors."""

from __future__ import annotations

from pto_lsp.analysis.frontend.operators import ELEMENTWISE, SCALAR_QUERIES
from pto_lsp.analysis.ir import expressions as ir
from pto_lsp.analysis.ir.types import (
    BOOL,
    INDEX,
    TASK_ID,
    TILE,
    UNKNOWN,
    ArrayType,
    ScalarType,
    TensorType,
    TileType,
    TupleType,
    Type,
)

_BOOLEAN = frozenset(["==", "!=", "<", "<=", ">", ">=", "and", "or"])


def type_of(expr: ir.Expr) -> Type:
    """Type of an expression; UNKNOWN where it is not evident."""
    if isinstance(expr, (ir.Var, ir.Op, ir.Call, ir.Submit)):
        return expr.type
    if isinstance(expr, ir.Const):
        return _constant(expr.value)
    if isinstance(expr, ir.Symbol):
        return INDEX
    if isinstance(expr, ir.Cast):
        return ScalarType(expr.dtype)
    if isinstance(expr, ir.Binary):
        return BOOL if expr.op in _BOOLEAN else _join(type_of(expr.left), type_of(expr.right))
    if isinstance(expr, ir.Unary):
        return BOOL if expr.op == "not" else type_of(expr.operand)
    if isinstance(expr, ir.Item):
        base = type_of(expr.base)
        if isinstance(base, TupleType) and 0 <= expr.index < len(base.items):
            return base.items[expr.index]
        return UNKNOWN
    if isinstance(expr, ir.TupleExpr):
        return TupleType(tuple(type_of(i) for i in expr.items))
    return UNKNOWN


def _constant(value: object) -> Type:
    if value is None:
        return TASK_ID
    if isinstance(value, bool):
        return BOOL
    if isinstance(value, int):
        return INDEX
    return ScalarType("FP32") if isinstance(value, float) else UNKNOWN


def _join(left: Type, right: Type) -> Type:
    """Scalar arithmetic keeps the operand that is not a bare constant's default; anything else is unknown."""
    if isinstance(left, ScalarType) and isinstance(right, ScalarType):
        if left.dtype == "INDEX" and right.dtype:
            return right
        return left
    if isinstance(left, TileType) or isinstance(right, TileType):
        return TILE
    if isinstance(left, TensorType):
        return left
    if isinstance(right, TensorType):
        return right
    return UNKNOWN


def operator_type(name: str, args: tuple[ir.Expr, ...], keywords: tuple[ir.Keyword, ...]) -> Type:
    """Result type of an operator in canonical form."""
    if name in ("tensor.create", "tensor.full"):
        return TensorType(_shape(args[0]) if args else None, _dtype(args[1:], keywords))
    if name in SCALAR_QUERIES:
        return INDEX
    if name.startswith("system.task_"):
        return BOOL if name == "system.task_is_valid" else TASK_ID
    if name == "array.create":
        extent = args[0].value if args and isinstance(args[0], ir.Const) else None
        return ArrayType(extent if isinstance(extent, int) else None, _dtype(args[1:], keywords))
    if not args:
        return UNKNOWN
    first = type_of(args[0])
    if name == "array.get_element":
        return ScalarType(first.dtype) if isinstance(first, ArrayType) else UNKNOWN
    if name == "array.update_element":
        return first
    if name == "tensor.read":
        return ScalarType(first.dtype) if isinstance(first, TensorType) else UNKNOWN
    if name in ("load", "tile.load"):
        return TILE
    if name in ("store", "tile.store"):
        return type_of(args[2]) if len(args) > 2 else UNKNOWN
    if isinstance(first, TileType):
        return TILE
    if not isinstance(first, TensorType):
        return UNKNOWN
    if name in ("tensor.slice", "tensor.view", "tensor.reshape"):
        return TensorType(_view_shape(args, keywords), first.dtype, first.distributed)
    if name == "tensor.transpose":
        return TensorType(_transposed(first.shape, args[1:]), first.dtype)
    if name == "tensor.assemble":
        return first
    if name == "cast":
        return TensorType(first.shape, _dtype(args[1:], keywords))
    if name in ELEMENTWISE:
        return TensorType(first.shape, first.dtype)
    return TensorType(None, "") if name in ("matmul", "row_sum", "row_max", "col_sum", "col_max") else UNKNOWN


def _shape(expr: ir.Expr) -> tuple[ir.Expr, ...] | None:
    return expr.items if isinstance(expr, (ir.ListExpr, ir.TupleExpr)) else None


def _view_shape(args: tuple[ir.Expr, ...], keywords: tuple[ir.Keyword, ...]) -> tuple[ir.Expr, ...] | None:
    shape = _shape(args[1]) if len(args) > 1 else None
    if shape is None:
        return None
    dropped = next((k.value for k in keywords if k.name == "drop"), None)
    if not isinstance(dropped, ir.ListExpr):
        return shape
    gone = {i.value for i in dropped.items if isinstance(i, ir.Const)}
    return tuple(extent for axis, extent in enumerate(shape) if axis not in gone)


def _transposed(shape: tuple[ir.Expr, ...] | None, axes: tuple[ir.Expr, ...]) -> tuple[ir.Expr, ...] | None:
    if shape is None or len(axes) != 2:
        return None
    first, second = (a.value if isinstance(a, ir.Const) else None for a in axes)
    if not isinstance(first, int) or not isinstance(second, int):
        return None
    rank = len(shape)
    if not (-rank <= first < rank and -rank <= second < rank):
        return None
    swapped = list(shape)
    swapped[first], swapped[second] = swapped[second], swapped[first]
    return tuple(swapped)


def _dtype(args: tuple[ir.Expr, ...], keywords: tuple[ir.Keyword, ...]) -> str:
    for keyword in keywords:
        if keyword.name in ("dtype", "target_type") and isinstance(keyword.value, ir.DType):
            return keyword.value.name
    return next((a.name for a in args if isinstance(a, ir.DType)), "")
