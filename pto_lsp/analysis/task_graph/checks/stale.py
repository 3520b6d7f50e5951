"""Names of buffers that were handed to a kernel as output and live on under another name (TG022)."""

from __future__ import annotations

from collections.abc import Iterator

from pto_lsp.analysis.findings import Finding, Note
from pto_lsp.analysis.ir.expressions import Call, Expr, Op, Submit, Var
from pto_lsp.analysis.ir.place import place
from pto_lsp.analysis.ir.program import Direction, Function
from pto_lsp.analysis.ir.statements import Assign, Evaluate, If, Stmt, Unpack
from pto_lsp.analysis.ir.visitor import variables
from pto_lsp.analysis.task_graph.graph import TaskGraph
from pto_lsp.analysis.task_graph.model import Site
from pto_lsp.analysis.task_graph.scopes import Chain


def check(graph: TaskGraph) -> Iterator[Finding]:
    stale: dict[str, tuple[Site, str, str]] = {}
    for site in graph.walk.sites:
        for old, new in _renamed(graph, site):
            stale.setdefault(old.name, (site, old.label, new))
    if not stale:
        return
    statements = graph.analyser.statements(graph.function)
    order = {id(stmt): position for position, stmt in enumerate(statements)}
    for stmt in statements:
        for var in _read(graph, stmt):
            found = stale.get(var.name)
            if found is None:
                continue
            site, old_label, new_label = found
            if order[id(stmt)] <= order[id(site.statement)] or _exclusive(graph, stmt, site.statement):
                continue
            callee = site.callee
            assert callee is not None
            message = (
                f"'{old_label}' was handed to '{callee.name}' as output: read its result '{new_label}' instead of it"
            )
            notes = (Note(site.place, f"'{new_label}' is bound here"),)
            where = place(stmt.at, var.span)
            data = (("result", new_label),)
            yield Finding("PTO622", old_label, where, message, graph.function.name, notes, data)


def _renamed(graph: TaskGraph, site: Site) -> Iterator[tuple[Var, str]]:
    """Output arguments whose result got another name: (argument, new name)."""
    call, callee = site.call, site.callee
    if callee is None or callee.generated or not isinstance(call, (Call, Submit)) or not callee.kind.is_kernel:
        return
    targets = _targets(site.statement)
    for position, source in enumerate(graph.analyser.results.of(callee)):
        if source is None or source >= len(call.args) or position >= len(targets):
            continue
        argument, target = call.args[source], targets[position]
        written = callee.params[source].direction is not Direction.IN
        if isinstance(argument, Var) and written and target.label != argument.label:
            yield argument, target.label


def _targets(stmt: Stmt) -> tuple[Var, ...]:
    if isinstance(stmt, Unpack):
        return stmt.targets
    return (stmt.target,) if isinstance(stmt, Assign) else ()


def _read(graph: TaskGraph, stmt: Stmt) -> Iterator[Var]:
    """Variables a statement reads the contents of."""
    if not isinstance(stmt, (Assign, Unpack, Evaluate)):
        return
    value: Expr = stmt.value
    if isinstance(value, (Call, Submit)):
        callee: Function | None = graph.analyser.program.functions.get(value.callee)
        if callee is None:
            return
        for index, arg in enumerate(value.args):
            reads = index < len(callee.params) and callee.params[index].direction is not Direction.OUT
            if isinstance(arg, Var) and reads:
                yield arg
    elif isinstance(value, Op) and value.name in ("tensor.read", "tensor.slice"):
        yield from variables(value)


def _exclusive(graph: TaskGraph, one: Stmt, two: Stmt) -> bool:
    a: Chain = graph.handles.statements.get(id(one), ())
    b: Chain = graph.handles.statements.get(id(two), ())
    return any(s is t and isinstance(s, If) and i != j for (s, i), (t, j) in zip(a, b))
