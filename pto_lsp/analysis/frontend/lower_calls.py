"""Calls: operators of the DSL, launches of kernels, Graphs and helpers (surface.md §8, §9)."""

from __future__ import annotations

from pto_lsp.analysis.frontend.call_arguments import positional_arguments
from pto_lsp.analysis.frontend.constants.values import MISSING, ClassRef, FunctionRef, ModuleRef
from pto_lsp.analysis.frontend.constants.values import UNKNOWN as UNKNOWN_VALUE
from pto_lsp.analysis.frontend.context import Context
from pto_lsp.analysis.frontend.decorators import dotted
from pto_lsp.analysis.frontend.launch_options import launch_options, task_entries
from pto_lsp.analysis.frontend.operators import PYTHON_BUILTINS, canonical
from pto_lsp.analysis.frontend.result_types import operator_type, type_of
from pto_lsp.analysis.frontend.signatures import Signature
from pto_lsp.analysis.frontend.values import evaluate_in, expression_of
from pto_lsp.analysis.ir import expressions as ir
from pto_lsp.analysis.ir.types import TASK_ID, UNKNOWN, ScalarType, TensorType, TupleType
from pto_lsp.analysis.ir.visitor import variables
from pto_lsp.analysis.source import syntax
from pto_lsp.diagnostics import Span

_SUBMITS = ("submit", "spmd_submit")


def call(ctx: Context, expr: syntax.Call) -> ir.Expr:
    """Any call expression."""
    path = dotted(expr.func)
    if path is None:
        return _opaque(ctx, expr, "call")
    if path[0] in ("pl", "pld") and path[0] not in ctx.scope:
        name = ".".join(path[1:])
        if path[0] == "pl" and name in _SUBMITS:
            return _submit(ctx, expr, name)
        return _operator(ctx, expr, name if path[0] == "pl" else f"pld.{name}")
    if path[0] == "self" and "self" not in ctx.scope:
        return _method(ctx, expr, path)
    if len(path) == 1:
        return _by_name(ctx, expr, path[0])
    return _by_attribute(ctx, expr, path)


def _method_signature(ctx: Context, path: tuple[str, ...]) -> Signature | None:
    """What ``self.k`` means: a method, or in a ``@pl.jit`` function the kernel that becomes one (surface.md, intro)."""
    if len(path) != 2:
        return None
    found = ctx.names.method(path[1])
    if found is None and ctx.jit:
        value = ctx.value(path[1])
        found = ctx.names.function(value) if isinstance(value, FunctionRef) else None
    return found


def _method(ctx: Context, expr: syntax.Call, path: tuple[str, ...]) -> ir.Expr:
    signature = _method_signature(ctx, path)
    if signature is None:
        ctx.report("PTO004", path[-1], expr.func.span, f"'{path[-1]}' is not a DSL function of this program")
        return _opaque(ctx, expr, "call of an unknown method")
    return _launch(ctx, expr, signature, expr.func.span)


def _by_name(ctx: Context, expr: syntax.Call, name: str) -> ir.Expr:
    if name in ctx.scope:
        return _opaque(ctx, expr, "call of a DSL value")
    value = ctx.value(name)
    if isinstance(value, FunctionRef):
        signature = ctx.names.function(value)
        if signature is not None:
            return _launch(ctx, expr, signature, expr.func.span)
        ctx.report(
            "PTO004",
            name,
            expr.func.span,
            f"'{name}' is a plain Python function: the DSL only calls functions it decorates",
        )
        return _opaque(ctx, expr, "call of a Python function")
    if value is MISSING:
        if name in PYTHON_BUILTINS:
            ctx.unsupported(name, expr.func.span, _builtin_message(name))
        elif name not in ctx.assigned:
            ctx.report(
                "PTO004",
                name,
                expr.func.span,
                f"'{name}' resolves to nothing: no kernel or helper of this name is in scope",
            )
    return _opaque(ctx, expr, "call")


def _by_attribute(ctx: Context, expr: syntax.Call, path: tuple[str, ...]) -> ir.Expr:
    if path[0] in ctx.scope:
        return _opaque(ctx, expr, "method call")
    value = ctx.value(path[0])
    if isinstance(value, ModuleRef):
        target = evaluate_in(ctx, expr.func)
        if isinstance(target, FunctionRef) and ctx.names.function(target) is not None:
            written = ".".join(path)
            ctx.report(
                "PTO004",
                path[-1],
                expr.func.span,
                f"'{written}' is not discovered: the DSL finds kernels by their bare name, import '{path[-1]}' itself",
            )
    elif isinstance(value, ClassRef):
        written = ".".join(path)
        ctx.unsupported(written, expr.func.span, f"'{written}' cannot be called inside a DSL function")
    return _opaque(ctx, expr, "call")


def _builtin_message(name: str) -> str:
    if name in ("min", "max"):
        return f"Python's '{name}' cannot be called inside a DSL function: use pl.{name}"
    if name in ("int", "float"):
        return f"Python's '{name}' cannot be called inside a DSL function: use pl.cast"
    return f"Python's '{name}' cannot be called inside a DSL function"


def _launch(ctx: Context, expr: syntax.Call, signature: Signature, name_span: Span) -> ir.Expr:
    args, no_dep = positional_arguments(ctx, expr.args, signature, expr.span)
    options = launch_options(ctx, expr.args, plain=True)
    key = ctx.callee_key(signature)
    return ir.Call(key, args, signature.result, options, no_dep, name_span, expr.span)


def _submit(ctx: Context, expr: syntax.Call, form: str) -> ir.Expr:
    callee = expr.args[0].value if expr.args and expr.args[0].keyword is None and not expr.args[0].star else None
    path = dotted(callee) if callee is not None else None
    signature: Signature | None = None
    if path is not None and len(path) == 2 and path[0] == "self":
        signature = _method_signature(ctx, path)
        if signature is None:
            ctx.report("PTO004", path[1], expr.args[0].span, f"'{path[1]}' is not a DSL function of this program")
    if signature is None or callee is None:
        return _opaque(ctx, expr, f"pl.{form}")
    args, no_dep = positional_arguments(ctx, expr.args[1:], signature, expr.span, submit=True)
    options = launch_options(ctx, expr.args)
    returns = signature.returns
    type_ = TupleType((*returns, TASK_ID)) if returns is not None else UNKNOWN
    return ir.Submit(ctx.callee_key(signature), args, type_, options, no_dep, callee.span, expr.span)


def _operator(ctx: Context, expr: syntax.Call, surface: str) -> ir.Expr:
    name = canonical(surface)
    if name in ("system.task_dummy",):
        return _task_dummy(ctx, expr, name)
    if name == "dynamic":
        value = evaluate_in(ctx, expr)
        found = expression_of(value, expr.span)
        return found if found is not None else ir.Unknown("dynamic symbol", (), expr.span)
    args = tuple([operand(ctx, a.value) for a in expr.args if a.keyword is None and not a.star])
    keywords = tuple(
        [ir.Keyword(a.keyword, _keyword(ctx, a), a.span) for a in expr.args if a.keyword is not None and not a.star]
    )
    if any(a.star for a in expr.args):
        return ir.Unknown(f"pl.{surface}", tuple(v for e in args for v in variables(e)), expr.span)
    special = _scalar_form(ctx, name, args, keywords, expr)
    if special is not None:
        return special
    args, keywords = _positional_form(name, args, keywords)
    if len(args) < _FEWEST.get(name, 0):
        # Half typed, or a form that this table does not know: whatever comes of it, it is not known here.
        used = (*args, *(keyword.value for keyword in keywords))
        return ir.Unknown(f"pl.{surface}", tuple([var for each in used for var in variables(each)]), expr.span)
    if name == "tensor.dim":
        folded = _dimension(ctx, args, expr)
        if folded is not None:
            return folded
    return ir.Op(name, args, keywords, operator_type(name, args, keywords), expr.span)


def _keyword(ctx: Context, argument: syntax.Argument) -> ir.Expr:
    if isinstance(argument.value, syntax.Other):
        # Python evaluates what is a constant (``attrs={"split": …}``); nothing else of this kind can be meant.
        return ir.Unknown(argument.value.what, (), argument.value.span)
    return operand(ctx, argument.value)


def operand(ctx: Context, expr: syntax.Expr) -> ir.Expr:
    """An operator's argument: a Python attribute or subscript is evaluated here, unlike elsewhere (surface.md §4)."""
    if isinstance(expr, (syntax.Attribute, syntax.Subscript)):
        path = dotted(expr if isinstance(expr, syntax.Attribute) else expr.base)
        if path is not None and path[0] not in ctx.scope and path[0] not in ("pl", "pld", "self"):
            value = evaluate_in(ctx, expr)
            found = expression_of(value, expr.span, ".".join(path)) if value is not UNKNOWN_VALUE else None
            if found is not None:
                return found
            if ctx.value(path[0]) is not MISSING:
                return ir.Unknown("python value", (), expr.span)
    return ctx.expr(expr)


def _scalar_form(
    ctx: Context, name: str, args: tuple[ir.Expr, ...], keywords: tuple[ir.Keyword, ...], expr: syntax.Call
) -> ir.Expr | None:
    """Operators that have a scalar meaning: min, max, cast, const, abs."""
    if not args:
        return None
    scalar = isinstance(type_of(args[0]), ScalarType)
    if name in ("min", "max") and len(args) == 2:
        return ir.Binary(name, args[0], args[1], expr.span)
    if name == "const" and isinstance(args[0], ir.Const):
        return ir.Const(args[0].value, expr.span)
    if name == "cast" and scalar:
        target = next(
            (k.value for k in keywords if k.name in ("target_type", "dtype")), args[1] if len(args) > 1 else None
        )
        if isinstance(target, ir.DType):
            return ir.Cast(args[0], target.name, expr.span)
    if name == "abs" and scalar:
        return ir.Unary("abs", args[0], expr.span)
    return None


_KEYWORD_POSITIONS = {
    "tensor.slice": ("tensor", "shape", "offset", "valid_shape"),
    "tensor.create": ("shape",),
    "tensor.full": ("shape",),
    "tensor.reshape": ("tensor", "shape"),
    "tensor.read": ("tensor", "indices"),
    "tensor.write": ("tensor", "indices", "value"),
    "tensor.dim": ("tensor", "axis"),
    "array.create": ("extent",),
    "load": ("tensor", "offset", "shape"),
    "tile.load": ("tensor", "offset", "shape"),
    "store": ("tile", "offset", "output_tensor"),
    "tile.store": ("tile", "offset", "output_tensor"),
    "tensor.assemble": ("target", "source", "offset"),
}
_FEWEST = {
    "tensor.slice": 3,
    "tensor.dim": 2,
    "tensor.read": 2,
    "tensor.write": 3,
    "tensor.assemble": 3,
    "array.get_element": 2,
    "array.update_element": 3,
    "store": 3,
    "tile.store": 3,
    "tensor.store": 3,
}
"""How many operands the rest of the analysis relies on."""
_SYNONYMS = {
    "offsets": "offset",
    "size": "shape",
    "sizes": "shape",
    "shapes": "shape",
    "input": "tensor",
    "index": "indices",
}


def _positional_form(
    name: str, args: tuple[ir.Expr, ...], keywords: tuple[ir.Keyword, ...]
) -> tuple[tuple[ir.Expr, ...], tuple[ir.Keyword, ...]]:
    """Operands given by keyword moved to their canonical position (``Op`` documents them)."""
    order = _KEYWORD_POSITIONS.get(name)
    if order is None or not keywords:
        return args, keywords
    rest = list(keywords)
    found = list(args)
    while len(found) < len(order):
        wanted = order[len(found)]
        match = next((k for k in rest if _SYNONYMS.get(k.name, k.name) == wanted), None)
        if match is None:
            break
        found.append(match.value)
        rest.remove(match)
    return tuple(found), tuple(rest)


def _dimension(ctx: Context, args: tuple[ir.Expr, ...], expr: syntax.Call) -> ir.Expr | None:
    """``pl.tensor.dim`` of an extent that is a dynamic symbol is that symbol (rules.md S6)."""
    if len(args) != 2 or not isinstance(args[1], ir.Const) or not isinstance(args[1].value, int):
        return None
    type_ = type_of(args[0])
    if not isinstance(type_, TensorType) or type_.shape is None:
        return None
    axis = args[1].value + (len(type_.shape) if args[1].value < 0 else 0)
    if not 0 <= axis < len(type_.shape):
        return None
    extent = type_.shape[axis]
    if isinstance(extent, ir.Symbol) and isinstance(args[0], ir.Var):
        return ir.Symbol(extent.name, expr.span)
    if axis == args[1].value:
        return None
    normal = (args[0], ir.Const(axis, args[1].span))
    return ir.Op("tensor.dim", normal, (), operator_type("tensor.dim", normal, ()), expr.span)


def _task_dummy(ctx: Context, expr: syntax.Call, name: str) -> ir.Expr:
    keywords: list[ir.Keyword] = []
    for argument in expr.args:
        if argument.keyword == "deps":
            entries = task_entries(ctx, argument.value)
            value: ir.Expr = (
                ir.ListExpr(entries, argument.value.span)
                if entries is not None
                else ir.Unknown("deps", (), argument.value.span)
            )
            keywords.append(ir.Keyword("deps", value, argument.span))
        elif argument.keyword is not None:
            keywords.append(ir.Keyword(argument.keyword, ctx.expr(argument.value), argument.span))
    args = tuple([ctx.expr(a.value) for a in expr.args if a.keyword is None and not a.star])
    return ir.Op(name, args, tuple(keywords), TASK_ID, expr.span)


def _opaque(ctx: Context, expr: syntax.Call, what: str) -> ir.Expr:
    used: list[ir.Var] = []
    for argument in expr.args:
        used.extend(variables(ctx.expr(argument.value)))
    return ir.Unknown(what, tuple(used), expr.span)
