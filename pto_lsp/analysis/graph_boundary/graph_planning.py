"""Planning one Graph: steps A, C and B, then the legality of what they leave (rules.md section E)."""

from __future__ import annotations

from pto_lsp.analysis.findings import Finding
from pto_lsp.analysis.graph_boundary.allocations import plan_allocations
from pto_lsp.analysis.graph_boundary.arguments import ArgumentCheck
from pto_lsp.analysis.graph_boundary.boundary import (
    check_core_counts,
    check_counts,
    check_directions,
    check_nested_graphs,
    check_returns,
)
from pto_lsp.analysis.graph_boundary.graph_plan import GraphPlan, appended_in_order
from pto_lsp.analysis.graph_boundary.hoisting import Hoisted, HoistKind
from pto_lsp.analysis.graph_boundary.input_writes import check_input_writes
from pto_lsp.analysis.graph_boundary.limits import Conformance
from pto_lsp.analysis.graph_boundary.region import Region, operator_of
from pto_lsp.analysis.graph_boundary.replay_invariant import ReplayInvariantSet
from pto_lsp.analysis.graph_boundary.report import report
from pto_lsp.analysis.graph_boundary.return_maps import ReturnMaps
from pto_lsp.analysis.graph_boundary.scalars import plan_scalars
from pto_lsp.analysis.graph_boundary.shadowed_views import check_shadowed_views
from pto_lsp.analysis.graph_boundary.topology import Topology
from pto_lsp.analysis.graph_boundary.views import plan_views
from pto_lsp.analysis.ir.program import Program
from pto_lsp.analysis.ir.types import is_scalar


def plan_graph(
    program: Program, graph: str, conformance: Conformance = "extended", maps: ReturnMaps | None = None
) -> GraphPlan:
    """The plan of the Graph with key ``graph``; depends on its body and on signatures and returns of its callees."""
    maps = maps if maps is not None else ReturnMaps(program)
    function = program.functions[graph]
    region = Region(function)
    body = function.body or ()
    original = ReplayInvariantSet(function.params, body, conformance)
    scalars = plan_scalars(region, conformance)
    allocations = plan_allocations(region, original, scalars.stands)
    views = plan_views(region, maps, original, scalars.stands, allocations.hoisted, conformance)
    hoisted = tuple(sorted((*scalars.hoisted, *allocations.hoisted, *views.hoisted), key=lambda hoist: hoist.position))
    appended = tuple(hoist.param for hoist in appended_in_order(hoisted))
    parameters = (*function.params, *appended)
    rewritten = original
    if _set_changes(region, original, hoisted):
        rewritten = ReplayInvariantSet(parameters, body, conformance)
    moved = {id(hoist.statement) for hoist in hoisted}
    moved.update(id(rename.statement) for rename in scalars.renames)
    moved.update(id(statement) for statement in scalars.dropped)
    passed = {param.name for param in parameters} | {rename.var.name for rename in scalars.renames}
    topology = Topology(region, maps, rewritten, moved)
    findings = (
        *check_directions(function),
        *check_counts(function, appended),
        *allocations.findings,
        *check_core_counts(region, original),
        *check_nested_graphs(region, maps),
        *check_returns(region, maps),
        *scalars.findings,
        *views.findings,
        *ArgumentCheck(region, maps, rewritten, scalars.stands, passed, moved).run(),
        *topology.findings,
        *check_shadowed_views(region, hoisted, views.provenance),
        *check_input_writes(region, maps, views.provenance),
        *_unused_scalars(region),
    )
    return GraphPlan(
        function,
        conformance,
        hoisted,
        scalars.renames,
        scalars.dropped,
        views.in_place,
        parameters,
        topology.nodes,
        views.provenance,
        findings,
    )


def _set_changes(region: Region, original: ReplayInvariantSet, hoisted: tuple[Hoisted, ...]) -> bool:
    """I8: whether the invariant set of the rewritten body differs from that of the original one.

    It does when an invariant value became a boundary scalar, or an extent may now be one of a boundary tensor.
    """
    if any(hoist.kind is HoistKind.SCALAR and original.holds(hoist.var) for hoist in hoisted):
        return True
    if all(hoist.kind is HoistKind.SCALAR for hoist in hoisted):
        return False
    for entry in region.entries:
        op = operator_of(entry.stmt)
        if op is not None and op.name == "tensor.dim" and original.holds(op) is False:
            return True
    return False


def _unused_scalars(region: Region) -> list[Finding]:
    """X19: boundary scalars that only fill one of the 64 slots."""
    if not region.complete:
        return []
    graph = region.function
    found = []
    for param in graph.params:
        if is_scalar(param.type) and param.name not in region.used_names:
            message = f"the boundary scalar '{param.name}' of Graph '{graph.name}' is used by nothing in it."
            found.append(
                report(
                    "PTO106",
                    param.name,
                    param.at,
                    param.name_span,
                    message,
                    graph.name,
                    (),
                    graph=graph.key,
                    variable=param.name,
                )
            )
    return found
