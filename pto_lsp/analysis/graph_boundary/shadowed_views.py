"""Views and reshapes of a window that hoisting puts on the boundary beside its own root (replay.md §2).

A task's tensor that equals no boundary tensor is remembered as an offset from the first boundary tensor of the same
buffer. That is the root, which comes before every hoisted window of it, so the distance between the two, which differs
between calls, is frozen.
"""

from __future__ import annotations

from pto_lsp.analysis.findings import Finding
from pto_lsp.analysis.graph_boundary.hoisting import Hoisted, HoistKind
from pto_lsp.analysis.graph_boundary.region import Region
from pto_lsp.analysis.graph_boundary.report import note, report
from pto_lsp.analysis.graph_boundary.views import RESHAPES, VIEWS, Provenance
from pto_lsp.analysis.ir.expressions import Op, Var
from pto_lsp.analysis.ir.statements import Assign
from pto_lsp.analysis.ir.types import is_scalar
from pto_lsp.analysis.ir.visitor import variables


def check_shadowed_views(
    region: Region, hoisted: tuple[Hoisted, ...], provenance: dict[str, Provenance]
) -> list[Finding]:
    """PTO424 for what the region takes of a hoisted window that moves from call to call."""
    moving = _moving(hoisted)
    if not moving:
        return []
    gone = {id(hoist.statement) for hoist in hoisted}
    graph = region.function
    findings: list[Finding] = []
    for entry in region.entries:
        stmt = entry.stmt
        if not isinstance(stmt, Assign) or not isinstance(stmt.value, Op) or id(stmt) in gone:
            continue
        op, target = stmt.value, stmt.target
        found = provenance.get(target.name)
        window = moving.get(found.stands.name) if found is not None and op.name in VIEWS | RESHAPES else None
        if window is None or target.name not in region.used_names:
            continue
        root = region.label_of(window.root)
        message = (
            f"'{region.shown(target)}' is taken in Graph '{graph.name}' from '{window.name}', a window of '{root}' "
            f"that moves from call to call, and '{root}' is on the boundary too: a recording remembers the tensor by "
            f"its distance from '{root}' in the first call. Take '{window.name}' at the call site and pass it in the "
            f"place of '{root}'."
        )
        notes = (note(window.statement.at, window.value.span, f"'{window.name}' moves with every call"),)
        findings.append(
            report(
                "PTO424",
                region.shown(target),
                stmt.at,
                op.span,
                message,
                graph.name,
                notes,
                graph=graph.key,
                variable=target.name,
            )
        )
    return findings


def _moving(hoisted: tuple[Hoisted, ...]) -> dict[str, Hoisted]:
    """Hoisted views by name whose distance from their root depends on a boundary scalar."""
    found: dict[str, Hoisted] = {}
    for hoist in hoisted:
        if hoist.kind is not HoistKind.VIEW or not isinstance(hoist.value, Op):
            continue
        source, *window = hoist.value.args
        moves = any(is_scalar(var.type) for operand in window for var in variables(operand))
        if moves or (isinstance(source, Var) and source.name in found):
            found[hoist.var.name] = hoist
    return found
