"""The graph task by task as a document of the same form: two iterations of every loop, or all of them.

Nodes are tasks: ``of`` names the launch, ``at`` the iteration. Boxes are loops and, where an iteration has several
tasks, iterations.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pto_lsp.analysis.ir.expressions import Const
from pto_lsp.analysis.ir.statements import For
from pto_lsp.analysis.task_graph.document import (
    NEEDED_TEXT,
    Locate,
    Names,
    argument_entry,
    critical_text,
    loop_entry,
    range_entry,
    rule_of,
    site_node,
    tensor_entry,
)
from pto_lsp.analysis.task_graph.model import Iteration, Loop, Task
from pto_lsp.analysis.task_graph.nesting import Nest
from pto_lsp.analysis.task_graph.picture import Picture
from pto_lsp.analysis.task_graph.regions import Buffer
from pto_lsp.analysis.task_graph.sitegraph import needed_order
from pto_lsp.analysis.task_graph.summary import summarise
from pto_lsp.analysis.task_graph.untracked import untracked_tasks

FIRST = 64
"""Tasks drawn before somebody asks for more."""
MOST = 500
"""Tasks that can still be drawn; the text form lists any number."""

Json = dict[str, Any]


def unrollable(shown: Picture) -> str:
    """Why its tasks cannot be drawn one by one; "" when they can."""
    walked = shown.graph.walk
    if not walked.exact:
        return "not every trip count and condition is constant"
    if len(walked.tasks) > MOST:
        return f"{len(walked.tasks)} tasks are too many to draw: pto-lsp graph --unroll lists them"
    return ""


def task_document(shown: Picture, whole: Picture, locate: Locate, view: str, most: int = MOST) -> Json:
    """The first ``most`` tasks of ``shown``; ``whole`` is the graph walked as far as a picture is, for the counts."""
    return _Instances(shown, locate, most).document(whole, view)


class _Instances:
    def __init__(self, shown: Picture, locate: Locate, most: int) -> None:
        self._shown = shown
        self._graph = shown.graph
        self._locate = locate
        self._tasks = shown.graph.walk.tasks[:most]
        self._names = Names(shown, _buffers(self._tasks))
        self._number: dict[int, str] = {}
        seen: dict[int, int] = {}
        for task in self._tasks:
            count = seen[task.site.index] = seen.get(task.site.index, 0) + 1
            self._number[task.index] = f"n{task.site.index + 1}.{count}"
        self._groups: dict[tuple[object, ...], Json] = {}
        inside: dict[Loop, int] = {}
        for site in shown.sites.sites:
            for loop in site.loops:
                inside[loop] = inside.get(loop, 0) + 1
        self._boxed = {loop for loop, count in inside.items() if count > 1}

    def document(self, whole: Picture, view: str) -> Json:
        nodes = [self._node(task) for task in self._tasks]
        stalls, unknown = self._stalls(), self._unknown()
        counts = dict(summarise(whole.graph))
        return {
            "version": 1,
            "view": view,
            "function": self._graph.function.name,
            "exact": whole.graph.walk.exact,
            "unknown": unknown,
            "nodes": nodes,
            "more": len(self._graph.walk.tasks) - len(self._tasks),
            "tensors": [tensor_entry(buffer, self._names) for buffer in _buffers(self._tasks)],
            "loops": [loop_entry(self._graph, loop, self._names) for loop in self._shown.sites.loops],
            "groups": list(self._groups.values()),
            "edges": self._edges(),
            "missing": self._missing(),
            "opted_out": self._untracked(),
            "guards": self._guards(),
            "stalls": stalls,
            "summary": counts,
            "critical": {
                "path": [self._number[task] for task in self._shown.critical.path if task in self._number],
                "text": critical_text(counts),
            },
        }

    def _node(self, task: Task) -> Json:
        found = site_node(self._shown, task.site, self._names, self._locate)
        found["of"] = found["id"]
        found["id"] = self._number[task.index]
        found["count"] = "1"
        found["at"] = ", ".join(_title(each) for each in task.iterations)
        found["groups"] = self._around(self._shown.nest(task.site), task.iterations)
        found["args"] = [argument_entry(argument, self._names) for argument in task.arguments]
        graph = self._graph
        found["slack"] = graph.depth - (graph.levels[task.index] + self._shown.critical.below[task.index] - 1)
        return found

    def _around(self, nest: Nest, iterations: tuple[Iteration, ...]) -> list[str]:
        """The boxes of a task: those of its launch, loops once for each time they are run, with a box for the
        iteration.
        """
        found: list[str] = []
        state: tuple[object, ...] = ()
        left = list(iterations)

        def enter(key: tuple[object, ...], kind: str, title: str, loop: str | None) -> None:
            box = self._groups.get(key)
            if box is None:
                name = f"g{len(self._groups) + 1}"
                box = {"id": name, "kind": kind, "title": title, "loop": loop, "parent": found[-1] if found else None}
                self._groups[key] = box
            found.append(box["id"])

        for group in nest:
            if group.loop is None:
                enter((group, state), group.kind.value, group.title, None)
                continue
            if not left:
                break
            iteration = left.pop(0)
            enter((group, state, iteration.run), "loop", group.title, self._names.loop(group.loop))
            state = (*state, iteration.run, iteration.ordinal)
            if group.loop in self._boxed:
                enter((group, state), "iteration", _title(iteration), None)
        return found

    def _edges(self) -> list[Json]:
        graph, steps = self._graph, set(zip(self._shown.critical.path, self._shown.critical.path[1:]))
        found: dict[tuple[object, ...], Json] = {}
        for edge in graph.edges.edges:
            if edge.pred == edge.succ or edge.succ not in self._number:
                continue
            tensor = None if edge.buffer is None else self._names.tensor(edge.buffer)
            key = (edge.pred, edge.succ, edge.source, edge.hazard, tensor)
            if key in found:
                continue
            found[key] = {
                "pred": self._number[edge.pred],
                "succ": self._number[edge.succ],
                "source": edge.source.value,
                "hazard": edge.hazard or None,
                "tensor": tensor,
                "overlap": "covered" if edge.covered else "other",
                "distance": {},
                "redundant": (edge.pred, edge.succ) not in graph.reduced,
                "certain": edge.certain,
                "needed": NEEDED_TEXT[needed_order(graph, edge)],
                "critical": (edge.pred, edge.succ) in steps,
            }
        return list(found.values())

    def _missing(self) -> list[Json]:
        return [
            {
                **self._ends(hazard.first.task, hazard.second.task, hazard.buffer),
                "hazard": hazard.kind,
                "rule": rule_of(self._graph, hazard),
            }
            for hazard in self._graph.races
            if hazard.second.task in self._number
        ]

    def _untracked(self) -> list[Json]:
        return [
            {
                **self._ends(pred.index, succ.index, each.buffer),
                "hazard": each.hazard,
                "overlap": NEEDED_TEXT[each.overlap],
                "ordered": each.ordered,
                "how": each.how,
                "claim": each.text,
            }
            for pred, succ, each in untracked_tasks(self._graph)
            if succ.index in self._number
        ]

    def _guards(self) -> list[Json]:
        return [
            {
                **self._ends(writer.index, task.index, buffer),
                "ordered": self._graph.edges.precedes(writer.index, task.index),
            }
            for task in self._tasks
            for writer, buffer in self._shown.gate_writers(task)
        ]

    def _ends(self, pred: int, succ: int, buffer: Buffer) -> Json:
        """Two tasks, the second of which is drawn, and so is the first, which is submitted before it."""
        return {
            "pred": self._number[pred],
            "succ": self._number[succ],
            "tensor": self._names.tensor(buffer),
            "distance": {},
        }

    def _stalls(self) -> list[Json]:
        found: list[Json] = []
        for stall in self._graph.edges.stalls:
            access = stall.access
            if not stall.waits or not access.views or access.after > len(self._tasks):
                continue
            nest = self._shown.nesting.spot(access.place).nest
            found.append(
                {
                    "id": f"s{len(found) + 1}",
                    "access": "write" if access.write else "read",
                    "tensor": self._names.tensor(access.views[0].buffer),
                    "waits": [self._number[wait] for wait in stall.waits],
                    "range": range_entry(access.place, self._locate),
                    "groups": self._around(nest, access.iterations),
                    "after": access.after,
                }
            )
        return found

    def _unknown(self) -> list[Json]:
        """Which iteration they are of is not kept: they stand in front of the first task written behind them."""
        found: list[Json] = []
        for cloud in self._shown.clouds:
            behind = (number for number, task in enumerate(self._tasks) if task.site.index >= cloud.spot.after)
            found.append(
                {
                    "range": range_entry(cloud.place, self._locate),
                    "why": cloud.why,
                    "alone": cloud in self._shown.lone_clouds,
                    "groups": [],
                    "after": next(behind, len(self._tasks)),
                }
            )
        return found


def _buffers(tasks: Iterable[Task]) -> dict[Buffer, None]:
    return {view.buffer: None for task in tasks for argument in task.arguments for view in argument.views}


def _title(iteration: Iteration) -> str:
    """``i = 2``; of the two iterations that stand for all ``i`` and ``i + 1``."""
    loop = iteration.loop
    name = loop.var.label if isinstance(loop, For) else "iteration"
    if not iteration.exact:
        return f"{name} + 1" if iteration.ordinal else name
    if isinstance(loop, For) and isinstance(loop.start, Const) and isinstance(loop.step, Const):
        start, step = loop.start.value, loop.step.value
        if isinstance(start, int) and isinstance(step, int):
            return f"{name} = {start + iteration.ordinal * step}"
    return f"{name} #{iteration.ordinal + 1}"
