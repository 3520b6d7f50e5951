"""Orders that no data needs (TG205–TG208, TG218), and tasks that are too many or for nothing (TG214, TG215)."""

from __future__ import annotations

from collections.abc import Iterator

from pto_lsp.analysis.findings import Finding, Note
from pto_lsp.analysis.ir.place import Place, place
from pto_lsp.analysis.ir.statements import For, LoopKind, Scope
from pto_lsp.analysis.task_graph.checks.naming import (
    argument_place,
    loop_name,
    loop_note,
    place_key,
    task_name,
)
from pto_lsp.analysis.task_graph.edges import Edge, Source
from pto_lsp.analysis.task_graph.graph import TaskGraph
from pto_lsp.analysis.task_graph.model import Argument, Loop, Site, SiteKind, Task
from pto_lsp.analysis.task_graph.regions import ALLOCATION, Buffer, Overlap, covers_buffer
from pto_lsp.analysis.task_graph.sites import is_sequential
from pto_lsp.analysis.task_graph.summaries import READS, WRITES

RING = 16384


def check(graph: TaskGraph) -> Iterator[Finding]:
    yield from _chains(graph)
    yield from _scratch(graph)
    yield from _window(graph)
    yield from _dead(graph)


def _neighbours(graph: TaskGraph) -> Iterator[tuple[Task, Task, Loop]]:
    """Consecutive instances of one site with the loop whose next iteration the second is in."""
    last: dict[Site, Task] = {}
    for task in graph.walk.tasks:
        previous = last.get(task.site)
        last[task.site] = task
        if previous is None:
            continue
        for a, b in zip(previous.iterations, task.iterations):
            if a.run != b.run:
                break
            if a.ordinal != b.ordinal:
                yield previous, task, a.loop
                break


def _chains(graph: TaskGraph) -> Iterator[Finding]:
    seen: set[object] = set()
    for first, second, loop in _neighbours(graph):
        reasons = graph.pairs.get((first.index, second.index), ())
        if not reasons:
            continue
        inferred = [edge for edge in reasons if edge.source is Source.TENSORMAP and edge.certain]
        if len(inferred) != len(reasons):
            continue
        verdicts = [_needed(graph, first, second, edge) for edge in inferred]
        if any(word == "" for word in verdicts) or _otherwise(graph, first, second):
            continue
        for edge, word in zip(inferred, verdicts):
            argument, buffer = edge.argument, edge.buffer
            if argument is None or buffer is None:
                continue
            key = (place_key(second.site.place), buffer.label)
            if key not in seen:
                seen.add(key)
                yield _chain(graph, first, second, loop, argument, buffer, word)


def _needed(graph: TaskGraph, first: Task, second: Task, edge: Edge) -> str:
    """The word "disjoint" or "atomic" when the data does not need the edge, "" when it does or may."""
    if edge.buffer is None:
        return ""
    a, b = graph.conflicts.of_task(first.index, edge.buffer), graph.conflicts.of_task(second.index, edge.buffer)
    if not a or not b:
        return ""
    if all(touch.atomic for touch in (*a, *b)):
        return "atomic"
    verdict = graph.conflicts.verdict(first.index, second.index, edge.buffer)
    return "disjoint" if verdict is Overlap.MUST_NOT else ""


def _otherwise(graph: TaskGraph, first: Task, second: Task) -> bool:
    """Another path orders the two, so the false edge costs nothing."""
    before = graph.edges.before
    return any(pred != first.index and before[pred] >> first.index & 1 for pred in graph.predecessors[second.index])


def _chain(
    graph: TaskGraph, first: Task, second: Task, loop: Loop, argument: Argument, buffer: Buffer, word: str
) -> Finding:
    name, task = buffer.label, task_name(second.site)
    where = argument_place(second, argument)
    notes = [loop_note(inner) for inner in second.site.loops]
    for touch in graph.conflicts.of_task(second.index, buffer):
        if touch.write and touch.at is not None:
            notes.append(Note(touch.at, f"'{name}' is written here"))
            break
    kinds = {is_sequential(each) for each in second.site.loops}
    if word == "atomic":
        message = (
            f"each iteration accumulates into '{name}' in '{task}': as separate tasks they run one by one, one pl.spmd "
            "launch would let the atomics overlap"
        )
        code = "PTO808"
    elif argument.why.startswith("R-seq") and kinds == {True, False}:
        message = (
            f"a sequential loop in the nest makes '{name}' read-write in '{task}', so all its tasks chain and "
            "pl.parallel "
            "has no effect"
        )
        code = "PTO806"
    elif argument.why.startswith("R-prior") and not is_sequential(loop):
        message = f"'{task}' rewrites '{name}', which an earlier task wrote: its iterations now run one after another"
        code = "PTO807"
        earlier = next((t for t in graph.walk.tasks if _writes_first(graph, t, buffer)), None)
        if earlier is not None and earlier.site is not second.site:
            notes.append(Note(earlier.site.place, f"'{name}' is written here first"))
    else:
        message = (
            f"iterations of {loop_name(loop)} write disjoint parts of '{name}' in '{task}' but run one after another, "
            f"because the whole '{name}' is the argument"
        )
        code = "PTO805"
    return Finding(code, name, where, message, graph.function.name, tuple(notes))


def _writes_first(graph: TaskGraph, task: Task, buffer: Buffer) -> bool:
    return bool(graph.conflicts.effects(buffer).get(task.index, 0) & WRITES)


def _scratch(graph: TaskGraph) -> Iterator[Finding]:
    """TG218: iterations that share nothing but buffers each of them fills anew."""
    tasks = graph.walk.tasks
    runs: dict[tuple[int, Loop], dict[int, list[Task]]] = {}
    for task in tasks:
        for iteration in task.iterations:
            runs.setdefault((iteration.run, iteration.loop), {}).setdefault(iteration.ordinal, []).append(task)
    seen: set[object] = set()
    for (_, loop), iterations in runs.items():
        if len(iterations) < 2 or not isinstance(loop, For) or loop.kind is LoopKind.UNROLL:
            continue
        start = next((ordinal for ordinal in sorted(iterations) if ordinal + 1 in iterations), None)
        if start is None:
            continue
        first, second = iterations[start], iterations[start + 1]
        scratch = [buffer for buffer in _shared(first, second) if refilled(graph, buffer, first)]
        if not scratch or not _independent(graph, first, second, scratch):
            continue
        for buffer in scratch:
            edge = _crossing(graph, first, second, buffer)
            if edge is None or edge.argument is None:
                continue
            writer = tasks[edge.succ]
            key = (place_key(writer.site.place), buffer.label)
            if key in seen:
                continue
            seen.add(key)
            message = (
                f"iterations of {loop_name(loop)} are independent except for '{buffer.label}': allocate it per "
                "iteration "
                "to let them overlap"
            )
            notes = [loop_note(loop)]
            if buffer.at is not None:
                notes.append(Note(buffer.at, f"'{buffer.label}' is created here"))
            where = argument_place(writer, edge.argument)
            yield Finding("PTO818", buffer.label, where, message, graph.function.name, tuple(notes))


def _shared(first: list[Task], second: list[Task]) -> list[Buffer]:
    mine = {view.buffer: None for task in first for argument in task.arguments for view in argument.views}
    theirs = {view.buffer for task in second for argument in task.arguments for view in argument.views}
    return [buffer for buffer in mine if buffer in theirs and buffer.owner == ALLOCATION]


def refilled(graph: TaskGraph, buffer: Buffer, iteration: list[Task]) -> bool:
    """The iteration overwrites all of ``buffer`` before it reads it, and does read it."""
    filled = read = False
    for task in iteration:
        for touch in graph.conflicts.of_task(task.index, buffer):
            if not touch.write:
                if not filled:
                    return False
                read = True
            elif touch.least is not None and not touch.atomic and covers_buffer(touch.least):
                filled = True
    return filled and read


def _independent(graph: TaskGraph, first: list[Task], second: list[Task], scratch: list[Buffer]) -> bool:
    """Nothing but ``scratch`` is needed from one iteration to the next."""
    later = {task.index for task in second}
    for task in first:
        for succ in graph.successors[task.index]:
            if succ not in later:
                continue
            for edge in graph.pairs[(task.index, succ)]:
                if edge.buffer in scratch:
                    continue
                if edge.source is not Source.TENSORMAP or edge.buffer is None:
                    return False
                if graph.conflicts.verdict(task.index, succ, edge.buffer) is not Overlap.MUST_NOT:
                    return False
    return True


def _crossing(graph: TaskGraph, first: list[Task], second: list[Task], buffer: Buffer) -> Edge | None:
    later = {task.index for task in second}
    for task in first:
        for succ in graph.successors[task.index]:
            if succ in later:
                for edge in graph.pairs[(task.index, succ)]:
                    if edge.buffer is buffer:
                        return edge
    return None


def _window(graph: TaskGraph) -> Iterator[Finding]:
    """TG214: tasks owned by one scope before it closes."""
    counts: dict[object, tuple[int, Place, list[Loop]]] = {}
    function = graph.function
    for site in graph.walk.sites:
        manual = site.scope
        chain = graph.handles.statements.get(id(site.statement), ())
        owner: object = function
        where = place(function.at, function.name_span)
        inside = list(site.loops)
        if manual is not None:
            owner, where = manual, place(manual.at, manual.span)
            outside = {id(stmt) for stmt, _ in graph.handles.statements.get(id(manual), ())}
            inside = [loop for loop in site.loops if id(loop) not in outside]
        elif chain and function.auto_scope:
            # Every loop body and every branch is a scope of its own.
            continue
        elif any(isinstance(stmt, Scope) for stmt, _ in chain):
            continue
        total = 1
        for loop in inside:
            trips = graph.walk.trips.get(loop)
            if not isinstance(trips, int):
                total = 0
                break
            total *= trips
        old = counts.get(owner, (0, where, []))
        counts[owner] = (old[0] + total, where, old[2] + inside)
    for total, where, loops in counts.values():
        if total >= RING - 1:
            message = (
                f"this scope of '{function.name}' submits {total} tasks before it can close: the ring holds {RING}, "
                "submission would stop for ever"
            )
            notes = tuple(loop_note(loop) for loop in dict.fromkeys(loops))
            yield Finding("PTO814", function.name, where, message, function.name, notes)


def _dead(graph: TaskGraph) -> Iterator[Finding]:
    """TG215."""
    walk = graph.walk
    if walk.unknown or walk.truncated:
        return
    alive: set[Buffer] = {view.buffer for view in walk.returned}
    alive |= {view.buffer for access in walk.control for view in access.views}
    alive |= {task.gate[0].buffer for task in walk.tasks if task.gate is not None}
    readers: dict[Buffer, set[Site]] = {}
    written: dict[Site, dict[Buffer, None]] = {}
    for buffer, effects in graph.conflicts.buffers.items():
        for index, bits in effects.items():
            site = walk.tasks[index].site
            if bits & READS:
                readers.setdefault(buffer, set()).add(site)
            if bits & WRITES:
                written.setdefault(site, {})[buffer] = None
    waited = {edge.pred for edge in graph.edges.edges if edge.source is Source.EXPLICIT}
    instances: dict[Site, list[Task]] = {}
    for task in walk.tasks:
        instances.setdefault(task.site, []).append(task)
    for site, tasks in instances.items():
        callee = site.callee
        if callee is None or site.kind is SiteKind.GRAPH or any(task.index in waited for task in tasks):
            continue
        if not graph.summaries.of(callee).plain:
            continue
        inlined = site.statement.at.inlined_at is not None
        buffers = written.get(site)
        if not buffers or any(buffer.owner is None or buffer in alive for buffer in buffers):
            continue
        if any(readers.get(buffer, set()) - {site} for buffer in buffers):
            continue
        if inlined and any(b.at is None or b.at.source is not site.place.source for b in buffers):
            # Another caller of the helper may read what this one throws away.
            continue
        name = next(iter(buffers)).label
        message = f"nothing reads '{name}', which '{task_name(site)}' produces"
        made = next(iter(buffers)).at
        notes = (Note(made, f"'{name}' is created here"),) if made is not None else ()
        yield Finding("PTO815", name, site.place, message, graph.function.name, notes)
