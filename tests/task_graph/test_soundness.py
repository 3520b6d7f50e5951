"""What a symbolic walk claims is true of the exact one."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings

from pto_lsp.analysis.task_graph.checks.run import findings
from pto_lsp.analysis.task_graph.graph import TaskGraph
from tests.support.effort import examples
from tests.task_graph.build import Source, jit
from tests.task_graph.random_orchestrations import bodies

CORRECTNESS = ("PTO6", "PTO7")
FALSE_ORDERS = ("PTO805", "PTO806", "PTO807")


def races(graph: TaskGraph) -> set[tuple[int, int, str, str]]:
    tasks = graph.walk.tasks
    return {
        (tasks[h.first.task].site.index, tasks[h.second.task].site.index, h.kind, h.buffer.label) for h in graph.races
    }


def ordered_sites(graph: TaskGraph, certain: bool) -> set[tuple[int, int]]:
    tasks = graph.walk.tasks
    return {(tasks[e.pred].site.index, tasks[e.succ].site.index) for e in graph.edges.edges if e.certain or not certain}


@settings(max_examples=examples(60), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(bodies())
def test_symbolic_claims_hold(body: str) -> None:
    source = Source(jit(body))
    exact, symbolic = source.graph(limit=10_000), source.graph(limit=0)
    assert exact.walk.exact
    assert races(symbolic) <= races(exact)
    assert ordered_sites(exact, False) <= ordered_sites(symbolic, False)
    codes = {(f.code, f.subject) for f in findings(exact)}
    claimed = {(f.code, f.subject) for f in findings(symbolic)}
    assert {c for c in claimed if c[0].startswith(CORRECTNESS) or c[0] in FALSE_ORDERS} <= codes
