"""Loops: ``pl.range``, ``pl.parallel``, ``pl.unroll``, ``pl.pipeline``, ``pl.while_``, ``while`` (surface.md §6)."""

from __future__ import annotations

from collections.abc import Callable

from pto_lsp.analysis.frontend.conditions import check_condition
from pto_lsp.analysis.frontend.context import Context
from pto_lsp.analysis.frontend.decorators import dotted
from pto_lsp.analysis.frontend.lower_regions import spmd_loop
from pto_lsp.analysis.frontend.result_types import type_of
from pto_lsp.analysis.frontend.yields import split_yield
from pto_lsp.analysis.ir import expressions as ir
from pto_lsp.analysis.ir.statements import Block, Carry, Evaluate, For, LoopKind, Opaque, Stmt, While
from pto_lsp.analysis.ir.types import INDEX, UNKNOWN, Type
from pto_lsp.analysis.source import syntax

_KINDS = {kind.value: kind for kind in LoopKind}


def for_loop(ctx: Context, head: syntax.For, body: Callable[[], Block]) -> list[Stmt]:
    """A ``for`` header and its body."""
    path = dotted(head.iterable.func) if isinstance(head.iterable, syntax.Call) else None
    iterator = path[-1] if path is not None and len(path) > 1 else ""
    if not isinstance(head.iterable, syntax.Call) or (iterator not in _KINDS and iterator not in ("spmd", "while_")):
        return _refused(ctx, head, path, body)
    if iterator == "spmd":
        return spmd_loop(ctx, head, head.iterable, body)
    if iterator == "while_":
        return _while_call(ctx, head, head.iterable, body)
    return _counted(ctx, head, head.iterable, _KINDS[iterator], body)


def _refused(ctx: Context, head: syntax.For, path: tuple[str, ...] | None, body: Callable[[], Block]) -> list[Stmt]:
    if path == ("range",):
        message = "Python's 'range' cannot drive a loop inside a DSL function: use pl.range"
    else:
        message = "this 'for' must run over pl.range, pl.parallel, pl.unroll, pl.pipeline or pl.spmd"
    ctx.unsupported("range" if path == ("range",) else "for", head.iterable.span, message)
    ctx.complete = False
    binds = tuple(_bind(ctx, t) for t in _names(head.target))
    return [Opaque("loop", binds, ctx.anchor, head.span, body())]


def _bounds(ctx: Context, call: syntax.Call) -> tuple[ir.Expr, ir.Expr, ir.Expr]:
    """Start, stop and step; what is not given has the iterator's default."""
    given = [ctx.expr(a.value) for a in call.args if a.keyword is None and not a.star]
    by_name = {a.keyword: a.value for a in call.args if a.keyword in ("start", "stop", "step")}
    named = {name: ctx.expr(value) for name, value in by_name.items()}
    start: ir.Expr = ir.Const(0)
    stop: ir.Expr = ir.Unknown("loop bound", (), call.span)
    step: ir.Expr = ir.Const(1)
    if len(given) == 1:
        stop = given[0]
    elif len(given) >= 2:
        start, stop = given[0], given[1]
        if len(given) > 2:
            step = given[2]
    return named.get("start", start), named.get("stop", stop), named.get("step", step)


def _counted(
    ctx: Context, head: syntax.For, call: syntax.Call, kind: LoopKind, body: Callable[[], Block]
) -> list[Stmt]:
    anchor = ctx.anchor
    start, stop, step = _bounds(ctx, call)
    inits = _init_values(ctx, call)
    names = _names(head.target)
    index = names[0] if names else syntax.Name("_", head.target.span)
    var = _bind(ctx, index, INDEX)
    inner = [_bind(ctx, n, type_of(i)) for n, i in zip(names[1:], inits)]
    carries, statements = _carries(inner, inits, body())
    return [For(kind, var, start, stop, step, statements, anchor, head.span, carries)]


def _carries(inner: list[ir.Var], inits: tuple[ir.Expr, ...], statements: Block) -> tuple[tuple[Carry, ...], Block]:
    """The explicit carried form: the body ends in a yield of as many values as there are initial ones."""
    last, rest = split_yield(statements)
    if not inner or last is None or len(last.values) != len(inner):
        return (), statements
    results = last.targets if len(last.targets) == len(inner) else tuple(inner)
    carries = tuple(Carry(i, init, update, r) for i, init, update, r in zip(inner, inits, last.values, results))
    return carries, rest


def _while_call(ctx: Context, head: syntax.For, call: syntax.Call, body: Callable[[], Block]) -> list[Stmt]:
    """``for (a,) in pl.while_(init_values=(x,)):`` with ``pl.cond(...)`` as the first statement of its body."""
    anchor = ctx.anchor
    inits = _init_values(ctx, call)
    inner = [_bind(ctx, n, type_of(i)) for n, i in zip(_names(head.target), inits)]
    carries, statements = _carries(inner, inits, body())
    first = statements[0] if statements else None
    if (
        isinstance(first, Evaluate)
        and isinstance(first.value, ir.Op)
        and first.value.name == "cond"
        and first.value.args
    ):
        return [While(first.value.args[0], statements[1:], anchor, head.span, carries)]
    return [While(ir.Unknown("pl.cond"), statements, anchor, head.span, carries)]


def while_loop(ctx: Context, head: syntax.Conditional, body: Callable[[], Block]) -> list[Stmt]:
    """A plain ``while``."""
    anchor = ctx.anchor
    condition = ctx.expr(head.condition)
    check_condition(ctx, condition, head)
    return [While(condition, body(), anchor, head.span)]


def _init_values(ctx: Context, call: syntax.Call) -> tuple[ir.Expr, ...]:
    for argument in call.args:
        if argument.keyword == "init_values":
            value = ctx.expr(argument.value)
            return value.items if isinstance(value, (ir.TupleExpr, ir.ListExpr)) else ()
    return ()


def _names(target: syntax.Expr) -> list[syntax.Name]:
    if isinstance(target, syntax.Name):
        return [target]
    if isinstance(target, (syntax.TupleDisplay, syntax.ListDisplay)):
        return [name for item in target.items for name in _names(item)]
    return []


def _bind(ctx: Context, name: syntax.Name, type_: Type = UNKNOWN) -> ir.Var:
    ctx.scope[name.id] = type_
    return ir.Var(name.id, name.id, type_, name.span)
