"""Calls of Graphs: what each has to compute and pass after hoisting (rules.md section C)."""

from __future__ import annotations

from dataclasses import dataclass

from pto_lsp.analysis.graph_boundary.graph_plan import GraphPlan, appended_in_order
from pto_lsp.analysis.graph_boundary.hoisting import Hoisted
from pto_lsp.analysis.graph_boundary.region import launch_of
from pto_lsp.analysis.ir.expressions import Call, Expr, Op, Submit, Var
from pto_lsp.analysis.ir.program import Function, Program
from pto_lsp.analysis.ir.statements import Block, Scope, ScopeMode, Stmt
from pto_lsp.analysis.ir.substitution import Substitution
from pto_lsp.analysis.ir.visitor import blocks, variables


@dataclass(frozen=True, slots=True)
class Local:
    """A name bound directly before the launch. ``hoisted`` is None for an argument that had none of its own."""

    var: Var
    value: Expr
    hoisted: Hoisted | None


@dataclass(frozen=True, slots=True)
class CallSite:
    """One launch of a Graph. ``arguments`` are the complete ones after hoisting, ``locals`` in definition order (C3).

    ``applicable`` is False when the call passes too few arguments to compute what it would have to pass.
    """

    caller: Function
    stmt: Stmt
    launch: Call | Submit
    graph: str
    manual: bool
    locals: tuple[Local, ...]
    arguments: tuple[Expr, ...]
    applicable: bool


def functions_in_order(program: Program) -> list[Function]:
    """rules.md S9: by name; by key where two have the same."""
    return sorted(program.functions.values(), key=lambda function: (function.name, function.key))


def find_call_sites(program: Program, plans: dict[str, GraphPlan]) -> list[CallSite]:
    """Every launch of a planned Graph in every function (C1), numbered as C4 wants it."""
    found: list[CallSite] = []
    count = 0
    for caller in functions_in_order(program):
        for stmt, launch, manual in _launches(caller.body or (), False):
            plan = plans.get(launch.callee)
            if plan is None:
                continue
            site = _plan_site(caller, stmt, launch, manual, plan, count)
            count += len(site.locals)
            found.append(site)
    return found


def _launches(block: Block, manual: bool) -> list[tuple[Stmt, Call | Submit, bool]]:
    """Launch statements in source order, each with whether a manual scope is around it."""
    found: list[tuple[Stmt, Call | Submit, bool]] = []
    for stmt in block:
        launch = launch_of(stmt)
        if launch is not None:
            found.append((stmt, launch, manual))
            continue
        inner = manual if not isinstance(stmt, Scope) else stmt.mode is ScopeMode.MANUAL
        for body in blocks(stmt):
            found.extend(_launches(body, inner))
    return found


def _plan_site(
    caller: Function, stmt: Stmt, launch: Call | Submit, manual: bool, plan: GraphPlan, count: int
) -> CallSite:
    params = plan.function.params
    args = list(launch.args)
    if not plan.hoisted or len(args) != len(params):
        complete = len(args) == len(params)
        return CallSite(caller, stmt, launch, plan.key, manual, (), launch.args, complete)
    needed = {var.name for hoist in plan.hoisted for var in variables(hoist.value)}
    locals_: list[Local] = []
    mapping: dict[str, Expr] = {}
    for index, param in enumerate(params):
        argument = args[index]
        if isinstance(argument, Op) and param.name in needed:
            # Written twice, a nested create would make two buffers.
            name = f"{param.name}__graph_arg{count + len(locals_)}"
            locals_.append(Local(Var(name, name, argument.type), argument, None))
            args[index] = argument = locals_[-1].var
        mapping[param.name] = argument
    at_site = Substitution(mapping)
    for hoist in plan.hoisted:
        name = f"{hoist.name}__graph_arg{count + len(locals_)}"
        var = Var(name, name, at_site.type(hoist.var.type))
        locals_.append(Local(var, at_site.expr(hoist.value), hoist))
        mapping[hoist.var.name] = var
    appended = [mapping[hoist.var.name] for hoist in appended_in_order(plan.hoisted)]
    return CallSite(caller, stmt, launch, plan.key, manual, tuple(locals_), (*args, *appended), True)
