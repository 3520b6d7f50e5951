"""How many nodes a recording has, and whether every call has the same ones (rules.md section N)."""

from __future__ import annotations

from pto_lsp.analysis.findings import Finding, Note
from pto_lsp.analysis.graph_boundary.allocations import CREATE
from pto_lsp.analysis.graph_boundary.causes import cause_notes, describe_cause
from pto_lsp.analysis.graph_boundary.limits import ALLOCATIONS_PER_NODE, MAX_NODES
from pto_lsp.analysis.graph_boundary.region import COLLECTIVES, Region, launch_of, operator_of
from pto_lsp.analysis.graph_boundary.replay_invariant import ReplayInvariantSet, trip_count
from pto_lsp.analysis.graph_boundary.report import note, on_function, report
from pto_lsp.analysis.graph_boundary.return_maps import ReturnMaps
from pto_lsp.analysis.ir.expressions import Expr, ListExpr
from pto_lsp.analysis.ir.printer import print_expr
from pto_lsp.analysis.ir.statements import Block, For, If, Stmt, While
from pto_lsp.analysis.ir.visitor import blocks, has_jump, walk_block

TASK_DUMMY = "system.task_dummy"
SATURATED = 1 << 62
STEPS = 100_000
"""Trips that are walked one by one, for loops whose inner bounds use their index. Beyond, a loop is not counted."""


class Topology:
    """Counts the nodes of one region after hoisting. ``moved`` are the ids of statements that leave the region.

    ``nodes`` is None when something is not known, or a loop or branch makes the number differ between calls.
    """

    def __init__(self, region: Region, maps: ReturnMaps, invariants: ReplayInvariantSet, moved: set[int]) -> None:
        self.findings: list[Finding] = []
        self._region = region
        self._maps = maps
        self._invariants = invariants
        self._moved = moved
        self._refused: set[int] = set()
        self._steering: dict[int, bool] = {}
        self._steps = STEPS
        self._walking = False
        self._complete = True
        self._known = region.complete
        total = self._block(region.function.body or (), {})
        counted = self._known and not self._refused
        self.nodes = total if counted and self._complete else None
        if counted:
            self._check_total(total)

    def _check_total(self, total: int) -> None:
        """N7, N8."""
        graph = self._region.function
        if total == 0:
            message = f"Graph '{graph.name}' launches no task: there is nothing to record."
            self.findings.append(on_function("PTO408", graph, message, graph=graph.key))
        elif total > MAX_NODES:
            at_least = "" if self._complete else "at least "
            message = (
                f"Graph '{graph.name}' records {at_least}{total} nodes; the runtime's limit is {MAX_NODES}. Launches "
                f"in loops count once per trip; call the Graph from a loop of the orchestration instead."
            )
            self.findings.append(on_function("PTO409", graph, message, self._heaviest(), graph=graph.key, count=total))

    def _heaviest(self) -> tuple[Note, ...]:
        """The outermost loops, which are what makes a region large."""
        loops = [e.stmt for e in self._region.entries if not e.loops and not e.leaving and isinstance(e.stmt, For)]
        return tuple(note(loop.at, loop.span, "its launches count once per trip") for loop in loops)

    def _block(self, block: Block, indices: dict[str, int]) -> int:
        total = allocations = 0
        for stmt in block:
            if id(stmt) in self._moved:
                continue
            op = operator_of(stmt)
            if op is not None:
                if op.name == CREATE:
                    allocations += 1
                elif op.name == TASK_DUMMY or op.name in COLLECTIVES:
                    total += 1
            elif isinstance(stmt, For):
                total += self._for(stmt, indices)
            elif isinstance(stmt, (While, If)):
                total += self._fork(stmt, indices)
            else:
                launch = launch_of(stmt)
                if launch is not None:
                    total += 1
                    self._known = self._known and self._maps.function(launch.callee) is not None
                for body in blocks(stmt):
                    total += self._block(body, indices)
        return min(SATURATED, total + -(-allocations // ALLOCATIONS_PER_NODE))

    def _for(self, loop: For, indices: dict[str, int]) -> int:
        """N2, N3. A loop whose index decides the trips of an inner one is walked trip by trip (extended mode)."""
        start, stop, step = [self._invariants.integer(b, indices) for b in (loop.start, loop.stop, loop.step)]
        if start is None or stop is None or not step:
            count = self._block(loop.body, indices)
            if count and not self._has_unknown(loop):
                self._refuse_loop(loop)
            self._known = self._known and not count
            return count
        trips = trip_count(start, stop, step)
        if self._steers(loop):
            count = self._walk_trips(loop, indices, range(start, start + trips * step, step))
        else:
            count = min(SATURATED, self._block(loop.body, indices) * trips)
        if count and has_jump(loop.body):
            self._refuse_fork(loop, "stands in a loop that may leave a trip early")
        return count

    def _walk_trips(self, loop: For, indices: dict[str, int], trips: range) -> int:
        """Every trip counted for itself, as long as there are steps left; what is then known is a lower bound."""
        outermost = not self._walking
        self._walking = True
        total = 0
        for index in trips:
            self._steps -= 1
            if self._steps < 0:
                self._complete = False
                break
            total = min(SATURATED, total + self._block(loop.body, {**indices, loop.var.name: index}))
        if outermost:
            self._walking = False
            if self._steps < 0 and total <= MAX_NODES:
                self._refuse_loop(loop)
        return total

    def _has_unknown(self, loop: For) -> bool:
        return any(self._invariants.holds(bound) is None for bound in (loop.start, loop.stop, loop.step))

    def _steers(self, loop: For) -> bool:
        """Whether a loop inside has bounds computed from the index of ``loop``."""
        known = self._steering.get(id(loop))
        if known is None:
            known = any(
                loop.var.name in (self._invariants.indices_in(bound) or ())
                for stmt in walk_block(loop.body)
                if isinstance(stmt, For)
                for bound in (stmt.start, stmt.stop)
            )
            self._steering[id(loop)] = known
        return known

    def _fork(self, stmt: While | If, indices: dict[str, int]) -> int:
        """N4."""
        count = 0
        for body in blocks(stmt):
            count = min(SATURATED, count + self._block(body, indices))
        if count:
            kind = "'while' loop" if isinstance(stmt, While) else "branch"
            self._refuse_fork(stmt, f"stands in a {kind}")
        return count

    def _refuse_loop(self, loop: For) -> None:
        if not self._first(loop):
            return
        graph = self._region.function
        bounds = ListExpr((loop.start, loop.stop, loop.step), loop.span)
        steady = self._invariants.holds(bounds)
        reason = "is not known before the run"
        if not steady:
            reason = describe_cause(self._region, self._invariants, bounds)
        message = (
            f"Graph '{graph.name}' launches tasks in a loop whose trip count, over '{_range_text(loop)}', {reason}: a "
            f"recording repeats the trips of the first call. Give the loop constant bounds, or call the Graph from a "
            f"loop of the orchestration."
        )
        notes = (*self._launch_notes(loop), *cause_notes(self._region, self._invariants, bounds))
        self.findings.append(
            report("PTO410", graph.name, loop.at, loop.span, message, graph.name, notes, graph=graph.key)
        )

    def _refuse_fork(self, stmt: Stmt, how: str) -> None:
        if not self._first(stmt):
            return
        graph = self._region.function
        message = (
            f"a task of Graph '{graph.name}' {how}: a recording repeats the way the first call took, whatever later "
            f"calls would decide. Launch it always, with a predicate, or choose between two Graphs at the call site."
        )
        notes = self._launch_notes(stmt)
        if isinstance(stmt, (If, While)):
            notes = (*notes, *cause_notes(self._region, self._invariants, stmt.condition))
        self.findings.append(
            report("PTO411", graph.name, stmt.at, stmt.span, message, graph.name, notes, graph=graph.key)
        )

    def _first(self, stmt: Stmt) -> bool:
        """A statement inside a loop that is walked trip by trip is met more than once."""
        if id(stmt) in self._refused:
            return False
        self._refused.add(id(stmt))
        return True

    def _launch_notes(self, stmt: Stmt) -> tuple[Note, ...]:
        """The first task or allocation inside."""
        for body in blocks(stmt):
            for inner in walk_block(body):
                if id(inner) in self._moved:
                    continue
                launch = launch_of(inner)
                if launch is not None:
                    callee = self._maps.function(launch.callee)
                    named = f"task '{callee.name}'" if callee is not None else "a task"
                    return (note(inner.at, launch.span, f"{named} is launched here"),)
                op = operator_of(inner)
                if op is not None and op.name == CREATE:
                    return (note(inner.at, op.span, "a buffer is allocated here"),)
                if op is not None and (op.name == TASK_DUMMY or op.name in COLLECTIVES):
                    return (note(inner.at, op.span, "a task is launched here"),)
        return ()


def _range_text(loop: For) -> str:
    bounds: list[Expr] = [loop.start, loop.stop, loop.step]
    texts = [print_expr(bound) for bound in bounds]
    if texts[2] == "1":
        texts = texts[1:2] if texts[0] == "0" else texts[:2]
    return f"pl.{loop.kind.value}({', '.join(texts)})"
