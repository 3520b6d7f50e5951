"""Boundary tensors declared as input that the region writes (replay.md §5.1)."""

from __future__ import annotations

from pto_lsp.analysis.findings import Finding, Note
from pto_lsp.analysis.graph_boundary.region import Region, launch_of, operator_of
from pto_lsp.analysis.graph_boundary.report import note, on_param
from pto_lsp.analysis.graph_boundary.return_maps import ReturnMaps
from pto_lsp.analysis.graph_boundary.views import Provenance
from pto_lsp.analysis.ir.expressions import Var
from pto_lsp.analysis.ir.program import Direction
from pto_lsp.analysis.ir.statements import Stmt
from pto_lsp.analysis.ir.types import ScalarType, UnknownType
from pto_lsp.analysis.passes.operator_effects import written


def check_input_writes(region: Region, maps: ReturnMaps, provenance: dict[str, Provenance]) -> list[Finding]:
    """PTO423: one finding per parameter, with every write as a related place."""
    graph = region.function
    inputs = {
        param.name
        for param in graph.params
        if param.direction is Direction.IN and not isinstance(param.type, (ScalarType, UnknownType))
    }
    writes: dict[str, list[Note]] = {}
    for entry in region.entries:
        if entry.leaving:
            continue
        for target, writer in _written(entry.stmt, maps):
            found = provenance.get(target.name)
            if found is not None and found.root in inputs:
                writes.setdefault(found.root, []).append(note(entry.stmt.at, target.span, f"written by {writer}"))
    findings = []
    for param in graph.params:
        notes = writes.get(param.name)
        if notes:
            message = (
                f"'{param.name}' is an input of Graph '{graph.name}', but the region writes it: the launch is not "
                f"registered as a writer of the tensor, so later readers do not wait for it. Mark it pl.InOut."
            )
            findings.append(
                on_param("PTO423", graph, param, message, tuple(notes), graph=graph.key, variable=param.name)
            )
    return findings


def _written(stmt: Stmt, maps: ReturnMaps) -> list[tuple[Var, str]]:
    """The names whose buffer a statement writes, and who writes it."""
    launch = launch_of(stmt)
    if launch is not None:
        callee = maps.function(launch.callee)
        if callee is None:
            return []
        return [
            (arg, f"'{callee.name}', whose parameter '{param.name}' is written")
            for arg, param in zip(launch.args, callee.params)
            if param.direction is not Direction.IN and isinstance(arg, Var) and not isinstance(param.type, ScalarType)
        ]
    op = operator_of(stmt)
    if op is None:
        return []
    writer = op.name if op.name.startswith("pld.") else f"pl.{op.name.removeprefix('tensor.')}"
    targets = [op.args[index] for index in written(op)]
    return [(target, writer) for target in targets if isinstance(target, Var)]
