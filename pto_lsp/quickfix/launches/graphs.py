"""The task graphs that a finding was found in, and the launches it is about."""

from __future__ import annotations

from collections.abc import Iterator

from pto_lsp.analysis.ir.place import Place
from pto_lsp.analysis.task_graph.checks.naming import place_key
from pto_lsp.analysis.task_graph.graph import TaskGraph
from pto_lsp.analysis.task_graph.model import Site, Task
from pto_lsp.quickfix.context import Context
from pto_lsp.quickfix.rewriter import Refused


def graphs_of(context: Context) -> Iterator[TaskGraph]:
    """The graphs of the finding's function. Raises `Refused` for a finding of the source alone."""
    if context.program is None:
        raise Refused("the task graph is not known")
    for graph in context.program.tasks.graphs:
        if graph.function.name == context.finding.function:
            yield graph


def site_of(context: Context) -> tuple[TaskGraph, Site]:
    """The launch whose statement the finding stands in. Raises `Refused`."""
    for graph in graphs_of(context):
        for site in graph.walk.sites:
            if in_statement(context.finding.place, site):
                return graph, site
    raise Refused("the launch was not found")


def in_statement(where: Place, site: Site) -> bool:
    at = site.statement.at
    return at.source is where.source and at.offset == where.anchor.offset


def tasks_of(graph: TaskGraph, site: Site) -> list[Task]:
    """All tasks of the launch as written, unrolled and spliced copies included."""
    key = place_key(site.place)
    return [task for task in graph.walk.tasks if place_key(task.site.place) == key]
