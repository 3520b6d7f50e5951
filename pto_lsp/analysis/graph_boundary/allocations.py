"""Step C: allocations of a region, and the checks on them that come before everything else (rules.md section F)."""

from __future__ import annotations

from dataclasses import dataclass

from pto_lsp.analysis.findings import Finding, Note
from pto_lsp.analysis.graph_boundary.causes import cause_notes, describe_cause
from pto_lsp.analysis.graph_boundary.hoisting import Hoisted, HoistKind
from pto_lsp.analysis.graph_boundary.region import Entry, Region, operator_of
from pto_lsp.analysis.graph_boundary.replay_invariant import ReplayInvariantSet
from pto_lsp.analysis.graph_boundary.report import note, on_assignment, report
from pto_lsp.analysis.graph_boundary.scalars import derivable
from pto_lsp.analysis.ir.expressions import Expr, ListExpr, Op, TupleExpr
from pto_lsp.analysis.ir.program import Direction
from pto_lsp.analysis.ir.statements import Assign, For
from pto_lsp.analysis.ir.substitution import Substitution
from pto_lsp.analysis.ir.types import TensorType

CREATE = "tensor.create"
FULL = "tensor.full"


@dataclass(frozen=True, slots=True)
class AllocationStep:
    hoisted: tuple[Hoisted, ...]
    findings: tuple[Finding, ...]


def plan_allocations(region: Region, invariants: ReplayInvariantSet, stands: dict[str, Expr]) -> AllocationStep:
    """F1–F5: refuses what cannot be recorded, hoists what stands outside every loop of the region."""
    walk_ = _AllocationWalk(region, invariants, stands)
    for position, entry in enumerate(region.entries):
        if not entry.leaving:
            walk_.visit(position, entry)
    return AllocationStep(tuple(walk_.hoisted), tuple(walk_.findings))


def allocated_extents(op: Op) -> tuple[Expr, ...]:
    """The extents of a create, as written; those of the result type where they are no list."""
    shape = op.args[0] if op.args else None
    if isinstance(shape, (ListExpr, TupleExpr)):
        return shape.items
    if isinstance(op.type, TensorType) and op.type.shape is not None:
        return op.type.shape
    return () if shape is None else (shape,)


class _AllocationWalk:
    def __init__(self, region: Region, invariants: ReplayInvariantSet, stands: dict[str, Expr]) -> None:
        self.hoisted: list[Hoisted] = []
        self.findings: list[Finding] = []
        self._region = region
        self._invariants = invariants
        self._rebuild = Substitution(stands)

    def visit(self, position: int, entry: Entry) -> None:
        op = operator_of(entry.stmt)
        if op is None:
            return
        if op.name == FULL:
            self._refuse_full(entry, op)
        elif op.name == CREATE and self._check_shape(entry, op) and isinstance(entry.stmt, Assign):
            self._place(position, entry, entry.stmt, op)

    def _refuse_full(self, entry: Entry, op: Op) -> None:
        """F1."""
        graph = self._region.function
        message = (
            f"pl.full stands in Graph '{graph.name}' outside every device region, where nothing can run it. Fill the "
            f"tensor in a task, or create it with init_value=."
        )
        self.findings.append(
            report("PTO303", graph.name, entry.stmt.at, op.span, message, graph.name, (), graph=graph.key)
        )

    def _check_shape(self, entry: Entry, op: Op) -> bool:
        """F2: False when an extent is no literal, with a finding unless something unknown takes part."""
        known = True
        for extent in allocated_extents(op):
            literal = self._invariants.literal(extent)
            if literal is None:
                known = False
            elif not literal:
                self._refuse_shape(entry, op, extent)
                return False
        return known

    def _refuse_shape(self, entry: Entry, op: Op, extent: Expr) -> None:
        graph = self._region.function
        stmt = entry.stmt
        named = f"'{self._region.shown(stmt.target)}'" if isinstance(stmt, Assign) else "this allocation"
        message = (
            f"the shape of {named} in Graph '{graph.name}' is not constant: it "
            f"{describe_cause(self._region, self._invariants, extent)}. A recording keeps the buffer of the first "
            f"call, whatever size a later call needs. Give it a constant shape, or create it at the call site."
        )
        stands = self._rebuild.mapping
        self.findings.append(
            report(
                "PTO302",
                graph.name,
                stmt.at,
                op.span,
                message,
                graph.name,
                cause_notes(self._region, self._invariants, extent),
                graph=graph.key,
                variable=stmt.target.name if isinstance(stmt, Assign) else "",
                derivable=all(derivable(e, stands) for e in allocated_extents(op)),
            )
        )

    def _place(self, position: int, entry: Entry, stmt: Assign, op: Op) -> None:
        graph = self._region.function
        label = self._region.shown(stmt.target)
        if entry.loops:
            loop = entry.loops[-1]
            kind = "pl." + loop.kind.value if isinstance(loop, For) else "while"
            message = (
                f"'{label}' is allocated on every trip of a {kind} loop of Graph '{graph.name}': it stays there, costs "
                f"nodes of the recording, and its memory is not given back before the run ends. One buffer at the call "
                f"site, sliced per trip, avoids both."
            )
            notes: tuple[Note, ...] = (note(loop.at, loop.span, "allocated once per trip of this loop"),)
            self.findings.append(on_assignment(self._region, "PTO304", stmt, op, message, notes))
            return
        value = self._rebuild.expr(op)
        self.hoisted.append(Hoisted(HoistKind.CREATE, stmt.target, value, Direction.INOUT, stmt, position))
        branch = " although it stands in a branch," if entry.branches else ""
        message = (
            f"'{label}' is allocated inside Graph '{graph.name}':{branch} the compiler creates it at each call site "
            f"and passes it as an InOut parameter, because memory that a recording allocates is not given back before "
            f"the run ends."
        )
        notes = tuple(note(b.at, b.span, "created whichever way this branch goes") for b in entry.branches[-1:])
        self.findings.append(on_assignment(self._region, "PTO301", stmt, op, message, notes))
