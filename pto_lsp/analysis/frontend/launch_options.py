"""Scheduling keywords of launches: ``deps=``, ``predicate=``, ``core_num=``, opt-outs, hints (surface.md §7, §8)."""

from __future__ import annotations

from pto_lsp.analysis.frontend.constants.values import MISSING
from pto_lsp.analysis.frontend.constants.values import UNKNOWN as UNKNOWN_VALUE
from pto_lsp.analysis.frontend.context import Context
from pto_lsp.analysis.frontend.decorators import dotted
from pto_lsp.analysis.frontend.values import evaluate_in
from pto_lsp.analysis.ir import expressions as ir
from pto_lsp.analysis.source import syntax

OPTION_KEYWORDS = frozenset(
    {
        "deps",
        "core_num",
        "predicate",
        "no_dep_args",
        "allow_early_resolve",
        "sync_start",
        "name_hint",
        "dumps",
        "attrs",
        "device",
        "optimizations",
        "windowize",
        "level",
        "role",
    }
)


def launch_options(
    ctx: Context, args: tuple[syntax.Argument, ...], core_num: syntax.Expr | None = None, plain: bool = False
) -> ir.LaunchOptions:
    """Options of one launch. ``core_num`` is a positional block count; ``plain`` a kernel call, which has no options
    but keeps what was written, so that rules can speak about it.
    """
    values: dict[str, syntax.Argument] = {}
    for argument in args:
        if argument.keyword is not None and argument.keyword in OPTION_KEYWORDS:
            values[argument.keyword] = argument
    if not values and core_num is None:
        return ir.PLAIN
    keywords: list[ir.Keyword] = []
    deps: tuple[ir.Expr, ...] | None = None
    deps_known = True
    for name, argument in values.items():
        if name == "deps":
            deps = task_entries(ctx, argument.value)
            deps_known = deps is not None
            value: ir.Expr = (
                ir.ListExpr(deps or (), argument.value.span) if deps_known else _no_list(ctx, argument.value)
            )
        elif name in ("no_dep_args", "predicate", "core_num"):
            value = ctx.expr(argument.value)
        else:
            value = _loose(ctx, argument.value)
        keywords.append(ir.Keyword(name, value, argument.span))
    by_name = {k.name: k.value for k in keywords}
    opted_out = by_name.get("no_dep_args")
    return ir.LaunchOptions(
        deps=deps,
        deps_known=deps_known,
        core_num=ctx.expr(core_num) if core_num is not None else by_name.get("core_num"),
        predicate=by_name.get("predicate"),
        no_dep_args=opted_out.items if isinstance(opted_out, (ir.ListExpr, ir.TupleExpr)) else (),
        allow_early_resolve=_boolean(by_name.get("allow_early_resolve")),
        sync_start=_boolean(by_name.get("sync_start")),
        name_hint=_string(by_name.get("name_hint")),
        keywords=tuple(keywords),
    )


def task_entries(ctx: Context, expr: syntax.Expr) -> tuple[ir.Expr, ...] | None:
    """The entries of a ``deps=`` list, comprehensions over constants unrolled; None when they cannot be known."""
    if isinstance(expr, (syntax.ListDisplay, syntax.TupleDisplay)):
        found: list[ir.Expr] = []
        for item in expr.items:
            if isinstance(item, syntax.Comprehension):
                inner = _unrolled(ctx, item)
                if inner is None:
                    return None
                found.extend(inner)
            else:
                found.append(ctx.expr(item))
        return tuple(found)
    if isinstance(expr, syntax.Comprehension):
        unrolled = _unrolled(ctx, expr)
        return None if unrolled is None else tuple(unrolled)
    return None


def _unrolled(ctx: Context, expr: syntax.Comprehension) -> list[ir.Expr] | None:
    if not isinstance(expr.target, syntax.Name):
        return None
    iterable = evaluate_in(ctx, expr.iterable)
    if not isinstance(iterable, (list, tuple, range)):
        return None
    name = expr.target.id
    outer = ctx.symbols.get(name)
    shadowed = ctx.scope.pop(name, None)
    found: list[ir.Expr] | None = []
    for value in iterable:
        ctx.symbols[name] = value
        kept = [evaluate_in(ctx, c) for c in expr.conditions]
        if any(k is UNKNOWN_VALUE for k in kept):
            found = None
            break
        if all(kept) and found is not None:
            found.append(ctx.expr(expr.element))
    ctx.symbols.pop(name, None)
    if outer is not None:
        ctx.symbols[name] = outer
    if shadowed is not None:
        ctx.scope[name] = shadowed
    return found


def _no_list(ctx: Context, expr: syntax.Expr) -> ir.Expr:
    """A ``deps=`` whose entries are not known; ``Unknown`` says what it is where no constant could make it a list."""
    what = ""
    if isinstance(expr, syntax.Binary):
        what = "a sum"
    elif isinstance(expr, syntax.Other):
        what = expr.what
    elif isinstance(expr, syntax.Comprehension) and isinstance(expr.iterable, syntax.Call):
        path = dotted(expr.iterable.func)
        what = "a comprehension over a DSL loop" if path and path[0] == "pl" else ""
    return ir.Unknown(f"{ir.NO_LIST}{what}", (), expr.span) if what else _loose(ctx, expr)


def _loose(ctx: Context, expr: syntax.Expr) -> ir.Expr:
    """A keyword the analysis only keeps: lowered where that is possible without complaint, else unknown."""
    if isinstance(expr, (syntax.Literal, syntax.Attribute)):
        return ctx.expr(expr)
    if isinstance(expr, syntax.Name) and (expr.id in ctx.scope or ctx.value(expr.id) is not MISSING):
        return ctx.expr(expr)
    if isinstance(expr, (syntax.ListDisplay, syntax.TupleDisplay)):
        return ir.ListExpr(tuple([_loose(ctx, i) for i in expr.items]), expr.span)
    if isinstance(expr, syntax.Call):
        return ctx.expr(expr)
    return ir.Unknown("keyword", (), expr.span)


def _boolean(expr: ir.Expr | None) -> bool | None:
    return expr.value if isinstance(expr, ir.Const) and isinstance(expr.value, bool) else None


def _string(expr: ir.Expr | None) -> str:
    return expr.value if isinstance(expr, ir.Const) and isinstance(expr.value, str) else ""
