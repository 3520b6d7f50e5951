"""Subscripts: element reads, slices, tuple items, array slots, and their assignment forms (surface.md §5)."""

from __future__ import annotations

from pto_lsp.analysis.frontend.context import Context
from pto_lsp.analysis.frontend.result_types import operator_type, type_of
from pto_lsp.analysis.ir import expressions as ir
from pto_lsp.analysis.ir.affine import difference
from pto_lsp.analysis.ir.statements import Assign
from pto_lsp.analysis.ir.types import UNKNOWN, ArrayType, ScalarType, TensorType, TupleType
from pto_lsp.analysis.ir.visitor import variables
from pto_lsp.analysis.source import syntax
from pto_lsp.diagnostics import Span

ZERO = ir.Const(0)
ONE = ir.Const(1)


def subscript(ctx: Context, expr: syntax.Subscript) -> ir.Expr:
    """A subscript that is read."""
    base = ctx.expr(expr.base)
    items = expr.indices
    type_ = type_of(base)
    if isinstance(base, ir.TupleExpr) or isinstance(type_, TupleType):
        return _tuple_item(ctx, base, items, expr)
    if isinstance(type_, ArrayType):
        if len(items) == 1 and not isinstance(items[0], syntax.Slice):
            args = (base, ctx.expr(items[0]))
            return ir.Op("array.get_element", args, (), operator_type("array.get_element", args, ()), expr.span, True)
        return ir.Unknown("array subscript", tuple(variables(base)), expr.span)
    if isinstance(type_, ScalarType) or isinstance(base, (ir.Unknown, ir.Const, ir.Enumerator, ir.DType)):
        lowered = [ctx.expr(i) for i in items if not isinstance(i, syntax.Slice)]
        return ir.Unknown("subscript", (*variables(base), *(v for e in lowered for v in variables(e))), expr.span)
    if isinstance(base, ir.Op) and base.name == "tensor.shape":
        return ir.Unknown("shape", tuple(variables(base)), expr.span)
    rank = len(type_.shape) if isinstance(type_, TensorType) and type_.shape is not None else None
    scalar = not any(isinstance(i, syntax.Slice) for i in items)
    if scalar and (rank is None or rank == len(items)):
        index = ir.ListExpr(tuple([ctx.expr(i) for i in items if not isinstance(i, syntax.Slice)]), expr.span)
        read_type = operator_type("tensor.read", (base, index), ()) if rank is not None else UNKNOWN
        return ir.Op("tensor.read", (base, index), (), read_type, expr.span, True)
    if rank is not None and len(items) > rank:
        ctx.unsupported(_label(base), expr.span, f"too many indices: '{_label(base)}' has {rank} dimensions")
        return ir.Unknown("subscript", tuple(variables(base)), expr.span)
    size, offset, drop = _window(ctx, base, items, rank, expr.span)
    keywords = (ir.Keyword("drop", drop),) if drop.items else ()
    operands: tuple[ir.Expr, ...] = (base, size, offset)
    type_ = operator_type("tensor.slice", operands, keywords)
    return ir.Op("tensor.slice", operands, keywords, type_, expr.span, True)


def assignment(ctx: Context, target: syntax.Subscript, value: ir.Expr, span: Span) -> Assign | None:
    """``t[a:b, :] = v`` or ``ids[i] = tid``; None, with a finding, for what the DSL refuses."""
    if not isinstance(target.base, syntax.Name):
        ctx.unsupported(
            "assignment",
            target.span,
            "this 'assignment' is not part of the DSL: only a variable can be assigned through a subscript",
        )
        return None
    name = target.base.id
    type_ = ctx.scope.get(name)
    if type_ is None:
        ctx.expr(target.base)
        return None
    var = ir.Var(name, name, type_, target.base.span)
    items = target.indices
    if isinstance(type_, ArrayType):
        if len(items) != 1 or isinstance(items[0], syntax.Slice):
            ctx.unsupported(name, target.span, f"'{name}' is an array: assign one slot at a time")
            return None
        args = (var, ctx.expr(items[0]), value)
        return Assign(var, ir.Op("array.update_element", args, (), type_, span, True), ctx.anchor, span)
    scalar = not any(isinstance(i, syntax.Slice) for i in items)
    rank = len(type_.shape) if isinstance(type_, TensorType) and type_.shape is not None else None
    if scalar and rank == len(items):
        ctx.unsupported(name, target.span, f"a single element of '{name}' cannot be assigned: use pl.write")
        return None
    for item in items:
        if isinstance(item, syntax.Slice) and item.step is not None:
            ctx.unsupported(name, item.span, f"the DSL has no step in a subscript of '{name}'")
            return None
    size, offset, drop = _window(ctx, var, items, rank, target.span)
    keywords = [ir.Keyword("size", size)]
    if drop.items:
        keywords.append(ir.Keyword("drop", drop))
    op = ir.Op("tensor.assemble", (var, value, offset), tuple(keywords), type_, span, True)
    return Assign(var, op, ctx.anchor, span)


def shape_item(ctx: Context, var: ir.Var, axis: int, span: Span) -> ir.Expr:
    """``x.shape[axis]``: the declared extent where it is a constant or a symbol, a ``tensor.dim`` otherwise."""
    if (
        isinstance(var.type, TensorType)
        and var.type.shape is not None
        and -len(var.type.shape) <= axis < len(var.type.shape)
    ):
        extent = var.type.shape[axis]
        if isinstance(extent, ir.Const):
            return ir.Const(extent.value, span, f"{var.label}.shape[{axis}]")
        if isinstance(extent, ir.Symbol):
            return ir.Symbol(extent.name, span)
    args = (var, ir.Const(axis, span))
    return ir.Op("tensor.dim", args, (), operator_type("tensor.dim", args, ()), span, True)


def _tuple_item(
    ctx: Context, base: ir.Expr, items: tuple[syntax.Expr | syntax.Slice, ...], expr: syntax.Subscript
) -> ir.Expr:
    index = ctx.expr(items[0]) if len(items) == 1 and not isinstance(items[0], syntax.Slice) else None
    if not isinstance(index, ir.Const) or not isinstance(index.value, int):
        return ir.Unknown("tuple item", tuple(variables(base)), expr.span)
    if isinstance(base, ir.TupleExpr):
        if -len(base.items) <= index.value < len(base.items):
            return base.items[index.value]
        return ir.Unknown("tuple item", tuple(variables(base)), expr.span)
    return ir.Item(base, index.value, expr.span)


def _window(
    ctx: Context, base: ir.Expr, items: tuple[syntax.Expr | syntax.Slice, ...], rank: int | None, span: Span
) -> tuple[ir.ListExpr, ir.ListExpr, ir.ListExpr]:
    """Sizes, offsets and dropped axes; missing trailing dimensions are taken whole."""
    sizes: list[ir.Expr] = []
    offsets: list[ir.Expr] = []
    dropped: list[ir.Expr] = []
    for axis, item in enumerate(items):
        if not isinstance(item, syntax.Slice):
            sizes.append(ONE)
            offsets.append(ctx.expr(item))
            dropped.append(ir.Const(axis))
            continue
        if item.step is not None:
            ctx.unsupported(_label(base), item.span, f"the DSL has no step in a subscript of '{_label(base)}'")
        lower = ctx.expr(item.lower) if item.lower is not None else ZERO
        upper = ctx.expr(item.upper) if item.upper is not None else _extent(base, axis, item.span)
        offsets.append(lower)
        sizes.append(difference(upper, lower, item.span))
    for axis in range(len(items), rank or len(items)):
        sizes.append(_extent(base, axis, span))
        offsets.append(ZERO)
    return ir.ListExpr(tuple(sizes), span), ir.ListExpr(tuple(offsets), span), ir.ListExpr(tuple(dropped), span)


def _extent(base: ir.Expr, axis: int, span: Span) -> ir.Expr:
    type_ = type_of(base)
    if isinstance(type_, TensorType) and type_.shape is not None and axis < len(type_.shape):
        extent = type_.shape[axis]
        if isinstance(extent, (ir.Const, ir.Symbol)):
            return extent
    args = (base, ir.Const(axis))
    return ir.Op("tensor.dim", args, (), operator_type("tensor.dim", args, ()), span, True)


def _label(base: ir.Expr) -> str:
    return base.label if isinstance(base, ir.Var) else "this value"
