"""Boundary tensors that are one and the same in the recorded call and are not later (replay.md §2).

A recording remembers every tensor of a task by the first boundary tensor that equals it. Two windows of one buffer that
happen to coincide in the first call are therefore told apart no more, and a later call uses the first for both. Only
what the text of the caller proves is reported: the recorded call and a later one are evaluated.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from pto_lsp.analysis.findings import Finding
from pto_lsp.analysis.graph_boundary.call_sites import CallSite
from pto_lsp.analysis.graph_boundary.graph_plan import GraphPlan, appended_in_order
from pto_lsp.analysis.graph_boundary.hoisting import HoistKind
from pto_lsp.analysis.graph_boundary.limits import MAX_NODES
from pto_lsp.analysis.graph_boundary.region import Region, launch_of
from pto_lsp.analysis.graph_boundary.report import note, report
from pto_lsp.analysis.graph_boundary.static_calls import Numbers, combinations_of, loop_trips, number, static_calls
from pto_lsp.analysis.graph_boundary.views import Track
from pto_lsp.analysis.ir.affine import Affine, affine
from pto_lsp.analysis.ir.expressions import Binary, Const, Expr, ListExpr, Op, Var
from pto_lsp.analysis.ir.place import Anchor
from pto_lsp.analysis.ir.program import Function
from pto_lsp.analysis.ir.statements import Stmt
from pto_lsp.analysis.ir.substitution import Substitution
from pto_lsp.analysis.ir.types import TensorType, Type
from pto_lsp.analysis.ir.visitor import variables, walk_block
from pto_lsp.diagnostics import Span


@dataclass(frozen=True, slots=True)
class _Window:
    """A tensor as a window of the boundary tensor ``root``: absolute offsets, one per dimension.

    ``statement`` is where a view is taken, None for the root itself.
    """

    name: str
    label: str
    at: Anchor
    span: Span
    root: str
    shape: tuple[int, ...]
    offsets: tuple[Expr, ...]
    statement: Stmt | None = None


def check_coincidences(plan: GraphPlan, sites: list[CallSite]) -> list[Finding]:
    """PTO424 for windows that hoisting puts on one boundary. ``sites`` are all calls of the Graph, in order."""
    boundary = _boundary_windows(plan)
    still = _windows_in_place(plan, boundary) if boundary else []
    groups = Counter((window.root, window.shape) for window in (*boundary, *still))
    alike = [window for window in boundary if groups[(window.root, window.shape)] > 1]
    if not any(_moves(window) for window in alike) or len({site.caller.key for site in sites}) != 1:
        return []
    caller = Region(sites[0].caller)
    calls = [list(static_calls(plan, site, caller)) for site in sites]
    if not calls[0]:
        return []
    recorded, *later = [call for of_site in calls for call in of_site]
    search = _Search(plan.function, boundary, recorded, later)
    pairs = (*search.confused(alike, _handed_on(plan)), *search.mistaken(alike, still))
    return [_finding(plan, first, second, sites[0]) for first, second in pairs]


def _moves(window: _Window) -> bool:
    """Whether a window depends on anything at all."""
    return any(True for offset in window.offsets for _ in variables(offset))


class _Search:
    """Looks for tensors that the recorded call cannot tell from an earlier boundary tensor.

    Pairs are the boundary tensor that is remembered and the tensor that is meant.
    """

    def __init__(self, graph: Function, boundary: list[_Window], recorded: Numbers, later: list[Numbers]) -> None:
        self._graph = graph
        self._flat: Region | None = None
        self._forms: dict[str, list[Affine | None]] = {}
        self._recorded = recorded
        # A window that is clipped at the edge has another shape, so such a call does not match the recording.
        extents = {window.name: window.shape for window in boundary if window.statement is None}
        shapes = self._clipped(boundary, extents, recorded)
        self._replayed = [call for call in later if self._clipped(boundary, extents, call) == shapes]

    def confused(self, alike: list[_Window], handed_on: set[str]) -> Iterator[tuple[_Window, _Window]]:
        """Boundary tensors that equal an earlier one in the recorded call and not in a later one."""
        remembered: dict[tuple[str, tuple[int, ...], tuple[int, ...]], _Window] = {}
        for second in alike:
            offsets = self._offsets(second, self._recorded)
            if offsets is None:
                continue
            first = remembered.setdefault((second.root, second.shape, offsets), second)
            if first is not second and second.name in handed_on and self._part(first, second):
                yield first, second

    def mistaken(self, alike: list[_Window], still: list[_Window]) -> Iterator[tuple[_Window, _Window]]:
        """Windows left in place that equal a moving boundary tensor on some trip of the recorded call."""
        moving: dict[tuple[str, tuple[int, ...], tuple[int, ...]], _Window] = {}
        for window in alike:
            offsets = self._offsets(window, self._recorded)
            if offsets is not None and any(
                self._offsets(window, call) not in (None, offsets) for call in self._replayed
            ):
                moving.setdefault((window.root, window.shape, offsets), window)
        for view in still if moving else []:
            entry = next(e for e in self._region.entries if e.stmt is view.statement)
            trips = loop_trips(entry, self._region)
            for indices in combinations_of(trips, MAX_NODES) if trips is not None else ():
                offsets = self._offsets(view, indices)
                first = moving.get((view.root, view.shape, offsets)) if offsets is not None else None
                if first is not None:
                    yield first, view
                    break

    @property
    def _region(self) -> Region:
        if self._flat is None:
            self._flat = Region(self._graph)
        return self._flat

    def _part(self, first: _Window, second: _Window) -> bool:
        for call in self._replayed:
            one, other = self._offsets(first, call), self._offsets(second, call)
            if one is not None and other is not None and one != other:
                return True
        return False

    def _offsets(self, window: _Window, known: Numbers) -> tuple[int, ...] | None:
        forms = self._forms.get(window.name)
        if forms is None:
            forms = self._forms[window.name] = [affine(offset) for offset in window.offsets]
        found: list[int] = []
        for form, offset in zip(forms, window.offsets):
            value = _value(form, known)
            if value is None:
                value = number(offset, known, self._region)
            if value is None:
                return None
            found.append(value)
        return tuple(found)

    def _clipped(self, boundary: list[_Window], extents: dict[str, tuple[int, ...]], call: Numbers) -> list[int]:
        """Extents of the boundary windows after clipping at the edge of their roots, where they are known."""
        clipped: list[int] = []
        for window in boundary:
            offsets = self._offsets(window, call)
            if offsets is not None:
                for offset, size, extent in zip(offsets, window.shape, extents[window.root]):
                    clipped.append(min(size, extent - offset))
        return clipped


def _value(form: Affine | None, known: Numbers) -> int | None:
    """The value of a linear form when every atom of it is known."""
    if form is None:
        return None
    total = form.const
    for atom, coefficient in form.terms:
        value = known.get(atom)
        if value is None:
            return None
        total += coefficient * value
    return total


def _boundary_windows(plan: GraphPlan) -> list[_Window]:
    """The root tensors and the hoisted views of them, in boundary order."""
    found: dict[str, _Window] = {}
    roots = {hoist.root for hoist in plan.hoisted if hoist.kind is HoistKind.VIEW}
    for param in plan.function.params:
        if param.name in roots:
            _add_root(found, param.name, param.name, param.type, param.at, param.name_span)
    for hoist in plan.hoisted:
        if hoist.var.name in roots:
            _add_root(found, hoist.var.name, hoist.name, hoist.var.type, hoist.statement.at, hoist.value.span)
    inline = Substitution({})
    for hoist in plan.hoisted:
        if hoist.kind is HoistKind.SCALAR:
            inline.mapping[hoist.var.name] = inline.expr(hoist.value)
    for hoist in appended_in_order(plan.hoisted):
        window = _slice_window(found, hoist.var, hoist.name, hoist.statement, hoist.value, inline)
        if window is not None:
            found[hoist.var.name] = window
    return list(found.values())


def _add_root(found: dict[str, _Window], name: str, label: str, type_: Type, at: Anchor, span: Span) -> None:
    shape = _static_shape(type_)
    if shape is not None:
        zeros: tuple[Expr, ...] = tuple(Const(0) for _ in shape)
        found[name] = _Window(name, label, at, span, name, shape, zeros)


def _windows_in_place(plan: GraphPlan, boundary: list[_Window]) -> list[_Window]:
    """Views that stay and are handed to a task, as windows of the boundary."""
    found = {window.name: window for window in boundary if window.statement is None}
    handed = {
        argument.name
        for stmt in walk_block(plan.function.body or ())
        if (launch := launch_of(stmt)) is not None
        for argument in launch.args
        if isinstance(argument, Var)
    }
    views: list[_Window] = []
    for view in plan.in_place:
        value = view.statement.value
        source = value.args[0] if isinstance(value, Op) else None
        known = plan.provenance.get(source.name) if isinstance(source, Var) else None
        if known is None or not isinstance(value, Op):
            continue
        if not known.in_place:
            value = Op(value.name, (known.stands, *value.args[1:]), value.keywords, value.type, value.span)
        window = _slice_window(found, view.var, view.var.label, view.statement, value, Substitution({}))
        if window is not None:
            found[view.var.name] = window
            if view.var.name in handed:
                views.append(window)
    return views


def _slice_window(
    known: dict[str, _Window], var: Var, label: str, stmt: Stmt, value: Expr, inline: Substitution
) -> _Window | None:
    """A plain slice of a known window; None for every other view."""
    if not isinstance(value, Op) or value.name != "tensor.slice" or len(value.args) != 3 or value.keywords:
        return None
    source, offsets, shape = value.args[0], value.args[2], _static_shape(value.type)
    base = known.get(source.name) if isinstance(source, Var) else None
    if base is None or shape is None or not isinstance(offsets, ListExpr) or len(offsets.items) != len(base.offsets):
        return None
    absolute = tuple(Binary("+", one, inline.expr(other)) for one, other in zip(base.offsets, offsets.items))
    return _Window(var.name, label, stmt.at, value.span, base.root, shape, absolute, stmt)


def _handed_on(plan: GraphPlan) -> set[str]:
    """The boundary tensors that some task gets exactly as they are, under whatever name."""
    found: set[str] = set()
    for stmt in walk_block(plan.function.body or ()):
        launch = launch_of(stmt)
        for argument in launch.args if launch is not None else ():
            known = plan.provenance.get(argument.name) if isinstance(argument, Var) else None
            if known is not None and not known.in_place and known.track in (Track.FIRM, Track.LOOSE):
                found.add(known.stands.name)
    return found


def _static_shape(type_: Type) -> tuple[int, ...] | None:
    if not isinstance(type_, TensorType) or type_.shape is None:
        return None
    extents = [extent.value for extent in type_.shape if isinstance(extent, Const)]
    known = [extent for extent in extents if isinstance(extent, int)]
    return tuple(known) if len(known) == len(type_.shape) else None


def _finding(plan: GraphPlan, first: _Window, second: _Window, site: CallSite) -> Finding:
    graph = plan.function
    message = (
        f"'{second.label}' and '{first.label}' of Graph '{graph.name}' are the same window of '{first.root}' in the "
        f"first call and different ones later: a recording remembers a tensor by the first parameter that equals it, "
        f"so a replay uses '{first.label}' for '{second.label}'. Let them differ in the first call, or in shape."
    )
    notes = (
        note(first.at, first.span, f"'{first.label}'"),
        note(site.stmt.at, site.launch.span, "the call that is recorded"),
    )
    return report(
        "PTO424", second.label, second.at, second.span, message, graph.name, notes, graph=plan.key, variable=second.name
    )
