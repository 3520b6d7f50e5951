"""Applying a plan to the IR (rules.md A3–A5, C1–C4): what ``LegalizeGraphBoundary`` makes of a program."""

from __future__ import annotations

from dataclasses import replace

from pto_lsp.analysis.graph_boundary.call_sites import CallSite
from pto_lsp.analysis.graph_boundary.graph_plan import GraphPlan
from pto_lsp.analysis.graph_boundary.plan import ProgramPlan
from pto_lsp.analysis.ir.expressions import Expr
from pto_lsp.analysis.ir.program import Function, Program
from pto_lsp.analysis.ir.statements import (
    Assign,
    Block,
    Carry,
    Evaluate,
    For,
    If,
    Phi,
    Return,
    Stmt,
    Unpack,
    While,
)
from pto_lsp.analysis.ir.substitution import Substitution
from pto_lsp.analysis.ir.visitor import blocks, with_blocks


def legalize(plan: ProgramPlan) -> Program:
    """The program after hoisting; the same object when no Graph needs anything.

    Calls that pass too few arguments are left as they are. A plan of the result changes nothing.
    """
    functions = dict(plan.program.functions)
    changed = False
    for key, graph in plan.graphs.items():
        if graph.changes:
            functions[key] = _legalized_graph(graph)
            changed = True
    sites: dict[str, dict[int, CallSite]] = {}
    for site in plan.call_sites:
        if site.applicable and plan.graphs[site.graph].hoisted:
            sites.setdefault(site.caller.key, {})[id(site.stmt)] = site
    for key, of_function in sites.items():
        function = functions[key]
        functions[key] = replace(function, body=_with_arguments(function.body or (), of_function))
        changed = True
    return plan.program.with_functions(functions) if changed else plan.program


def _legalized_graph(plan: GraphPlan) -> Function:
    """Parameters appended, moved statements dropped, readers of erased renames redirected."""
    gone = {id(hoist.statement) for hoist in plan.hoisted}
    gone.update(id(rename.statement) for rename in plan.renames)
    gone.update(id(statement) for statement in plan.dropped)
    targets: dict[str, Expr] = {rename.var.name: rename.target for rename in plan.renames}
    body = _Eraser(gone, targets).block(plan.function.body or ())
    return replace(plan.function, params=plan.parameters, body=body)


class _Eraser:
    """Rebuilds a body without some statements and with some names replaced. Unchanged statements stay the same."""

    def __init__(self, gone: set[int], targets: dict[str, Expr]) -> None:
        self._gone = gone
        self._names = Substitution(targets)

    def block(self, block: Block) -> Block:
        result = [self._statement(stmt) for stmt in block if id(stmt) not in self._gone]
        if len(result) == len(block) and all(new is old for new, old in zip(result, block)):
            return block
        return tuple(result)

    def _statement(self, stmt: Stmt) -> Stmt:
        names = self._names
        if not names.mapping and not blocks(stmt):
            return stmt
        if isinstance(stmt, (Assign, Unpack, Evaluate)):
            value = names.expr(stmt.value)
            return stmt if value is stmt.value else replace(stmt, value=value)
        if isinstance(stmt, Return):
            values = names.exprs(stmt.values)
            return stmt if values is stmt.values else replace(stmt, values=values)
        if isinstance(stmt, For):
            bounds = names.exprs((stmt.start, stmt.stop, stmt.step))
            stmt = replace(stmt, start=bounds[0], stop=bounds[1], step=bounds[2], carries=self._carries(stmt.carries))
        elif isinstance(stmt, While):
            stmt = replace(stmt, condition=names.expr(stmt.condition), carries=self._carries(stmt.carries))
        elif isinstance(stmt, If):
            phis = tuple(Phi(phi.result, names.expr(phi.then), names.expr(phi.orelse)) for phi in stmt.phis)
            stmt = replace(stmt, condition=names.expr(stmt.condition), phis=phis)
        return with_blocks(stmt, tuple(self.block(body) for body in blocks(stmt)))

    def _carries(self, carries: tuple[Carry, ...]) -> tuple[Carry, ...]:
        names = self._names
        return tuple(Carry(c.inner, names.expr(c.init), names.expr(c.update), c.result) for c in carries)


def _with_arguments(block: Block, sites: dict[int, CallSite]) -> Block:
    """Locals in definition order directly before each launch, which gets its complete arguments (C3)."""
    result: list[Stmt] = []
    changed = False
    for stmt in block:
        site = sites.get(id(stmt))
        if site is not None:
            assert isinstance(stmt, (Assign, Unpack, Evaluate))
            result.extend(Assign(local.var, local.value, stmt.at, stmt.span) for local in site.locals)
            result.append(replace(stmt, value=replace(site.launch, args=site.arguments)))
            changed = True
            continue
        bodies = blocks(stmt)
        new = tuple(_with_arguments(body, sites) for body in bodies)
        if any(a is not b for a, b in zip(new, bodies)):
            stmt = with_blocks(stmt, new)
            changed = True
        result.append(stmt)
    return tuple(result) if changed else block
