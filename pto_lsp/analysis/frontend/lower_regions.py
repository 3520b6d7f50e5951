"""``with`` blocks and ``for … in pl.spmd``: device regions, scopes, Graph scopes (surface.md §7, rules.md O1-O7)."""

from __future__ import annotations

import keyword
from collections.abc import Callable

from pto_lsp.analysis.frontend.context import DEVICE_KINDS, Context
from pto_lsp.analysis.frontend.decorators import dotted
from pto_lsp.analysis.frontend.launch_options import launch_options
from pto_lsp.analysis.ir import expressions as ir
from pto_lsp.analysis.ir.program import FunctionKind
from pto_lsp.analysis.ir.statements import Block, GraphScope, Opaque, Region, RegionKind, Scope, ScopeMode, Stmt
from pto_lsp.analysis.ir.types import INDEX, TASK_ID
from pto_lsp.analysis.source import syntax
from pto_lsp.diagnostics import Span

_MANAGERS = ("at", "spmd", "cluster", "scope", "manual_scope", "graph")
_DEVICE = ("at", "spmd", "cluster")


def with_block(ctx: Context, head: syntax.With, body: Callable[[], Block]) -> list[Stmt]:
    """A ``with`` header and its body."""
    item = head.items[0]
    path = dotted(item.value.func) if isinstance(item.value, syntax.Call) else None
    if len(head.items) > 1:
        ctx.unsupported("with", head.span, "a 'with' takes one item inside a DSL function: nest them")
        return _opaque(ctx, head, body)
    if not isinstance(item.value, syntax.Call) or path is None or path[0] != "pl" or path[-1] not in _MANAGERS:
        written = ".".join(path) if path else "this"
        ctx.unsupported(written, item.value.span, f"'{written}' is not a context manager of the DSL")
        return _opaque(ctx, head, body)
    manager = path[-1]
    if manager == "graph":
        return _graph(ctx, head, item, item.value, body)
    if manager in ("scope", "manual_scope"):
        return _scope(ctx, head, item.value, manager, body)
    return _region(ctx, head, item, item.value, manager, body)


def _opaque(ctx: Context, head: syntax.With, body: Callable[[], Block]) -> list[Stmt]:
    ctx.complete = False
    anchor = ctx.anchor
    binds = tuple(_bind_task_id(ctx, i.target) for i in head.items if isinstance(i.target, syntax.Name))
    return [Opaque("with block", binds, anchor, head.span, body())]


def _bind_task_id(ctx: Context, target: syntax.Name) -> ir.Var:
    ctx.scope[target.id] = TASK_ID
    return ir.Var(target.id, target.id, TASK_ID, target.span)


_OTHER_LEVELS = frozenset(
    {
        *("AIV", "AIC", "CHIP_DIE", "CHIP", "HOST", "CLUSTER_0", "CLUSTER_1", "CLUSTER_2", "GLOBAL"),
        *("L2CACHE", "PROCESSOR", "UMA", "NODE", "POD", "CLOS1", "CLOS2"),
    }
)
"""The levels but CORE_GROUP, with their other names (surface.md). A name that is none of them may be one half typed:
device code is not to be judged as orchestration until it is whole.
"""


def _region(
    ctx: Context, head: syntax.With, item: syntax.WithItem, call: syntax.Call, manager: str, body: Callable[[], Block]
) -> list[Stmt]:
    anchor = ctx.anchor
    positional = [a.value for a in call.args if a.keyword is None and not a.star]
    level = _level(call, positional) if manager == "at" else ""
    core_num = positional[0] if manager == "spmd" and positional else None
    options = launch_options(ctx, call.args, core_num)
    # deps= are resolved before the new name is bound (semantics.md 8.11), so the target comes last.
    task_id = _bind_task_id(ctx, item.target) if isinstance(item.target, syntax.Name) else None
    kind = {"at": RegionKind.AT, "spmd": RegionKind.SPMD, "cluster": RegionKind.CLUSTER}[manager]
    if kind is RegionKind.AT and level in _OTHER_LEVELS:
        kind = RegionKind.HIERARCHY
    statements = _inside(ctx, manager, kind is not RegionKind.HIERARCHY, body)
    return [Region(kind, options, statements, anchor, head.span, None, task_id, level)]


def _level(call: syntax.Call, positional: list[syntax.Expr]) -> str:
    written = next((a.value for a in call.args if a.keyword == "level"), positional[0] if positional else None)
    path = dotted(written) if written is not None else None
    return path[-1] if path else ""


def spmd_loop(ctx: Context, head: syntax.For, call: syntax.Call, body: Callable[[], Block]) -> list[Stmt]:
    """``for i in pl.spmd(n, …):`` – one task with n blocks; ``i`` is the block index."""
    anchor = ctx.anchor
    positional = [a.value for a in call.args if a.keyword is None and not a.star]
    options = launch_options(ctx, call.args, positional[0] if positional else None)
    index: ir.Var | None = None
    if isinstance(head.target, syntax.Name):
        ctx.scope[head.target.id] = INDEX
        index = ir.Var(head.target.id, head.target.id, INDEX, head.target.span)
    else:
        ctx.unsupported("pl.spmd", head.target.span, "a loop over 'pl.spmd' has one plain name as its target")
    statements = _inside(ctx, "spmd", True, body)
    return [Region(RegionKind.SPMD, options, statements, anchor, head.span, index)]


def _inside(ctx: Context, manager: str, device: bool, body: Callable[[], Block]) -> Block:
    ctx.enclosing.append(manager)
    ctx.device_depth += device
    try:
        return body()
    finally:
        ctx.device_depth -= device
        ctx.enclosing.pop()


def _scope(ctx: Context, head: syntax.With, call: syntax.Call, manager: str, body: Callable[[], Block]) -> list[Stmt]:
    anchor = ctx.anchor
    mode = ScopeMode.MANUAL if manager == "manual_scope" else ScopeMode.AUTO
    for argument in call.args:
        path = dotted(argument.value)
        if path and path[-1] == "MANUAL":
            mode = ScopeMode.MANUAL
    if manager == "manual_scope" and call.args:
        message = "'pl.manual_scope' takes no arguments"
        ctx.report("PTO614", "pl.manual_scope", call.args[0].span, message)
    return [Scope(mode, _inside(ctx, manager, False, body), anchor, head.span)]


def _graph(
    ctx: Context, head: syntax.With, item: syntax.WithItem, call: syntax.Call, body: Callable[[], Block]
) -> list[Stmt]:
    anchor = ctx.anchor
    name, span = _graph_name(ctx, call)
    if item.target is not None:
        ctx.report(
            "PTO502",
            name or "pl.graph",
            item.target.span,
            f"the Graph region '{name}' yields no value: 'as' has nothing to bind",
        )
    misplaced = _misplaced(ctx, name, call)
    statements = _inside(ctx, "graph", False, body)
    if misplaced:
        # Nothing else is worth saying about a region that cannot be one: its statements belong to what is around it.
        return list(statements)
    if not name:
        ctx.complete = False
        return [Opaque("graph region", (), anchor, head.span, statements)]
    ctx.graph_scopes = True
    return [GraphScope(name, statements, anchor, head.span, span)]


def _graph_name(ctx: Context, call: syntax.Call) -> tuple[str, Span]:
    """The region's name; "" after a finding (O1, O2)."""
    if len(call.args) != 1 or call.args[0].keyword is not None or call.args[0].star:
        ctx.report(
            "PTO501",
            "pl.graph",
            call.span,
            "'pl.graph' takes exactly one argument: the name of the region, a string literal",
        )
        return "", call.span
    value = call.args[0].value
    if not isinstance(value, syntax.Literal) or not isinstance(value.value, str):
        ctx.report("PTO501", "pl.graph", value.span, "the name of a 'pl.graph' region must be a string literal")
        return "", call.span
    name = value.value
    if not name.isidentifier() or keyword.iskeyword(name):
        ctx.report(
            "PTO501",
            name,
            value.span,
            f"the Graph name '{name}' must be a valid Python identifier: it becomes a function name",
        )
        return "", call.span
    return name, value.span


def _misplaced(ctx: Context, name: str, call: syntax.Call) -> bool:
    """Report a region that stands where it may not, lexically (O4, O5)."""
    before = len(ctx.findings)
    _check_placement(ctx, name, call)
    return len(ctx.findings) > before


def _check_placement(ctx: Context, name: str, call: syntax.Call) -> None:
    if "graph" in ctx.enclosing:
        ctx.report(
            "PTO504",
            name,
            call.func.span,
            f"the Graph region '{name}' is inside another one: a Graph cannot record a Graph",
        )
        return
    around = next((m for m in ctx.enclosing if m in _DEVICE), None)
    if around is not None:
        ctx.report(
            "PTO503",
            name,
            call.func.span,
            f"the Graph region '{name}' is inside pl.{around}: a Graph launches tasks, it cannot be part of one",
        )
    elif ctx.kind in DEVICE_KINDS or ctx.kind in (FunctionKind.GROUP, FunctionKind.SPMD):
        ctx.report(
            "PTO503",
            name,
            call.func.span,
            f"the Graph region '{name}' is inside the kernel '{ctx.function}': a Graph launches tasks",
        )
    elif ctx.kind is FunctionKind.GRAPH:
        ctx.report(
            "PTO504",
            name,
            call.func.span,
            f"the Graph region '{name}' is inside the Graph '{ctx.function}': a Graph cannot record a Graph",
        )
