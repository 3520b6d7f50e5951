"""Why a value differs between calls: the sentences and the related places of refusals. Runs only for findings."""

from __future__ import annotations

from enum import Enum

from pto_lsp.analysis.findings import Note
from pto_lsp.analysis.graph_boundary.region import Region, Role
from pto_lsp.analysis.graph_boundary.replay_invariant import ReplayInvariantSet
from pto_lsp.analysis.graph_boundary.report import note, quoted
from pto_lsp.analysis.ir.expressions import Expr, Item, Op, Symbol, Var
from pto_lsp.analysis.ir.place import Anchor
from pto_lsp.analysis.ir.statements import For
from pto_lsp.analysis.ir.visitor import children, variables
from pto_lsp.analysis.node import node
from pto_lsp.diagnostics import Span


class Source(Enum):
    """What a scalar value comes from. The value completes "… is"."""

    BOUNDARY = "a boundary scalar, which every call passes anew"
    STEADY_INDEX = "a loop index"
    VARYING_INDEX = "the index of a loop whose trips are only known at run time"
    READ = "read from a tensor"
    CARRIED = "carried from trip to trip"
    MERGED = "chosen by a branch"
    TASK = "the result of a task"
    QUERY = "asked of the runtime"
    SYMBOL = "a dynamic extent"


@node
class Leaf:
    """One origin of a value: ``label`` as the author wrote it, ``at`` and ``span`` where it comes into being."""

    source: Source
    label: str
    at: Anchor
    span: Span


def leaves(region: Region, invariants: ReplayInvariantSet, expr: Expr) -> list[Leaf]:
    """The origins of ``expr``, in the order in which they are met, each once."""
    search = _Search(region, invariants)
    search.expr(expr, region.function.at, "")
    return search.found


def describe_cause(region: Region, invariants: ReplayInvariantSet, expr: Expr, itself: str = "") -> str:
    """A clause about ``expr``: "depends on 'x', read from a tensor", "mixes the boundary scalar 'p' with …".

    ``itself`` is the name the sentence is already about: "is read from a tensor".
    """
    found = leaves(region, invariants, expr)
    varying = [leaf for leaf in found if leaf.source is not Source.STEADY_INDEX]
    steady = [leaf for leaf in found if leaf.source is Source.STEADY_INDEX]
    boundary = [leaf.label for leaf in varying if leaf.source is Source.BOUNDARY]
    if boundary and len(boundary) == len(varying) and steady:
        return f"mixes the boundary scalar {quoted(boundary)} with the loop index {quoted([s.label for s in steady])}"
    if not varying:
        return "may differ between calls"
    first = next((leaf for leaf in varying if leaf.source is not Source.BOUNDARY), varying[0])
    return f"is {first.source.value}" if first.label == itself else f"depends on '{first.label}', {first.source.value}"


def cause_notes(region: Region, invariants: ReplayInvariantSet, expr: Expr) -> tuple[Note, ...]:
    """The places where the values that ``expr`` is made of come into being."""
    return tuple(
        note(leaf.at, leaf.span, f"'{leaf.label}' is {leaf.source.value}") for leaf in leaves(region, invariants, expr)
    )


class _Search:
    def __init__(self, region: Region, invariants: ReplayInvariantSet) -> None:
        self.found: list[Leaf] = []
        self._region = region
        self._invariants = invariants
        self._scalars = {p.name: p for p in region.function.params}
        self._seen: set[str] = set()

    def expr(self, expr: Expr, at: Anchor, name: str) -> None:
        """``name`` is the variable whose right side is being looked at, "" for an expression in place."""
        if isinstance(expr, Var):
            self._variable(expr)
        elif isinstance(expr, Op):
            self._operator(expr, at, name)
        elif isinstance(expr, Symbol):
            if not self._invariants.holds(expr):
                self.found.append(Leaf(Source.SYMBOL, expr.name, at, expr.span))
        elif isinstance(expr, Item):
            label = name or next((self._region.shown(v) for v in variables(expr)), "value")
            self.found.append(Leaf(Source.TASK, label, at, expr.span))
        else:
            for child in children(expr):
                self.expr(child, at, name)

    def _variable(self, var: Var) -> None:
        if var.name in self._seen:
            return
        self._seen.add(var.name)
        param = self._scalars.get(var.name)
        if param is not None:
            if not self._invariants.is_tensor_of_boundary(param.name):
                self.found.append(Leaf(Source.BOUNDARY, param.name, param.at, param.name_span))
            return
        definition = self._region.definitions.get(var.name)
        if definition is None:
            return
        at, span, label = definition.stmt.at, definition.var.span, self._region.shown(definition.var)
        steady = self._invariants.holds(var)
        if definition.role is Role.INDEX:
            assert isinstance(definition.stmt, For)
            source = Source.STEADY_INDEX if steady else Source.VARYING_INDEX
            self.found.append(Leaf(source, label, at, definition.stmt.span))
        elif definition.role is Role.CARRIED:
            if not steady:
                self.found.append(Leaf(Source.CARRIED, label, at, definition.stmt.span))
        elif definition.role is Role.MERGED:
            if not steady:
                self.found.append(Leaf(Source.MERGED, label, at, definition.stmt.span))
        elif definition.role is Role.RESULT:
            self.found.append(Leaf(Source.TASK, label, at, span))
        elif definition.value is not None:
            self.expr(definition.value, at, label)

    def _operator(self, op: Op, at: Anchor, name: str) -> None:
        if self._invariants.holds(op):
            return
        if op.name == "tensor.read":
            tensor = next((self._region.shown(v) for v in variables(op)), "")
            self.found.append(Leaf(Source.READ, name or tensor, at, op.span))
        elif op.name == "tensor.dim" and op.args and isinstance(op.args[-1], Var):
            self.expr(op.args[-1], at, name)
        else:
            self.found.append(Leaf(Source.QUERY, name or op.name, at, op.span))
