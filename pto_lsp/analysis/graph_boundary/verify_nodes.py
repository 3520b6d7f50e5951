"""The verifier's own count of a legalized region's nodes (rules.md V10)."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil

from pto_lsp.analysis.graph_boundary.limits import ALLOCATIONS_PER_NODE, MAX_NODES
from pto_lsp.analysis.graph_boundary.replay_invariant import ReplayInvariantSet
from pto_lsp.analysis.ir.expressions import Call, Op, Submit, Unknown
from pto_lsp.analysis.ir.place import Place, place
from pto_lsp.analysis.ir.program import Function, Program
from pto_lsp.analysis.ir.statements import Assign, Block, Evaluate, For, If, Opaque, Stmt, Unpack, While
from pto_lsp.analysis.ir.visitor import blocks, has_jump, walk_block
from pto_lsp.analysis.passes.operator_effects import UPDATES

TRIPS = 100_000


class Uncountable(Exception):
    """The number of nodes is not the same in every call, or nobody can tell."""


class NodeVerifier:
    """Counts by expanding: every trip whose number of nodes may differ is counted for itself."""

    def __init__(self, program: Program, graph: Function, invariants: ReplayInvariantSet) -> None:
        self._program = program
        self._graph = graph
        self._invariants = invariants
        self._trips = TRIPS

    def run(self) -> Iterator[tuple[str, str, Place]]:
        """(rule, message, place) of everything that is wrong, statements before totals."""
        body = self._graph.body or ()
        refused = False
        for stmt in walk_block(body):
            rule = self._offence(stmt)
            if rule is not None:
                refused = True
                yield rule, "launches differ between calls", place(stmt.at, stmt.span)
        if refused or not self._is_known(body):
            return
        where = place(self._graph.at, self._graph.name_span)
        try:
            total = self._count(body, {})
        except Uncountable:
            yield "N2", "the launches cannot be counted", where
            return
        if total == 0:
            yield "N7", "no task", where
        if total > MAX_NODES:
            yield "N8", f"{total} nodes", where

    def _offence(self, stmt: Stmt) -> str | None:
        if isinstance(stmt, (If, While)):
            return "N4" if any(self._launches(body) for body in blocks(stmt)) else None
        if not isinstance(stmt, For) or not self._launches(stmt.body):
            return None
        if has_jump(stmt.body):
            return "N4"
        bounds = (stmt.start, stmt.stop, stmt.step)
        if any(self._invariants.holds(bound) is None for bound in bounds):
            return None
        static = all(self._invariants.indices_in(bound) is not None for bound in bounds)
        return None if static and self._invariants.integer(stmt.step, {}) else "N2"

    def _launches(self, block: Block) -> bool:
        """Whether anything in ``block`` is a node; loops that certainly do not run hold none (N9)."""
        for stmt in block:
            if isinstance(stmt, For) and self._trip_range(stmt, {}) == range(0):
                continue
            if self._is_node(stmt) or self._is_allocation(stmt) or any(self._launches(b) for b in blocks(stmt)):
                return True
        return False

    def _count(self, block: Block, indices: dict[str, int]) -> int:
        allocations = sum(1 for stmt in block if self._is_allocation(stmt))
        total = ceil(allocations / ALLOCATIONS_PER_NODE)
        for stmt in block:
            if self._is_node(stmt):
                total += 1
            elif isinstance(stmt, For):
                total += self._count_loop(stmt, indices)
            else:
                total += sum(self._count(body, indices) for body in blocks(stmt))
        return total

    def _count_loop(self, loop: For, indices: dict[str, int]) -> int:
        if not self._launches(loop.body):
            return 0
        trips = self._trip_range(loop, indices)
        if trips is None:
            raise Uncountable
        try:
            return len(trips) * self._count(loop.body, indices)
        except Uncountable:
            self._trips -= len(trips)
            if self._trips < 0:
                raise
            return sum(self._count(loop.body, {**indices, loop.var.name: index}) for index in trips)

    def _trip_range(self, loop: For, indices: dict[str, int]) -> range | None:
        start, stop, step = [self._invariants.integer(b, indices) for b in (loop.start, loop.stop, loop.step)]
        if start is None or stop is None or not step:
            return None
        trips = range(start, stop, step)
        return trips if trips else range(0)

    def _is_node(self, stmt: Stmt) -> bool:
        value = _right_side(stmt)
        if isinstance(value, Op):
            # A tensor collective is lowered to the call of a kernel.
            return value.name == "system.task_dummy" or (value.name in UPDATES and value.name.startswith("pld.tensor."))
        return isinstance(value, (Call, Submit))

    def _is_allocation(self, stmt: Stmt) -> bool:
        value = _right_side(stmt)
        return isinstance(value, Op) and value.name == "tensor.create"

    def _is_known(self, body: Block) -> bool:
        if not self._graph.complete:
            return False
        for stmt in walk_block(body):
            value = _right_side(stmt)
            if isinstance(stmt, Opaque) or isinstance(value, Unknown):
                return False
            if isinstance(value, (Call, Submit)) and value.callee not in self._program.functions:
                return False
        return True


def _right_side(stmt: Stmt) -> object:
    return stmt.value if isinstance(stmt, (Assign, Unpack, Evaluate)) else None
