"""Tensors that a recording takes for another boundary parameter than the author's (replay.md §2, "Aliasing hazards").

The runtime matches a task's tensor to the first boundary slot that fits in the recording call. Where two slots look
into one buffer, that can be the wrong one, and a later call that moves the two windows apart uses wrong data silently.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pto_lsp.analysis.ir.expressions import Call, Const, Submit, Var
from pto_lsp.analysis.ir.program import Function, Program
from pto_lsp.analysis.ir.statements import Assign, Evaluate, For, Stmt, Unpack
from pto_lsp.analysis.ir.visitor import walk_block
from pto_lsp.analysis.replay.boundary import Boundary, why_mismatched
from pto_lsp.analysis.replay.call_sequence import CallSequence
from pto_lsp.analysis.replay.definition import Source
from pto_lsp.analysis.replay.demand import Slice
from pto_lsp.analysis.replay.launches import TensorArg
from pto_lsp.analysis.replay.recording import match_boundary
from pto_lsp.analysis.replay.situations import Body, Returns, body_in
from pto_lsp.analysis.replay.tensor_map import Tag
from pto_lsp.analysis.replay.values import UNKNOWN, Tensor, Value


@dataclass(frozen=True, slots=True)
class AliasedBinding:
    """``variable`` (a ``Var.name``, ``label`` as written) derives from parameter ``own``, is recorded as ``taken_for``.

    In call ``call`` a replay looks at element ``stale`` of the buffer, the right one is ``right``. ``launch`` is the
    statement of the first task that gets it.
    """

    variable: str
    label: str
    own: str
    taken_for: str
    call: int
    stale: int
    right: int
    launch: Stmt

    @property
    def message(self) -> str:
        return (
            f"call {self.call}: '{self.label}' starts at element {self.stale}, should start at {self.right}, because "
            f"the recording took it for '{self.taken_for}'"
        )


def aliased_bindings(program: Program, graph_key: str) -> tuple[AliasedBinding, ...]:
    """The wrong bindings that the callers in ``program`` bring about, one per variable, in order of first use.

    ``program`` is legalized, or as written when nothing has to be hoisted.
    """
    graph = program.functions[graph_key]
    used = list(_task_tensors(graph))
    if not used:
        return ()
    lineage = Returns(program).lineage
    slice_ = Slice(graph.body or ())
    found: dict[str, AliasedBinding] = {}
    for run in CallSequence(program, graph_key, lineage).runs():
        for trip in ({}, _second_trip(graph)):
            calls = [(s.number, body_in(graph, slice_, s, lineage)) for s in run]
            for _, body in calls:
                body.env.update(trip)
            slots = [_slots(graph, body) for _, body in calls]
            for var, stmt in used:
                if var.name not in found:
                    wrong = _wrong(graph, var, stmt, calls, slots)
                    if wrong is not None:
                        found[var.name] = wrong
    return tuple(found.values())


def _second_trip(graph: Function) -> dict[str, Value]:
    """Indices of the region's constant loops on their second trip: on the first one many windows coincide."""
    indices: dict[str, Value] = {}
    for stmt in walk_block(graph.body or ()):
        if isinstance(stmt, For):
            bounds = [b.value if isinstance(b, Const) else None for b in (stmt.start, stmt.stop, stmt.step)]
            start, stop, step = bounds
            if isinstance(start, int) and isinstance(stop, int) and isinstance(step, int) and step:
                trips = range(start, stop, step)
                if len(trips) > 1:
                    indices[stmt.var.name] = trips[1]
    return indices


def _wrong(
    graph: Function, var: Var, stmt: Stmt, calls: list[tuple[int, Body]], slots: list[list[Tensor | None]]
) -> AliasedBinding | None:
    first = calls[0][1].value(var)
    if not isinstance(first, Tensor) or first.slot is None:
        return None
    source, slot, offset = match_boundary(first, slots[0])
    if slot == first.slot or source is Source.UNSUPPORTED:
        return None
    for (number, body), bound in zip(calls[1:], slots[1:]):
        right, base = body.value(var), bound[slot]
        if not isinstance(right, Tensor) or base is None or not _is_hit(slots[0], bound):
            continue
        stale = base.start + offset
        if base.buffer is not right.buffer or stale != right.start:
            names = [param.name for param in graph.params]
            return AliasedBinding(var.name, var.label, names[first.slot], names[slot], number, stale, right.start, stmt)
    return None


def _is_hit(recorded: list[Tensor | None], bound: list[Tensor | None]) -> bool:
    """Whether the runtime replays the recording for a call with these tensors (replay.md §4)."""
    return not why_mismatched(_as_arguments(recorded), 0, Boundary(_as_arguments(bound), ()))


def _as_arguments(tensors: list[Tensor | None]) -> tuple[TensorArg, ...]:
    return tuple([TensorArg(UNKNOWN if t is None else t, Tag.INOUT, "") for t in tensors])


def _slots(graph: Function, body: Body) -> list[Tensor | None]:
    """The boundary tensors by parameter position, None for scalars and unknown ones."""
    values = [body.variable(Var(param.name, param.name, param.type)) for param in graph.params]
    return [value if isinstance(value, Tensor) else None for value in values]


def _task_tensors(graph: Function) -> Iterator[tuple[Var, Stmt]]:
    """Every name that a task gets as an argument, with the first statement that hands it over."""
    seen: set[str] = set()
    for stmt in walk_block(graph.body or ()):
        if isinstance(stmt, (Assign, Unpack, Evaluate)) and isinstance(stmt.value, (Call, Submit)):
            for arg in stmt.value.args:
                if isinstance(arg, Var) and arg.name not in seen:
                    seen.add(arg.name)
                    yield arg, stmt
