"""Planning all Graphs of a program together with their call sites."""

from __future__ import annotations

from dataclasses import dataclass

from pto_lsp.analysis.findings import Finding
from pto_lsp.analysis.graph_boundary.call_site_checks import check_call_sites
from pto_lsp.analysis.graph_boundary.call_sites import CallSite, find_call_sites, functions_in_order
from pto_lsp.analysis.graph_boundary.graph_plan import REFUSALS, GraphPlan
from pto_lsp.analysis.graph_boundary.graph_planning import plan_graph
from pto_lsp.analysis.graph_boundary.limits import TARGET, Conformance
from pto_lsp.analysis.graph_boundary.report import on_function
from pto_lsp.analysis.graph_boundary.return_maps import ReturnMaps
from pto_lsp.analysis.ir.program import Function, FunctionKind, Program

__all__ = ["GraphPlan", "ProgramPlan", "assemble", "plan_graph", "plan_program"]


@dataclass(frozen=True, slots=True)
class ProgramPlan:
    """Frozen. ``graphs`` by key, in function-name order; ``findings`` are those of all Graphs, then of all calls.

    With a target that has no Graphs, ``findings`` is the one refusal of that (rules.md G2, E); the plans are there.
    """

    program: Program
    graphs: dict[str, GraphPlan]
    call_sites: tuple[CallSite, ...]
    findings: tuple[Finding, ...]

    @property
    def conformance(self) -> Conformance:
        return next((plan.conformance for plan in self.graphs.values()), "extended")

    @property
    def accepted(self) -> bool:
        """Whether the tool chain takes the program's Graphs and their calls."""
        return not any(finding.code in REFUSALS for finding in self.findings)


def plan_program(program: Program, conformance: Conformance = "extended", target: str = TARGET) -> ProgramPlan:
    """Plans every Graph function of ``program``, which the passes have already been run over (G1, S1)."""
    graphs = [function for function in functions_in_order(program) if function.kind is FunctionKind.GRAPH]
    if not graphs:
        return ProgramPlan(program, {}, (), ())
    maps = ReturnMaps(program)
    plans = {graph.key: plan_graph(program, graph.key, conformance, maps) for graph in graphs}
    return assemble(program, plans, target, maps)


def assemble(
    program: Program, plans: dict[str, GraphPlan], target: str = TARGET, maps: ReturnMaps | None = None
) -> ProgramPlan:
    """The program's plan from plans of its Graphs, in function-name order, that a caller may have kept from before."""
    maps = maps if maps is not None else ReturnMaps(program)
    sites = find_call_sites(program, plans)
    if target != TARGET and plans:
        findings: tuple[Finding, ...] = (_wrong_target(next(iter(plans.values())).function, target),)
    else:
        per_graph = [finding for plan in plans.values() for finding in plan.findings]
        findings = (*per_graph, *check_call_sites(sites, plans, maps))
    return ProgramPlan(program, plans, tuple(sites), findings)


def _wrong_target(graph: Function, target: str) -> Finding:
    """G2: subject is the first Graph by name."""
    message = (
        f"Graph '{graph.name}' needs the runtime '{TARGET}', but the program is compiled for '{target}', which cannot "
        f"record and replay. Choose '{TARGET}', or make it an ordinary orchestration function."
    )
    return on_function("PTO401", graph, message, graph=graph.key, target=target)
