"""The task graph of one orchestration function: the one object every rule and view works on."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from pto_lsp.analysis.ir.program import Function, Program
from pto_lsp.analysis.ir.statements import Stmt
from pto_lsp.analysis.ir.visitor import walk_block
from pto_lsp.analysis.passes.derive_call_directions import call_directions
from pto_lsp.analysis.task_graph.edges import Compared, Edge, Edges, infer
from pto_lsp.analysis.task_graph.hazards import Conflicts, Hazard
from pto_lsp.analysis.task_graph.model import Walk
from pto_lsp.analysis.task_graph.results import ResultSources
from pto_lsp.analysis.task_graph.scopes import Handles, handles, used_names
from pto_lsp.analysis.task_graph.summaries import Summaries, SummaryCache
from pto_lsp.analysis.task_graph.walk import EDITOR_LIMIT, walk
from pto_lsp.analysis.task_graph.walk_memo import WalkMemo


class Analyser:
    """Makes the graphs of the orchestration functions of one program; kernels are looked at once for all of them."""

    def __init__(self, program: Program, cache: SummaryCache | None = None) -> None:
        """``program`` as it comes out of the passes (``Stages.final``); ``cache`` outlives it."""
        self.program = program
        cache = SummaryCache() if cache is None else cache
        self.summaries = Summaries(program, cache)
        self.results = ResultSources(program, cache.results)
        self._statements: dict[str, tuple[Function, tuple[Stmt, ...]]] = {}

    def statements(self, function: Function) -> tuple[Stmt, ...]:
        """Every statement of ``function`` at any depth, in source order."""
        known = self._statements.get(function.key)
        if known is None or known[0] is not function:
            known = self._statements[function.key] = (function, tuple(walk_block(function.body or ())))
        return known[1]

    def graph(
        self,
        function: Function,
        limit: int = EDITOR_LIMIT,
        assume: Mapping[str, int] | None = None,
        before: TaskGraph | None = None,
    ) -> TaskGraph:
        """The graph of ``function``; loops of constant trips are unrolled while that gives at most ``limit`` tasks.

        ``assume`` gives values to unknown trip counts by the name they are written with. ``before`` is the graph of the
        last version of the function: what has not changed is taken over.
        """
        directions = call_directions(self.program, function)
        memo = None if before is None else WalkMemo(before.walk, before.memo)
        statements = self.statements(function)
        walked = walk(self.program, function, statements, directions, self.results, limit, assume or {}, memo)
        graph = TaskGraph(self, function, walked)
        if before is not None and memo is not None:
            memo.close()
            graph.memo = memo
            graph.follow(before)
        return graph


_OF_WALK = ("handles", "used", "edges", "pairs", "predecessors", "successors", "reduced", "levels")
"""Properties of a graph that do not depend on what kernels do inside."""


class TaskGraph:
    """Everything is computed on demand and kept."""

    def __init__(self, analyser: Analyser, function: Function, walked: Walk) -> None:
        self.analyser = analyser
        self.function = function
        self.walk = walked
        self.memo: WalkMemo | None = None
        self._conflicts_before: Conflicts | None = None
        self._compared: Compared = {}

    def judged_anew(self, analyser: Analyser) -> TaskGraph:
        """The graph in the program of ``analyser``, where kernels may do something else inside: all that follows from
        the walk alone is taken over.
        """
        other = TaskGraph(analyser, self.function, self.walk)
        other.__dict__.update({name: self.__dict__[name] for name in _OF_WALK if name in self.__dict__})
        other.memo = self.memo
        other.follow(self)
        return other

    def follow(self, before: TaskGraph) -> None:
        """Take over what is the same in the graph ``before`` this one."""
        self._conflicts_before = before.__dict__.get("conflicts", before._conflicts_before)
        edges: Edges | None = before.__dict__.get("edges")
        self._compared = before._compared if edges is None else edges.compared

    @property
    def summaries(self) -> Summaries:
        return self.analyser.summaries

    @cached_property
    def handles(self) -> Handles:
        return handles(self.function)

    @cached_property
    def used(self) -> frozenset[str]:
        """The names that are read anywhere in the function."""
        return used_names(self.analyser.statements(self.function))

    @cached_property
    def edges(self) -> Edges:
        compared, self._compared = self._compared, {}
        return infer(self.walk, compared)

    @cached_property
    def conflicts(self) -> Conflicts:
        before, self._conflicts_before = self._conflicts_before, None
        return Conflicts(self.walk, self.summaries, before)

    @cached_property
    def races(self) -> tuple[Hazard, ...]:
        """Every *must* hazard that no path orders."""
        return tuple(self.conflicts.races(self.edges))

    @cached_property
    def pairs(self) -> dict[tuple[int, int], list[Edge]]:
        """The edges by (predecessor, successor), all reasons of one pair together."""
        found: dict[tuple[int, int], list[Edge]] = {}
        for edge in self.edges.edges:
            if edge.pred != edge.succ:
                found.setdefault((edge.pred, edge.succ), []).append(edge)
        return found

    @cached_property
    def predecessors(self) -> list[list[int]]:
        """Direct predecessors of every task, ascending."""
        found: list[list[int]] = [[] for _ in self.walk.tasks]
        for pred, succ in self.pairs:
            found[succ].append(pred)
        for each in found:
            each.sort()
        return found

    @cached_property
    def successors(self) -> list[list[int]]:
        found: list[list[int]] = [[] for _ in self.walk.tasks]
        for pred, succ in self.pairs:
            found[pred].append(succ)
        for each in found:
            each.sort()
        return found

    @cached_property
    def reduced(self) -> frozenset[tuple[int, int]]:
        """The pairs no longer path implies: the transitive reduction of the waits."""
        before = self.edges.before
        kept: list[tuple[int, int]] = []
        for succ, preds in enumerate(self.predecessors):
            implied = 0
            for pred in preds:
                implied |= before[pred]
            kept += [(pred, succ) for pred in preds if not implied >> pred & 1]
        return frozenset(kept)

    @cached_property
    def levels(self) -> list[int]:
        """Length in tasks of the longest chain that ends in each task."""
        found: list[int] = []
        for preds in self.predecessors:
            found.append(1 + max((found[pred] for pred in preds), default=0))
        return found

    @property
    def depth(self) -> int:
        return max(self.levels, default=0)

    @property
    def width(self) -> int:
        """The most tasks on one level: a lower bound of what can run at once."""
        counts: dict[int, int] = {}
        for level in self.levels:
            counts[level] = counts.get(level, 0) + 1
        return max(counts.values(), default=0)

    @property
    def roots(self) -> list[int]:
        return [task for task, preds in enumerate(self.predecessors) if not preds]

    @property
    def leaves(self) -> list[int]:
        return [task for task, succs in enumerate(self.successors) if not succs]
