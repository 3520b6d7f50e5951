"""Loops whose order the option ``analyze_auto_scopes_for_deps`` drops (TG124; semantics.md §5.5)."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import pairwise

from pto_lsp.analysis.findings import Finding
from pto_lsp.analysis.ir.statements import For
from pto_lsp.analysis.task_graph.checks.naming import loop_name, loop_note, task_name
from pto_lsp.analysis.task_graph.edges import Source
from pto_lsp.analysis.task_graph.graph import TaskGraph
from pto_lsp.analysis.task_graph.model import Site, Task
from pto_lsp.analysis.task_graph.regions import Overlap
from pto_lsp.analysis.task_graph.sites import is_sequential

OPTION = "analyze_auto_scopes_for_deps"


def functions_with_option(text: str) -> frozenset[str]:
    """Names that are called, anywhere in a module, with the option switched on in one of their arguments."""
    if OPTION not in text:
        return frozenset()
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return frozenset()
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and _switches_on(node):
            found.add(node.func.id)
    return frozenset(found)


def _switches_on(call: ast.Call) -> bool:
    return any(
        isinstance(node, ast.keyword)
        and node.arg == OPTION
        and isinstance(node.value, ast.Constant)
        and node.value.value is True
        for node in ast.walk(call)
    )


def check(graph: TaskGraph) -> Iterator[Finding]:
    """For a function that is called with the option."""
    by_loop: dict[For, list[Site]] = {}
    for site in graph.walk.sites:
        if site.loops and isinstance(site.loops[-1], For):
            by_loop.setdefault(site.loops[-1], []).append(site)
    for loop, sites in by_loop.items():
        if len(sites) != 1 or not is_sequential(loop) or sites[0].scope is not None:
            continue
        tasks = [task for task in graph.walk.tasks if task.site is sites[0]]
        if any(_chained(graph, a, b) for a, b in pairwise(tasks)):
            name = task_name(sites[0])
            message = (
                f"with {OPTION} the compiler makes this scope a manual one without an edge between iterations of "
                f"{loop_name(loop)}: '{name}' would no longer run in order"
            )
            yield Finding("PTO724", name, sites[0].place, message, graph.function.name, (loop_note(loop),))


def _chained(graph: TaskGraph, first: Task, second: Task) -> bool:
    return any(
        edge.source is Source.TENSORMAP
        and edge.buffer is not None
        and graph.conflicts.verdict(first.index, second.index, edge.buffer) is Overlap.MUST
        for edge in graph.pairs.get((first.index, second.index), ())
    )
