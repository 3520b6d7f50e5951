"""Control-core reads and writes, guards, and names of parameters (TG004, TG111, TG116, TG117, TG119–TG121, TG210)."""

from __future__ import annotations

from collections.abc import Iterator

from pto_lsp.analysis.findings import Finding, Note
from pto_lsp.analysis.ir.expressions import Const, Expr, ListExpr, Op, Var
from pto_lsp.analysis.ir.place import place
from pto_lsp.analysis.ir.program import Direction, FunctionKind, Param
from pto_lsp.analysis.ir.statements import Assign
from pto_lsp.analysis.ir.types import TensorType
from pto_lsp.analysis.task_graph.checks.naming import argument_place, keyword_place, pair_names, place_key, task_name
from pto_lsp.analysis.task_graph.edges import Stall, exclusive
from pto_lsp.analysis.task_graph.graph import TaskGraph
from pto_lsp.analysis.task_graph.hazards import Conflicts
from pto_lsp.analysis.task_graph.model import ControlAccess, Task
from pto_lsp.analysis.task_graph.regions import ALLOCATION, Overlap, View, compare, sub_view
from pto_lsp.analysis.task_graph.summaries import READS, SURELY_READS, SURELY_WRITES
from pto_lsp.analysis.task_graph.touched import Touch


def check(graph: TaskGraph) -> Iterator[Finding]:
    for stall in graph.edges.stalls:
        if stall.access.write:
            yield from _write(graph, stall)
        else:
            yield from _read(graph, stall)
    yield from _guards(graph)
    yield from _views_of_untracked(graph)
    yield from _parameters(graph)


def _element(access: ControlAccess) -> View | None:
    """The element that is accessed, as a view."""
    if len(access.views) != 1 or len(access.op.args) < 2:
        return None
    index = access.op.args[1]
    view = access.views[0]
    if not isinstance(index, ListExpr) or view.shape is None or len(index.items) != len(view.shape):
        return view if view.shape is not None else None
    offsets = [item.value for item in index.items if isinstance(item, Const) and type(item.value) is int]
    if len(offsets) != len(index.items):
        return view
    return sub_view(view, tuple(offsets), (1,) * len(offsets), view.label)


def _earlier(conflicts: Conflicts, access: ControlAccess, write: bool) -> Iterator[tuple[int, Touch]]:
    """Accesses of the same element by tasks submitted before, that surely happen."""
    element = _element(access)
    if element is None:
        return
    wanted = SURELY_WRITES if write else SURELY_READS
    for task, bits in conflicts.effects(element.buffer).items():
        if task >= access.after:
            break
        if not bits & wanted or exclusive(conflicts.walk.tasks[task].arms, access.arms):
            continue
        for touch in conflicts.of_task(task, element.buffer):
            if touch.write == write and touch.least is not None and compare(touch.least, element) is Overlap.MUST:
                yield task, touch
                break


def _read(graph: TaskGraph, stall: Stall) -> Iterator[Finding]:
    """TG119, TG210."""
    access = stall.access
    if len(access.views) != 1:
        return
    name = access.views[0].buffer.label
    for task, touch in _earlier(graph.conflicts, access, True):
        writer = graph.walk.tasks[task]
        off = writer.manual or touch.argument.opted_out or any(view.manual_dep for view in touch.argument.views)
        if off and not stall.before >> task & 1:
            message = (
                f"'{name}' was written by '{task_name(writer.site)}' with tracking off: this read does not wait for it"
            )
            notes = (Note(writer.site.place, f"'{name}' is written here"),)
            yield Finding("PTO719", name, access.place, message, graph.function.name, notes)
            return
    waits = [graph.walk.tasks[task] for task in stall.waits]
    sure = [task for task, _ in _earlier(graph.conflicts, access, True) if task in stall.waits]
    if waits and sure:
        writer = graph.walk.tasks[sure[-1]]
        message = (
            f"reading '{name}' here stops submission until '{task_name(writer.site)}' and all it waits for have "
            "finished"
        )
        notes = (Note(writer.site.place, f"'{name}' is written here"),)
        yield Finding("PTO810", name, access.place, message, graph.function.name, notes)


def _write(graph: TaskGraph, stall: Stall) -> Iterator[Finding]:
    """TG117."""
    access = stall.access
    if len(access.views) != 1:
        return
    buffer = access.views[0].buffer
    for task, touch in _earlier(graph.conflicts, access, False):
        if stall.before >> task & 1:
            continue
        reader = graph.walk.tasks[task]
        message = (
            f"the control core may overwrite '{buffer.label}' while '{task_name(reader.site)}' is still reading it"
        )
        notes = [Note(reader.site.place, f"'{task_name(reader.site)}' reads '{buffer.label}'")]
        if touch.at is not None and touch.at.anchor is not reader.site.place.anchor:
            notes.append(Note(touch.at, f"'{buffer.label}' is read here"))
        yield Finding("PTO717", buffer.label, access.place, message, graph.function.name, tuple(notes))
        return


def _guards(graph: TaskGraph) -> Iterator[Finding]:
    """TG004 and TG116."""
    seen: set[object] = set()
    for task in graph.walk.tasks:
        if task.gate is None:
            continue
        for finding in (_unordered_gate(graph, task), _skipped(graph, task)):
            if finding is not None and (finding.code, place_key(finding.place)) not in seen:
                seen.add((finding.code, place_key(finding.place)))
                yield finding


def gate_writers(graph: TaskGraph, task: Task) -> Iterator[tuple[Task, View]]:
    """Earlier tasks that surely write the element the guard of ``task`` reads, without any path to it (TG004)."""
    if task.gate is None:
        return
    view, index = task.gate
    element = view
    if view.shape is not None and len(index) == len(view.shape) and all(isinstance(i, int) for i in index):
        element = sub_view(view, tuple(i for i in index if i is not None), (1,) * len(index), view.label)
    for other, bits in graph.conflicts.effects(view.buffer).items():
        if other >= task.index:
            break
        if not bits & SURELY_WRITES:
            continue
        writer = graph.walk.tasks[other]
        if graph.edges.may_precede(other, task.index) or exclusive(writer.arms, task.arms):
            continue
        for touch in graph.conflicts.of_task(other, view.buffer):
            if touch.write and touch.least is not None and compare(touch.least, element) is Overlap.MUST:
                yield writer, view
                break


def _unordered_gate(graph: TaskGraph, task: Task) -> Finding | None:
    for writer, view in gate_writers(graph, task):
        name = view.buffer.label
        message = (
            f"the guard of '{task_name(task.site)}' reads '{name}', written by '{task_name(writer.site)}', but "
            f"'{task_name(task.site)}' does not wait for it"
        )
        notes = (Note(writer.site.place, f"'{name}' is written here"),)
        where = keyword_place(task.site, "predicate")
        return Finding("PTO604", name, where, message, graph.function.name, notes)
    return None


def _guard_key(task: Task) -> object:
    options = getattr(task.site.call, "options", None)
    predicate = None if options is None else options.predicate
    if task.gate is None or predicate is None:
        return None
    sides = (predicate.left, predicate.right)
    literal = next((side.value for side in sides if isinstance(side, Const)), None)
    return (task.gate[0].buffer, task.gate[1], predicate.op, literal, isinstance(predicate.left, Const))


def _skipped(graph: TaskGraph, task: Task) -> Finding | None:
    """TG116: a later reader without the guard, and nobody wrote the region before."""
    for mine in graph.conflicts.of(task.index):
        buffer = mine.buffer
        if not mine.write or mine.least is None or buffer.direction in (Direction.IN, Direction.INOUT):
            continue
        if buffer.owner not in (None, ALLOCATION) and buffer.owner != task.index:
            continue
        entries = graph.conflicts.of_buffer(buffer)
        others = [(index, touches) for index, touches in entries if index != task.index]
        if any(_may_write(touches, mine) for index, touches in others if index < task.index):
            continue
        for index, touches in others:
            reader = graph.walk.tasks[index]
            if index < task.index:
                continue
            if any(
                not touch.write and touch.least is not None and compare(touch.least, mine.least) is Overlap.MUST
                for touch in touches
            ) and _guard_key(reader) != _guard_key(task):
                name = buffer.label
                one, two = pair_names(task.site, reader.site)
                message = f"{one} may be skipped: {two} still runs and would read whatever '{name}' held before"
                notes = (Note(argument_place(reader, touches[0].argument), f"'{name}' is read here"),)
                where = keyword_place(task.site, "predicate")
                return Finding("PTO716", name, where, message, graph.function.name, notes)
            if _may_write(touches, mine):
                break
    return None


def _may_write(touches: list[Touch], region: Touch) -> bool:
    return any(touch.write and compare(touch.hull, region.hull) is not Overlap.MUST_NOT for touch in touches)


def _views_of_untracked(graph: TaskGraph) -> Iterator[Finding]:
    """TG111."""
    seen: set[object] = set()
    for task in graph.walk.tasks:
        if task.manual:
            continue
        for argument in task.arguments:
            if argument.opted_out or not argument.views:
                continue
            if not all(view.buffer.manual_dep and not view.manual_dep for view in argument.views):
                continue
            where = argument_place(task, argument)
            definition = _definition(graph, argument.expr)
            if definition is not None:
                where = place(definition.at, definition.span)
            if place_key(where) in seen:
                continue
            seen.add(place_key(where))
            buffer = argument.views[0].buffer
            label = argument.expr.label if isinstance(argument.expr, Var) else "the argument"
            message = f"'{label}' is a view of '{buffer.label}', which is manual_dep: the view is tracked again"
            notes = (Note(buffer.at, f"'{buffer.label}' is created here"),) if buffer.at is not None else ()
            yield Finding("PTO711", label, where, message, graph.function.name, notes)


def _definition(graph: TaskGraph, expr: Expr) -> Assign | None:
    """The view operator behind a name."""
    for _ in range(16):
        if not isinstance(expr, Var):
            return None
        inner = graph.handles.inner.get(expr.name)
        if inner is not None:
            expr = inner[1].init
            continue
        found = graph.handles.definitions.get(expr.name)
        if not isinstance(found, Assign):
            return None
        if isinstance(found.value, Op):
            return found
        expr = found.value
    return None


def _distributed(param: Param) -> bool:
    """A window shared between devices: what is written there is for the others, not for the host."""
    return isinstance(param.type, TensorType) and param.type.distributed


def _parameters(graph: TaskGraph) -> Iterator[Finding]:
    """TG120 and TG121."""
    function = graph.function
    if function.kind is not FunctionKind.ORCHESTRATION:
        return
    for param in function.params:
        view = graph.walk.parameters.get(param.name)
        if view is None or param.direction is not Direction.IN or _distributed(param):
            continue
        for task, bits in graph.conflicts.effects(view.buffer).items():
            if not bits & SURELY_WRITES:
                continue
            touches = graph.conflicts.of_task(task, view.buffer)
            write = next((t for t in touches if t.write and t.least is not None and not t.unchanged), None)
            if write is None:
                continue
            site = graph.walk.tasks[task].site
            message = (
                f"'{param.name}' is written by '{task_name(site)}' but declared input-only: the host gets no copy back"
            )
            notes = (Note(write.at or site.place, f"'{param.name}' is written here"),)
            where = place(param.at, param.span)
            reads = any(bits & READS for bits in graph.conflicts.effects(view.buffer).values())
            data = (("direction", "InOut" if reads else "Out"),)
            yield Finding("PTO720", param.name, where, message, function.name, notes, data)
            break
    for rebound in graph.walk.rebound:
        name = rebound.param
        message = f"this only renames '{name}': no task writes the caller's buffer"
        param = next(p for p in function.params if p.name == name)
        notes = (Note(place(param.at, param.span), f"'{name}' is the caller's buffer"),)
        yield Finding("PTO721", name, rebound.place, message, function.name, notes)
