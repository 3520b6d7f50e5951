"""The longest chain of a graph, and how far from it everything else is (graph-view.md §3 "Critical path").

Every task counts one: without measured times this is a depth, not a duration.
"""

from __future__ import annotations

from itertools import pairwise

from pto_lsp.analysis.node import node
from pto_lsp.analysis.task_graph.graph import TaskGraph
from pto_lsp.analysis.task_graph.sitegraph import distance


@node
class Critical:
    """``path`` holds the tasks of one longest chain, ``edges`` its steps as (site, site, crosses iterations).

    ``slack`` is, by index of a site, how many tasks longer the longest chain through it could get; ``below``, by task,
    the length of the longest chain that starts there.
    """

    path: tuple[int, ...]
    slack: dict[int, int]
    below: tuple[int, ...]
    edges: frozenset[tuple[int, int, bool]]


def critical(graph: TaskGraph) -> Critical:
    """Of the tasks walked: where loops are symbolic, two iterations of each."""
    tasks, levels = graph.walk.tasks, graph.levels
    below = [1] * len(tasks)
    for number in range(len(tasks) - 1, -1, -1):
        for succ in graph.successors[number]:
            below[number] = max(below[number], below[succ] + 1)
    slack: dict[int, int] = {}
    for task in tasks:
        own = graph.depth - (levels[task.index] + below[task.index] - 1)
        site = task.site.index
        slack[site] = min(slack.get(site, own), own)
    path: list[int] = []
    at = next((t for t in range(len(tasks)) if below[t] == graph.depth), None)
    while at is not None:
        path.append(at)
        rest = below[at] - 1
        at = next((succ for succ in graph.successors[at] if below[succ] == rest), None) if rest else None
    steps = [(tasks[a], tasks[b]) for a, b in pairwise(path)]
    edges = [(a.site.index, b.site.index, any(n for _, n in distance(a, b))) for a, b in steps]
    return Critical(tuple(path), slack, tuple(below), frozenset(edges))
