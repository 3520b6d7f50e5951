"""The data of ``pto-lsp legalize --format json`` (rule-codes.md, "Command line")."""

from __future__ import annotations

from collections.abc import Callable

from pto_lsp.analysis.graph_boundary.call_sites import CallSite, functions_in_order
from pto_lsp.analysis.graph_boundary.legalize import legalize
from pto_lsp.analysis.graph_boundary.plan import ProgramPlan
from pto_lsp.analysis.graph_boundary.region import launch_of
from pto_lsp.analysis.graph_boundary.verify import verify
from pto_lsp.analysis.ir.place import Place, place
from pto_lsp.analysis.ir.printer import print_expr
from pto_lsp.analysis.ir.program import Function, FunctionKind, Param, Program
from pto_lsp.analysis.ir.statements import Return
from pto_lsp.analysis.ir.types import ScalarType
from pto_lsp.analysis.ir.visitor import walk_block

LineOf = Callable[[Place], int]
Document = dict[str, object]


def legalize_document(plan: ProgramPlan, line_of: LineOf) -> Document:
    """Everything but ``diagnostics``. ``line_of`` gives the 1-based line of a place in its file.

    Graphs come first, then the other functions that are not kernels; both in name order.
    """
    legal = legalize(plan)
    functions = [f for f in functions_in_order(legal) if f.body is not None and not f.kind.is_kernel]
    functions.sort(key=lambda function: function.kind is not FunctionKind.GRAPH)
    return {
        "functions": [_function(legal, plan, function, line_of) for function in functions],
        "call_sites": [_call_site(plan, site, line_of) for site in plan.call_sites],
        "verified": not verify(legal, plan.conformance),
    }


def _function(legal: Program, plan: ProgramPlan, function: Function, line_of: LineOf) -> Document:
    graph = plan.graphs.get(function.key)
    labels = {hoist.var.name: hoist.name for hoist in graph.hoisted} if graph is not None else {}
    calls = []
    returns: list[str] | None = None
    for stmt in walk_block(function.body or ()):
        launch = launch_of(stmt)
        if launch is not None:
            callee = legal.functions.get(launch.callee)
            calls.append(
                {
                    "callee": callee.name if callee is not None else launch.callee,
                    "arguments": [print_expr(argument) for argument in launch.args],
                    "line": line_of(place(stmt.at, launch.span)),
                }
            )
        elif isinstance(stmt, Return) and returns is None:
            returns = [print_expr(value) for value in stmt.values]
    return {
        "name": function.name,
        "kind": function.kind.value,
        "parameters": [_parameter(param, labels) for param in function.params],
        "nodes": graph.nodes if graph is not None else None,
        "calls": calls,
        "returns": returns or [],
    }


def _parameter(param: Param, labels: dict[str, str]) -> Document:
    return {
        "name": labels.get(param.name, param.name),
        "kind": "scalar" if isinstance(param.type, ScalarType) else "tensor",
        "direction": param.direction.value,
        "hoisted": param.hoisted,
    }


def _call_site(plan: ProgramPlan, site: CallSite, line_of: LineOf) -> Document:
    return {
        "caller": site.caller.name,
        "callee": plan.graphs[site.graph].name,
        "line": line_of(place(site.stmt.at, site.launch.span)),
        "hoisted": [
            {"name": local.var.label, "value": print_expr(local.value), "kind": local.hoisted.kind.value}
            for local in site.locals
            if local.hoisted is not None
        ],
        "arguments": [print_expr(argument) for argument in site.arguments],
    }
