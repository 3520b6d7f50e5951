"""Parameter directions that do not fit the body (TG115, TG209, TG219)."""

from __future__ import annotations

from collections.abc import Iterator

from pto_lsp.analysis.findings import Finding, Note
from pto_lsp.analysis.ir.expressions import Op, Var
from pto_lsp.analysis.ir.place import place
from pto_lsp.analysis.ir.program import Direction, Function, FunctionKind
from pto_lsp.analysis.ir.statements import Assign, Evaluate
from pto_lsp.analysis.ir.types import TensorType
from pto_lsp.analysis.ir.visitor import walk_block
from pto_lsp.analysis.task_graph.coverage import union_covers
from pto_lsp.analysis.task_graph.graph import Analyser, TaskGraph
from pto_lsp.analysis.task_graph.model import SiteKind
from pto_lsp.analysis.task_graph.regions import View, whole
from pto_lsp.analysis.task_graph.summaries import READS
from pto_lsp.analysis.task_graph.touched import Touch

KERNELS = (FunctionKind.INCORE, FunctionKind.AIC, FunctionKind.AIV)


def check_program(analyser: Analyser) -> Iterator[Finding]:
    """Every kernel the author wrote, whether or not somebody calls it."""
    for function in analyser.program.functions.values():
        if function.kind in KERNELS and not function.generated and function.body is not None and function.complete:
            yield from _kernel(analyser, function)


def _kernel(analyser: Analyser, function: Function) -> Iterator[Finding]:
    summary = analyser.summaries.of(function)
    for index, param in enumerate(function.params):
        if not isinstance(param.type, TensorType) or index in summary.vague:
            continue
        mine = [access for access in summary.accesses if access.param == index]
        where = place(param.at, param.span)
        name = param.name
        if param.direction is Direction.OUT:
            read = next((a for a in mine if not a.write and a.certain), None)
            if read is not None:
                message = (
                    f"'{name}' is declared Out, but '{function.name}' reads it before writing: callers will not wait "
                    "for "
                    "its previous value"
                )
                notes = (Note(read.at, f"'{name}' is read here"),)
                yield Finding("PTO715", name, where, message, function.name, notes)
        elif param.direction is Direction.INOUT and not param.type.distributed:
            writes = [access for access in mine if access.write]
            if (not writes and summary.plain) or _only_touched(function, name, len(writes)):
                message = (
                    f"'{name}' is declared InOut but '{function.name}' never changes it: tasks that only read it run "
                    "one "
                    "after another"
                )
                yield Finding("PTO819", name, where, message, function.name)
            elif writes and all(a.write and not a.atomic for a in mine) and _overwrites(analyser, function, index):
                message = (
                    f"'{name}' is declared InOut but '{function.name}' overwrites it without reading it: every call "
                    "waits "
                    "for its previous writer"
                )
                yield Finding("PTO809", name, where, message, function.name)


def _overwrites(analyser: Analyser, function: Function, index: int) -> bool:
    """The writes of the body surely cover the parameter."""
    boxes: list[View] = []
    target: View | None = None
    for region in analyser.summaries.regions(function).get(index, ()):
        target = whole(region.hull.buffer)
        if region.access.write and region.least is region.hull:
            boxes.append(region.hull)
    return target is not None and union_covers(boxes, target)


def _only_touched(function: Function, param: str, writes: int) -> bool:
    """The only store puts back, at the same place, the value that was just loaded from it."""
    if writes != 1 or function.body is None:
        return False
    loads: dict[str, Op] = {}
    for stmt in walk_block(function.body):
        if not isinstance(stmt, (Assign, Evaluate)) or not isinstance(stmt.value, Op):
            continue
        op = stmt.value
        if op.name in ("load", "tile.load") and isinstance(stmt, Assign) and _is(op, 0, param):
            loads[stmt.target.name] = op
        if op.name in ("store", "tile.store") and _is(op, 2, param):
            source = op.args[0]
            loaded = loads.get(source.name) if isinstance(source, Var) else None
            return loaded is not None and _same_constants(loaded, op)
    return False


def _is(op: Op, position: int, param: str) -> bool:
    arg = op.args[position] if position < len(op.args) else None
    return isinstance(arg, Var) and arg.name == param


def _same_constants(load: Op, store: Op) -> bool:
    a, b = getattr(load.args[1], "items", None), getattr(store.args[1], "items", None)
    if a is None or b is None or len(a) != len(b):
        return False
    return all(getattr(x, "value", object()) == getattr(y, "value", None) for x, y in zip(a, b))


def check(graph: TaskGraph) -> Iterator[Finding]:
    """TG209 for an entry, through all its launches."""
    function = graph.function
    if not graph.walk.exact or function.kind is not FunctionKind.ORCHESTRATION or graph.walk.control:
        return
    for param in function.params:
        view = graph.walk.parameters.get(param.name)
        if view is None or param.direction is not Direction.INOUT:
            continue
        if isinstance(param.type, TensorType) and param.type.distributed:
            continue
        effects = graph.conflicts.effects(view.buffer)
        if not effects or any(bits & READS for bits in effects.values()):
            continue
        tasks = list(effects)
        touches: list[Touch] = [t for _, mine in graph.conflicts.of_buffer(view.buffer) for t in mine]
        if any(_flagged(graph, task) for task in tasks):
            continue
        if any(graph.walk.tasks[task].site.kind is SiteKind.GRAPH for task in tasks):
            # The output of a Graph is InOut by rule.
            continue
        if union_covers([touch.least for touch in touches if touch.least is not None and touch.exact], view):
            message = (
                f"'{param.name}' is declared InOut but is never read before being written: its tasks are ordered after "
                "their previous writer"
            )
            yield Finding("PTO809", param.name, place(param.at, param.span), message, function.name)


def _flagged(graph: TaskGraph, task: int) -> bool:
    return graph.walk.tasks[task].gate is not None
