"""Launch sites of a body, and how often each runs (pipeline.md §2, semantics.md §1)."""

from __future__ import annotations

from typing import Union

from pto_lsp.analysis.ir.expressions import Call, Const, Op, Submit
from pto_lsp.analysis.ir.place import place
from pto_lsp.analysis.ir.program import Function, FunctionKind, Program
from pto_lsp.analysis.ir.statements import (
    Assign,
    Block,
    Evaluate,
    For,
    If,
    LoopKind,
    Opaque,
    Scope,
    ScopeMode,
    Stmt,
    Unpack,
    While,
)
from pto_lsp.analysis.task_graph.model import Loop, Site, SiteKind

DUMMY = "system.task_dummy"


def launch_of(stmt: Stmt) -> Union[Call, Submit, Op] | None:
    """The launch a statement makes: a call or a ``task_dummy``."""
    if isinstance(stmt, (Assign, Unpack, Evaluate)):
        value = stmt.value
        if isinstance(value, (Call, Submit)):
            return value
        if isinstance(value, Op) and value.name == DUMMY:
            return value
    return None


def is_task(function: Function | None) -> bool:
    """A call of ``function`` is one submit."""
    return function is not None and (function.kind.is_kernel or function.kind is FunctionKind.GRAPH)


def collect(program: Program, function: Function) -> list[Site]:
    """Every launch site of ``function`` in source order."""
    found: list[Site] = []
    if function.body is not None:
        _collect(program, function.body, (), None, False, found)
    return found


def _collect(
    program: Program, body: Block, loops: tuple[Loop, ...], scope: Scope | None, conditional: bool, found: list[Site]
) -> None:
    for stmt in body:
        launch = launch_of(stmt)
        if launch is not None and isinstance(stmt, (Assign, Unpack, Evaluate)):
            callee = None if isinstance(launch, Op) else program.functions.get(launch.callee)
            if isinstance(launch, Op) or is_task(callee):
                name = "dummy" if callee is None else callee.task_name
                where = place(stmt.at, stmt.span)
                found.append(
                    Site(
                        len(found), name, _kind(launch, callee), stmt, launch, callee, where, loops, scope, conditional
                    )
                )
        elif isinstance(stmt, (For, While)):
            _collect(program, stmt.body, (*loops, stmt), scope, conditional, found)
        elif isinstance(stmt, If):
            _collect(program, stmt.then, loops, scope, True, found)
            _collect(program, stmt.orelse, loops, scope, True, found)
        elif isinstance(stmt, Scope):
            inner = stmt if stmt.mode is ScopeMode.MANUAL else scope
            _collect(program, stmt.body, loops, inner, conditional, found)
        elif isinstance(stmt, Opaque):
            _collect(program, stmt.body, loops, scope, True, found)


def _kind(launch: Union[Call, Submit, Op], callee: Function | None) -> SiteKind:
    if isinstance(launch, Op) or callee is None:
        return SiteKind.DUMMY
    if callee.kind is FunctionKind.GRAPH:
        return SiteKind.GRAPH
    if callee.generated:
        if callee.kind is FunctionKind.SPMD:
            return SiteKind.SPMD
        return SiteKind.CLUSTER if callee.kind is FunctionKind.GROUP else SiteKind.AT
    return SiteKind.SUBMIT if isinstance(launch, Submit) else SiteKind.CALL


def static_trips(loop: Loop) -> int | None:
    """The trip count where the bounds are literals; None otherwise."""
    if not isinstance(loop, For):
        return None
    start, stop, step = loop.start, loop.stop, loop.step
    if isinstance(start, Const) and isinstance(stop, Const) and isinstance(step, Const):
        a, b, c = start.value, stop.value, step.value
        if isinstance(a, int) and isinstance(b, int) and isinstance(c, int) and c != 0:
            return max(0, -((a - b) // c))
    return None


def is_sequential(loop: Loop) -> bool:
    """A loop of the R-seq kind (§2.11)."""
    return not isinstance(loop, For) or loop.kind is not LoopKind.PARALLEL


def unroll_threshold(sites: list[Site], limit: int) -> int | None:
    """The largest trip count up to which loops can be walked trip by trip without exceeding ``limit`` tasks.

    None: all of them. Longer loops are walked for two iterations.
    """
    trips = sorted(
        {n for site in sites for n in map(static_trips, site.loops) if n is not None and n > 2}, reverse=True
    )
    if _walked(sites, None) <= limit:
        return None
    for threshold in [*(n - 1 for n in trips), 2]:
        if threshold >= 2 and _walked(sites, threshold) <= limit:
            return threshold
    return 2


def _walked(sites: list[Site], threshold: int | None) -> int:
    total = 0
    for site in sites:
        product, symbolic = 1, 0
        for loop in site.loops:
            trips = static_trips(loop)
            if trips is None or (threshold is not None and trips > threshold):
                symbolic += 1
            else:
                product *= trips
        total += product * (1 + symbolic)
    return total
