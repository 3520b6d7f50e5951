"""Step D before hoisting: signature, core counts, nested Graphs and returns (rules.md D1–D8, L2)."""

from __future__ import annotations

from collections.abc import Iterable

from pto_lsp.analysis.findings import Finding, Note
from pto_lsp.analysis.graph_boundary.causes import cause_notes
from pto_lsp.analysis.graph_boundary.limits import MAX_SCALARS, MAX_TENSORS
from pto_lsp.analysis.graph_boundary.region import Region, launch_of
from pto_lsp.analysis.graph_boundary.replay_invariant import ReplayInvariantSet
from pto_lsp.analysis.graph_boundary.report import note, on_function, on_param, report
from pto_lsp.analysis.graph_boundary.return_maps import ReturnMaps
from pto_lsp.analysis.ir.expressions import Var
from pto_lsp.analysis.ir.printer import print_expr
from pto_lsp.analysis.ir.program import Direction, Function, FunctionKind, Param
from pto_lsp.analysis.ir.statements import If
from pto_lsp.analysis.ir.types import ScalarType, UnknownType, is_scalar
from pto_lsp.analysis.ir.visitor import walk_block
from pto_lsp.analysis.passes.return_lineage import BodyLineage, first_return


def check_directions(graph: Function) -> list[Finding]:
    """D1, D2: scalars come in, tensors exist before the call."""
    found = []
    for param in graph.params:
        if isinstance(param.type, UnknownType) or param.direction is Direction.IN:
            continue
        wrapper = "pl.Out" if param.direction is Direction.OUT else "pl.InOut"
        if isinstance(param.type, ScalarType):
            message = (
                f"the scalar '{param.name}' of Graph '{graph.name}' is marked {wrapper}: a boundary scalar is passed "
                f"by value, nothing comes back. Remove the marker, or return the value through a tensor."
            )
            found.append(on_param("PTO406", graph, param, message, graph=graph.key, variable=param.name))
        elif param.direction is Direction.OUT:
            message = (
                f"'{param.name}' of Graph '{graph.name}' is marked pl.Out, which lets the runtime allocate it: replay "
                f"can only refresh a buffer that exists before the call. Mark it pl.InOut and create the tensor at the "
                f"call site."
            )
            found.append(on_param("PTO405", graph, param, message, graph=graph.key, variable=param.name))
    return found


def check_counts(graph: Function, appended: Iterable[Param]) -> list[Finding]:
    """D4–D6. Counts include what is hoisted; D4 looks at the declared parameters alone."""
    found = []
    if any(isinstance(p.type, UnknownType) for p in graph.params):
        return []
    declared = len(graph.params)
    everything = [*graph.params, *appended]
    tensors = [index for index, p in enumerate(everything) if not isinstance(p.type, ScalarType)]
    scalars = [index for index, p in enumerate(everything) if isinstance(p.type, ScalarType)]
    if not any(index < declared for index in tensors):
        message = (
            f"Graph '{graph.name}' has no tensor parameter: a replay refreshes the addresses of boundary tensors and "
            f"would have nothing to refresh."
        )
        found.append(on_function("PTO402", graph, message, graph=graph.key))
    for code, kind, members, limit in (
        ("PTO403", "tensors", tensors, MAX_TENSORS),
        ("PTO404", "scalars", scalars, MAX_SCALARS),
    ):
        if len(members) <= limit:
            continue
        own = sum(1 for index in members if index < declared)
        total = own if own > limit else len(members)
        split = f" ({own} declared, {total - own} hoisted)" if total > own else ""
        message = f"Graph '{graph.name}' has {total} boundary {kind}{split}; the runtime's limit is {limit}."
        found.append(on_function(code, graph, message, graph=graph.key, count=total, limit=limit))
    return found


def check_core_counts(region: Region, invariants: ReplayInvariantSet) -> list[Finding]:
    """L2, L3: the number of blocks of a launch is recorded, so only a literal will do."""
    graph = region.function
    found = []
    for entry in region.entries:
        launch = launch_of(entry.stmt)
        core_num = launch.options.core_num if launch is not None else None
        if core_num is None or invariants.literal(core_num) is not False:
            continue
        steady = " although it cannot change between calls" if invariants.holds(core_num) else ""
        message = (
            f"'{print_expr(core_num)}' decides how many blocks a task of Graph '{graph.name}' has: a recording keeps "
            f"the number of the first call, and the compiler only takes a literal here{steady}."
        )
        at = entry.stmt.at
        notes = cause_notes(region, invariants, core_num)
        found.append(report("PTO412", graph.name, at, core_num.span, message, graph.name, notes, graph=graph.key))
    return found


def check_nested_graphs(region: Region, maps: ReturnMaps) -> list[Finding]:
    """D7."""
    graph = region.function
    found = []
    for entry in region.entries:
        launch = launch_of(entry.stmt)
        callee = maps.function(launch.callee) if launch is not None else None
        if launch is None or callee is None or callee.kind is not FunctionKind.GRAPH:
            continue
        whom = "itself" if callee.key == graph.key else f"Graph '{callee.name}'"
        message = (
            f"Graph '{graph.name}' calls {whom}: the runtime cannot record a Graph while it records another. Call "
            f"'{callee.name}' from the orchestration, or make it an inline function."
        )
        notes = (note(callee.at, callee.name_span, f"'{callee.name}' is a Graph"),)
        found.append(
            report("PTO413", callee.name, entry.stmt.at, launch.span, message, graph.name, notes, graph=graph.key)
        )
    return found


def check_returns(region: Region, maps: ReturnMaps) -> list[Finding]:
    """D8: a Graph hands back nothing but its own parameters. Reads the first return statement."""
    graph = region.function
    stmt = first_return(graph)
    lineages = maps.lineage.of(graph.key)
    if stmt is None or lineages is None:
        return []
    values = stmt.values if len(stmt.values) == len(lineages) else (stmt.values[0],) * len(lineages)
    for value, lineage in zip(values, lineages):
        if lineage.param is None and not lineage.known:
            continue
        if lineage.param is not None and not (isinstance(value, Var) and _is_scalar_copy(graph, value)):
            continue
        label = region.shown(value) if isinstance(value, Var) else print_expr(value)
        notes: tuple[Note, ...] = ()
        joined = maps.joined(graph)
        buffer = joined.value(value).param
        if buffer is not None and lineage.param is None:
            message = (
                f"Graph '{graph.name}' returns '{label}' after a branch: the compiler does not follow a buffer through "
                f"'if', and sees in '{label}' no parameter any more. Launch what the branch launches always."
            )
            notes = _branches_through(graph, joined, buffer, label)
        else:
            message = (
                f"Graph '{graph.name}' returns '{label}', which is not one of its parameters: nothing can wait for a "
                f"Graph, so results only come back through its InOut tensors. Write it into one of them."
            )
            definition = region.definitions.get(value.name) if isinstance(value, Var) else None
            if definition is not None:
                notes = (note(definition.stmt.at, definition.var.span, f"'{label}' is made here"),)
        return [
            report(
                "PTO407",
                graph.name,
                stmt.at,
                stmt.span,
                message,
                graph.name,
                notes,
                graph=graph.key,
                variable=value.name if isinstance(value, Var) else "",
            )
        ]
    return []


def _branches_through(graph: Function, joined: BodyLineage, buffer: int, label: str) -> tuple[Note, ...]:
    """The first branch whose arms both hand on parameter ``buffer``."""
    for stmt in walk_block(graph.body or ()):
        if isinstance(stmt, If) and any(joined.value(phi.result).param == buffer for phi in stmt.phis):
            return (note(stmt.at, stmt.span, f"'{label}' goes through this branch"),)
    return ()


def _is_scalar_copy(graph: Function, value: Var) -> bool:
    """A returned scalar has to be a parameter literally; only tensors may be returned under another name."""
    return is_scalar(value.type) and graph.param_index(value.name) is None
