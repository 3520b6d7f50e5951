"""Step B: views of boundary tensors (rules.md section B).

A view whose window the caller can compute is hoisted; one whose window is the same in every call stays; any other
would be frozen at the window of the first call.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum

from pto_lsp.analysis.findings import Finding, Note
from pto_lsp.analysis.graph_boundary.causes import cause_notes, describe_cause
from pto_lsp.analysis.graph_boundary.hoisting import Hoisted, HoistKind, InPlaceView
from pto_lsp.analysis.graph_boundary.limits import Conformance
from pto_lsp.analysis.graph_boundary.origin import OriginTracer
from pto_lsp.analysis.graph_boundary.region import COLLECTIVES, Entry, Region, launch_of, results_of
from pto_lsp.analysis.graph_boundary.replay_invariant import ReplayInvariantSet
from pto_lsp.analysis.graph_boundary.report import note, on_assignment
from pto_lsp.analysis.graph_boundary.return_maps import ReturnMaps
from pto_lsp.analysis.graph_boundary.scalars import derivable
from pto_lsp.analysis.ir.affine import affine
from pto_lsp.analysis.ir.expressions import Expr, Item, ListExpr, Op, TupleExpr, Var
from pto_lsp.analysis.ir.program import Direction
from pto_lsp.analysis.ir.statements import Assign, For, If, Unpack, While
from pto_lsp.analysis.ir.substitution import Substitution
from pto_lsp.analysis.ir.types import ScalarType, TensorType, UnknownType
from pto_lsp.analysis.ir.write_backs import written_back

VIEWS = frozenset({"tensor.slice", "tensor.view"})
RESHAPES = frozenset({"tensor.reshape", "tensor.transpose", "tensor.reinterpret_view"})
"""Same storage under another shape: not looked at by the reference compiler, which loses the boundary there (X5)."""


class Track(Enum):
    """How a name hangs together with its boundary tensor.

    FIRM: the reference compiler follows it. LOOSE: the same buffer under a name that it does not follow (a loop
    carry, a subscript assignment). BEHIND: the buffer under another shape, or one of two buffers. LOCAL: a buffer that
    the recording owns, no boundary tensor at all.
    """

    FIRM = "firm"
    LOOSE = "loose"
    BEHIND = "behind"
    LOCAL = "local"


@dataclass(frozen=True, slots=True)
class Provenance:
    """``root`` is the boundary tensor looked into, ``stands`` what a call site would name instead (C3)."""

    root: str
    direction: Direction
    stands: Var
    in_place: bool = False
    track: Track = Track.FIRM
    behind: str = ""


@dataclass(frozen=True, slots=True)
class ViewStep:
    hoisted: tuple[Hoisted, ...]
    in_place: tuple[InPlaceView, ...]
    provenance: dict[str, Provenance]
    findings: tuple[Finding, ...]


def plan_views(
    region: Region,
    maps: ReturnMaps,
    invariants: ReplayInvariantSet,
    stands: dict[str, Expr],
    creates: tuple[Hoisted, ...],
    conformance: Conformance,
) -> ViewStep:
    """``invariants`` is the set of the original body (I8), ``stands`` that of step A, ``creates`` the hoisted ones."""
    walk = _ViewWalk(region, maps, invariants, stands, conformance == "extended")
    for param in region.function.params:
        if not isinstance(param.type, (ScalarType, UnknownType)):
            walk.provenance[param.name] = Provenance(
                param.name, param.direction, Var(param.name, param.name, param.type)
            )
    for create in creates:
        walk.provenance[create.var.name] = Provenance(create.var.name, Direction.INOUT, create.var)
    for position, entry in enumerate(region.entries):
        walk.visit(position, entry)
    return ViewStep(tuple(walk.hoisted), tuple(walk.in_place), walk.provenance, tuple(walk.findings))


class _ViewWalk:
    def __init__(
        self,
        region: Region,
        maps: ReturnMaps,
        invariants: ReplayInvariantSet,
        stands: dict[str, Expr],
        extended: bool,
    ) -> None:
        self.provenance: dict[str, Provenance] = {}
        self.hoisted: list[Hoisted] = []
        self.in_place: list[InPlaceView] = []
        self.findings: list[Finding] = []
        self._region = region
        self._maps = maps
        self._invariants = invariants
        self._stands = stands
        self._extended = extended
        self._tracer: OriginTracer | None = None
        self._tuples: dict[str, Assign] = {}

    def visit(self, position: int, entry: Entry) -> None:
        stmt = entry.stmt
        if isinstance(stmt, (For, While)):
            self._carry(stmt, entry.leaving)
            return
        if isinstance(stmt, If):
            if entry.leaving:
                self._merge(stmt)
            return
        if isinstance(stmt, Assign):
            value = stmt.value
            if isinstance(value, Op):
                self._operator(position, stmt, value)
            elif isinstance(value, Var):
                self._inherit(stmt.target, value)
            elif isinstance(value, Item):
                self._element(stmt.target, value)
            elif launch_of(stmt) is not None and not results_of(stmt):
                self._tuples[stmt.target.name] = stmt
        elif isinstance(stmt, Unpack) and isinstance(stmt.value, Var):
            for index, target in enumerate(stmt.targets):
                self._element(target, Item(stmt.value, index))
        launch = launch_of(stmt)
        if launch is not None:
            for index, target in enumerate(results_of(stmt)):
                argument = self._maps.written_back(launch, index)
                self._inherit(target, argument)
                if argument is None and isinstance(target.type, TensorType) and self._maps.is_known(launch, index):
                    self._own(target)

    def _inherit(self, target: Var, source: Expr | None) -> None:
        """B2 (c), (e): a rename or a written-back result is the same buffer, in-place mark included (B7)."""
        if isinstance(source, Var):
            found = self.provenance.get(source.name)
            if found is not None:
                self.provenance[target.name] = found

    def _own(self, target: Var) -> None:
        """F4, B2: no root, so nothing is refused; the recording keeps offsets into it all the same."""
        self.provenance[target.name] = Provenance(target.name, Direction.INOUT, target, False, Track.LOCAL)

    def _element(self, target: Var, item: Item) -> None:
        if isinstance(item.base, Var):
            tuple_ = self._tuples.get(item.base.name)
            launch = launch_of(tuple_) if tuple_ is not None else None
            if launch is not None:
                self._inherit(target, self._maps.written_back(launch, item.index))

    def _carry(self, loop: For | While, leaving: bool) -> None:
        """A buffer handed from trip to trip. The reference compiler does not follow it, so views of it go unchecked."""
        for carry in loop.carries:
            found = self.provenance.get(carry.init.name) if isinstance(carry.init, Var) else None
            if found is None:
                continue
            if self._tracer is None:
                self._tracer = OriginTracer(self._region, self._maps)
            if self._tracer.hands_on(carry):
                target = carry.result if leaving else carry.inner
                self.provenance[target.name] = _loosened(found, "a loop that hands it on")

    def _merge(self, stmt: If) -> None:
        """One of two buffers: a window of it cannot be hoisted, and moves when the other arm is taken."""
        for phi in stmt.phis:
            sides = [self.provenance.get(s.name) if isinstance(s, Var) else None for s in (phi.then, phi.orelse)]
            found = sides[0] or sides[1]
            if found is not None:
                self.provenance[phi.result.name] = _behind(found, "a branch")

    def _operator(self, position: int, stmt: Assign, op: Op) -> None:
        source = op.args[0] if op.args else None
        found = self.provenance.get(source.name) if isinstance(source, Var) else None
        if op.name in COLLECTIVES:
            self._inherit(stmt.target, written_back(op))
            return
        if op.name == "tensor.create" and stmt.target.name not in self.provenance:
            self._own(stmt.target)
        if found is None:
            return
        assert isinstance(source, Var)
        if op.name in VIEWS:
            self._view(position, stmt, op, source, found)
        elif op.name in RESHAPES:
            if found.track is not Track.LOCAL:
                found = _behind(found, f"pl.{op.name.removeprefix('tensor.')}")
            self.provenance[stmt.target.name] = found
            if self._standing(op.args[1:]) is False:
                self._warn_frozen(stmt, op, "shape", op.args[1:], found)
        elif written_back(op) is source:
            self.provenance[stmt.target.name] = _loosened(found, "a subscript assignment")

    def _view(self, position: int, stmt: Assign, op: Op, source: Var, found: Provenance) -> None:
        operands = window_operands(op)
        standing = self._standing(operands)
        caller_can = not found.in_place and all(derivable(operand, self._stands) for operand in operands)
        if found.track is Track.FIRM and caller_can:
            if self._check_extents(stmt, op, source, found):
                self._hoist(position, stmt, op, source, found)
        elif standing is None:
            return
        elif standing:
            if found.track is not Track.FIRM or self._check_extents(stmt, op, source, found):
                self._leave(stmt, source, found)
        elif found.track is Track.FIRM:
            self._refuse_window(stmt, op, source, found, operands)
        elif self._extended and found.track is Track.LOOSE and caller_can and self._varying_extent(op) is None:
            self._hoist(position, stmt, op, source, found)
        else:
            self._warn_frozen(stmt, op, "window", operands, found)

    def _standing(self, operands: tuple[Expr, ...]) -> bool | None:
        """Whether a window is the same in every call; None when something unknown takes part."""
        result: bool | None = True
        for operand in operands:
            held = self._invariants.holds(operand)
            if held is None:
                return None
            result = result and held
        return result

    def _leave(self, stmt: Assign, source: Var, found: Provenance) -> None:
        """B6, B7."""
        self.provenance[stmt.target.name] = replace(found, in_place=True)
        if found.track in (Track.FIRM, Track.LOOSE):
            self.in_place.append(InPlaceView(stmt.target, self._region.shown(source), found.root, stmt))

    def _hoist(self, position: int, stmt: Assign, op: Op, source: Var, found: Provenance) -> None:
        """B5 case 1. The source becomes what a call site can name (C3), keywords move unchanged (B14)."""
        target = stmt.target
        shown = self._region.shown
        rebuild = Substitution(self._stands)
        args = (found.stands, *rebuild.exprs(op.args[1:]))
        value = Op(op.name, args, rebuild.keywords(op.keywords), op.type, op.span, op.sugar)
        direction = Direction.IN if found.direction is Direction.IN else Direction.INOUT
        self.hoisted.append(Hoisted(HoistKind.VIEW, target, value, direction, stmt, position, found.root))
        self.provenance[target.name] = Provenance(found.root, direction, target)
        graph = self._region.function
        message = (
            f"'{shown(target)}' is a view of '{shown(source)}' taken inside Graph '{graph.name}': a replay moves the "
            f"buffer but keeps the window of the first call. The compiler takes the view at each call site and passes "
            f"it as a parameter; write it there."
        )
        notes = self._root_notes(found)
        consumer = self._region.consumers.get(target.name)
        if consumer is not None:
            notes = (*notes, note(consumer.at, consumer.span, f"'{shown(target)}' reaches a task here"))
        self.findings.append(on_assignment(self._region, "PTO201", stmt, op, message, notes))

    def _varying_extent(self, op: Op) -> Expr | None:
        """B9: the first extent of the result that may differ between calls."""
        for extent in result_extents(op):
            if self._invariants.holds(extent) is False:
                form = affine(extent)
                if form is None or not form.is_constant:
                    return extent
        return None

    def _check_extents(self, stmt: Assign, op: Op, source: Var, found: Provenance) -> bool:
        extent = self._varying_extent(op)
        if extent is None:
            return True
        graph, shown = self._region.function, self._region.shown
        message = (
            f"an extent of '{shown(stmt.target)}', a view of '{shown(source)}' in Graph '{graph.name}', "
            f"{describe_cause(self._region, self._invariants, extent)}: a replay keeps the shape of the first call. "
            f"Give the view a constant shape."
        )
        notes = (*cause_notes(self._region, self._invariants, extent), *self._root_notes(found))
        self.findings.append(on_assignment(self._region, "PTO203", stmt, op, message, notes))
        return False

    def _refuse_window(self, stmt: Assign, op: Op, source: Var, found: Provenance, operands: tuple[Expr, ...]) -> None:
        """B8."""
        window = ListExpr(operands, op.span)
        message = (
            f"the window of '{self._region.shown(stmt.target)}', a view of '{self._region.shown(source)}', "
            f"{describe_cause(self._region, self._invariants, window)}, so the caller of Graph "
            f"'{self._region.function.name}' cannot compute it and a replay would keep the window of the first call. "
            f"Take the part that varies per call at the call site and the part that varies inside the region from "
            f"that view."
        )
        notes = (*cause_notes(self._region, self._invariants, window), *self._root_notes(found))
        self.findings.append(on_assignment(self._region, "PTO202", stmt, op, message, notes))

    def _warn_frozen(self, stmt: Assign, op: Op, what: str, operands: tuple[Expr, ...], found: Provenance) -> None:
        """X5: nothing follows the boundary here, so the tool chain accepts it and replay goes wrong silently."""
        window = ListExpr(operands, op.span)
        root, label = self._region.label_of(found.root), self._region.shown(stmt.target)
        cause = describe_cause(self._region, self._invariants, window)
        if found.track is Track.LOCAL:
            message = (
                f"the {what} of '{label}' {cause}. '{root}' is a buffer that the recording owns, so a replay silently "
                f"keeps the {what} of the first call. Create '{root}' outside every loop of the Graph."
            )
        else:
            where = f", behind {found.behind} of the boundary tensor '{root}'," if found.behind else ""
            message = (
                f"the {what} of '{label}'{where} {cause}. The compiler loses sight of the boundary there, so a replay "
                f"silently keeps the {what} of the first call. Take the view of '{root}' itself, or take it at the "
                f"call site."
            )
        notes = (*cause_notes(self._region, self._invariants, window), *self._root_notes(found))
        self.findings.append(on_assignment(self._region, "PTO204", stmt, op, message, notes))

    def _root_notes(self, found: Provenance) -> tuple[Note, ...]:
        for param in self._region.function.params:
            if param.name == found.root:
                return (note(param.at, param.name_span, f"boundary tensor '{param.name}'"),)
        definition = self._region.definitions.get(found.root)
        if definition is None:
            return ()
        return (
            note(definition.stmt.at, definition.var.span, f"region allocation '{self._region.shown(definition.var)}'"),
        )


def window_operands(op: Op) -> tuple[Expr, ...]:
    """B5: everything after the source. ``valid_shape`` counts whether it is written by position or by keyword."""
    return op.args[1:] + tuple([k.value for k in op.keywords if k.name == "valid_shape"])


def result_extents(op: Op) -> tuple[Expr, ...]:
    """The extents of a view's result, of a distributed tensor too (B9, X10)."""
    if isinstance(op.type, TensorType) and op.type.shape is not None:
        return op.type.shape
    sizes = op.args[1] if len(op.args) > 1 else None
    return sizes.items if isinstance(sizes, (ListExpr, TupleExpr)) else ()


def _loosened(found: Provenance, why: str) -> Provenance:
    track = Track.LOOSE if found.track is Track.FIRM else found.track
    return replace(found, track=track, behind=found.behind or why)


def _behind(found: Provenance, why: str) -> Provenance:
    return replace(found, track=Track.BEHIND, behind=found.behind or why)
