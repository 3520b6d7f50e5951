"""Step A: scalars that a region derives from its boundary (rules.md section A)."""

from __future__ import annotations

from dataclasses import dataclass

from pto_lsp.analysis.findings import Finding, Note
from pto_lsp.analysis.graph_boundary.hoisting import Hoisted, HoistKind, Rename
from pto_lsp.analysis.graph_boundary.limits import Conformance
from pto_lsp.analysis.graph_boundary.region import Region
from pto_lsp.analysis.graph_boundary.replay_invariant import is_literal
from pto_lsp.analysis.graph_boundary.report import note, param_note, quoted, report
from pto_lsp.analysis.ir.expressions import (
    Binary,
    Call,
    Cast,
    Const,
    Expr,
    ListExpr,
    Op,
    Submit,
    TupleExpr,
    Unary,
    Var,
)
from pto_lsp.analysis.ir.program import Direction
from pto_lsp.analysis.ir.statements import Assign
from pto_lsp.analysis.ir.substitution import Substitution
from pto_lsp.analysis.ir.types import ScalarType, UnknownType, is_scalar
from pto_lsp.analysis.ir.visitor import variables


@dataclass(frozen=True, slots=True)
class ScalarStep:
    """``stands`` says for every derivable name what a call site would write for it.

    That is in terms of scalar parameters of the Graph, hoisted scalars and (extended mode) literals.
    """

    hoisted: tuple[Hoisted, ...]
    renames: tuple[Rename, ...]
    dropped: tuple[Assign, ...]
    stands: dict[str, Expr]
    findings: tuple[Finding, ...]


def derivable(expr: Expr, stands: dict[str, Expr]) -> bool:
    """rules.md A2: the caller could compute it from the arguments it passes."""
    if isinstance(expr, Const):
        return True
    if isinstance(expr, Var):
        return expr.name in stands
    if isinstance(expr, Binary):
        return derivable(expr.left, stands) and derivable(expr.right, stands)
    if isinstance(expr, (Unary, Cast)):
        return derivable(expr.operand, stands)
    if isinstance(expr, (ListExpr, TupleExpr)):
        return all(derivable(item, stands) for item in expr.items)
    return False


def plan_scalars(region: Region, conformance: Conformance) -> ScalarStep:
    """Hoists, erased renames and dropped values of one region.

    The extended mode takes a name bound to a literal for the literal (X1) and drops derived values that nothing
    uses (X19).
    """
    extended = conformance == "extended"
    stands: dict[str, Expr] = {p.name: Var(p.name, p.name, p.type) for p in region.function.params if is_scalar(p.type)}
    rebuild = Substitution(stands)
    hoisted: list[Hoisted] = []
    renames: list[Rename] = []
    for position, entry in enumerate(region.entries):
        stmt = entry.stmt
        if not isinstance(stmt, Assign) or isinstance(stmt.value, (Op, Call, Submit)):
            continue
        target, value = stmt.target, stmt.value
        if not _may_be_scalar(target, value) or not derivable(value, stands):
            continue
        meaning = rebuild.expr(value)
        if extended and is_literal(meaning):
            stands[target.name] = meaning
        elif isinstance(meaning, Var):
            renames.append(Rename(target, meaning, stmt))
            stands[target.name] = meaning
        else:
            hoisted.append(Hoisted(HoistKind.SCALAR, target, meaning, Direction.IN, stmt, position))
            stands[target.name] = target
    dropped: tuple[Assign, ...] = ()
    if extended and hoisted:
        used = _used_names(region, {id(h.statement) for h in hoisted}, {id(r.statement) for r in renames})
        dropped = tuple(h.statement for h in hoisted if h.var.name not in used)
        hoisted = [h for h in hoisted if h.var.name in used]
    findings = _hoist_findings(region, hoisted) + _rename_findings(region, renames) + _drop_findings(region, dropped)
    return ScalarStep(tuple(hoisted), tuple(renames), dropped, stands, tuple(findings))


def _may_be_scalar(target: Var, value: Expr) -> bool:
    """A1, I9: whatever its type, but no task id. An unknown type is told by a value that can only be a number."""
    if isinstance(target.type, UnknownType):
        return not isinstance(value, (ListExpr, TupleExpr)) and not (isinstance(value, Const) and not is_literal(value))
    return isinstance(target.type, ScalarType) and not target.type.is_task_id


def _used_names(region: Region, derived: set[int], renames: set[int]) -> set[str]:
    """Names that reach anything but derived values nobody uses. Later statements first, so one pass is enough."""
    used: set[str] = set()
    candidates: list[Assign] = []
    for entry, names in zip(region.entries, region.names_by_entry):
        stmt = entry.stmt
        if isinstance(stmt, Assign) and (id(stmt) in derived or id(stmt) in renames):
            candidates.append(stmt)
        else:
            used |= names
    for stmt in reversed(candidates):
        if stmt.target.name in used:
            used.update(var.name for var in variables(stmt.value))
    return used


def _hoist_findings(region: Region, hoisted: list[Hoisted]) -> list[Finding]:
    """PTO101 for every hoisted scalar."""
    graph = region.function
    origins: dict[str, tuple[str, ...]] = {}
    found = []
    for hoist in hoisted:
        names: list[str] = []
        for var in variables(hoist.value):
            names.extend(n for n in origins.get(var.name, (var.name,)) if n not in names)
        origins[hoist.var.name] = tuple(names)
        label = hoist.var.label
        source = f"from {quoted(names)} " if names else ""
        message = (
            f"'{label}' is computed {source}inside Graph '{graph.name}': as a value of the region it would keep what "
            f"the first call computed on every replay. The compiler computes it at each call site and passes it as a "
            f"parameter; write it there."
        )
        notes = [
            param_note(p, f"boundary scalar '{p.name}', new on every call") for p in graph.params if p.name in names
        ]
        notes += _consumer_notes(region, hoist.var)
        found.append(_binding_finding("PTO101", region, hoist.statement, message, notes))
    return found


def _rename_findings(region: Region, renames: list[Rename]) -> list[Finding]:
    """PTO102 for every erased rename."""
    graph = region.function
    found = []
    for rename in renames:
        label, target = rename.var.label, rename.target.label
        message = (
            f"'{label}' only renames '{target}': the copy is no boundary scalar of Graph '{graph.name}', so a task "
            f"that reads it would keep the value of the first call. The compiler erases the name; use '{target}'."
        )
        notes = [param_note(p, f"boundary scalar '{p.name}'") for p in graph.params if p.name == rename.target.name]
        notes += _consumer_notes(region, rename.var)
        found.append(_binding_finding("PTO102", region, rename.statement, message, notes))
    return found


def _drop_findings(region: Region, dropped: tuple[Assign, ...]) -> list[Finding]:
    """PTO106 for derived values that nothing uses (X19)."""
    found = []
    for stmt in dropped:
        message = f"'{stmt.target.label}' is computed from boundary scalars but nothing uses it; it is not hoisted."
        found.append(_binding_finding("PTO106", region, stmt, message, []))
    return found


def _consumer_notes(region: Region, var: Var) -> list[Note]:
    consumer = region.consumers.get(var.name)
    return [] if consumer is None else [note(consumer.at, consumer.span, f"'{var.label}' reaches a task here")]


def _binding_finding(code: str, region: Region, stmt: Assign, message: str, notes: list[Note]) -> Finding:
    target = stmt.target
    graph = region.function
    return report(
        code,
        target.label,
        stmt.at,
        target.span,
        message,
        graph.name,
        tuple(notes),
        graph=graph.key,
        variable=target.name,
    )
