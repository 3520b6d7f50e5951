"""Records as the runtime writes them, made from a graph: what a run of the program would have left."""

from __future__ import annotations

import json
from collections.abc import Iterable

from pto_lsp.analysis.task_graph.graph import TaskGraph
from pto_lsp.analysis.task_graph.model import SiteKind

RING = 2 << 32


def record(
    graph: TaskGraph, without: Iterable[tuple[int, int]] = (), more: Iterable[tuple[int, int]] = ()
) -> tuple[str, str]:
    """``deps.json`` and ``name_map.json`` of the tasks of an exact walk; ids are in ring 2, allocations in ring 0.

    ``without`` and ``more`` are waits, by task number, that the record lacks or has beyond the prediction.
    """
    names = list(dict.fromkeys(task.site.name for task in graph.walk.tasks if task.site.kind is not SiteKind.DUMMY))
    tasks = []
    for task in graph.walk.tasks:
        dummy = task.site.kind is SiteKind.DUMMY
        kernel = -1 if dummy else names.index(task.site.name)
        tasks.append(
            {
                "task_id": str(RING + task.index),
                "scope": "manual" if task.manual else "auto",
                "early_dispatch": False,
                "kernel_ids": [-1, kernel, kernel],
                "block_num": 1,
                "args": [{"idx": 0, "type": "input"}],
            }
        )
    edges = [
        {"pred": str(RING + pred), "succ": str(RING + succ), "arg": 0, "source": "tensormap", "flags": ["wait"]}
        for pred, succ in sorted({*graph.pairs, *more} - set(without))
    ]
    edges.append({"pred": "7", "succ": str(RING), "arg": 0, "source": "creator", "flags": ["retain"]})
    text = json.dumps({"tasks": tasks, "tensors": [], "edges": edges})
    return text, json.dumps({"level": 2, "callable_id_to_name": {str(i): name for i, name in enumerate(names)}})
