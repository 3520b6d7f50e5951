"""Task ids that do not stand for what the author meant (TG011–TG014, TG021, TG113, TG114, TG122, TG123)."""

from __future__ import annotations

from collections.abc import Iterator

from pto_lsp.analysis.findings import Finding, Note
from pto_lsp.analysis.ir.expressions import Op, Var
from pto_lsp.analysis.ir.place import Place, place
from pto_lsp.analysis.ir.statements import Assign, For, If, LoopKind, Scope, Stmt
from pto_lsp.analysis.ir.types import ScalarType, TensorType
from pto_lsp.analysis.task_graph.checks.naming import declared, loop_name, loop_note, place_key, task_name, wait_place
from pto_lsp.analysis.task_graph.checks.races import id_label
from pto_lsp.analysis.task_graph.graph import TaskGraph
from pto_lsp.analysis.task_graph.model import Site, Task, Wait
from pto_lsp.analysis.task_graph.scalars import Scalar, bounds
from pto_lsp.analysis.task_graph.scopes import Handles, escaped, in_manual, is_task_id, reads_at_run_time


def check(graph: TaskGraph) -> Iterator[Finding]:
    found = graph.handles
    yield from _slots(graph)
    yield from _carried_through_parallel(graph, found)
    for tasks in _instances(graph):
        site = tasks[0].site
        chain = found.statements.get(id(site.statement), ())
        for position, wait in enumerate(tasks[0].waits):
            expr = wait.expr
            if isinstance(expr, Var):
                yield from _wrong_type(graph, site, wait, expr)
                scope = escaped(expr, chain, found) if graph.function.complete and is_task_id(expr) else None
                if scope is not None:
                    yield _escaped(graph, site, wait, expr, scope)
                    continue
            waits = [task.waits[position] for task in tasks if position < len(task.waits)]
            yield from _empty(graph, site, waits, found)


def _instances(graph: TaskGraph) -> list[list[Task]]:
    """The tasks of each launch as it is written: unrolled and spliced copies count together."""
    found: dict[object, list[Task]] = {}
    for task in graph.walk.tasks:
        found.setdefault(place_key(task.site.place), []).append(task)
    return list(found.values())


def _wrong_type(graph: TaskGraph, site: Site, wait: Wait, expr: Var) -> Iterator[Finding]:
    """TG005."""
    type_ = expr.type
    what = ""
    if isinstance(type_, TensorType):
        what = "a tensor"
    elif isinstance(type_, ScalarType) and type_.dtype and not type_.is_task_id:
        what = f"a scalar of type {type_.dtype}"
    if what:
        message = f"'{expr.label}' in deps= of '{task_name(site)}' is {what}, not a task id"
        notes = _bound(graph, expr.name, expr.label)
        yield Finding("PTO605", expr.label, wait_place(site, wait), message, graph.function.name, notes)


def _bound(graph: TaskGraph, name: str, label: str) -> tuple[Note, ...]:
    """Where a name gets its value; where it is declared for a parameter."""
    found = graph.handles.definitions.get(name)
    if found is None:
        return declared(graph.function, name)
    return (Note(place(found.at, found.span), f"'{label}' is bound here"),)


def _escaped(graph: TaskGraph, site: Site, wait: Wait, expr: Var, scope: Stmt) -> Finding:
    word = "branch" if isinstance(scope, If) else "scope" if isinstance(scope, Scope) else "loop"
    message = f"'{expr.label}' belongs to a {word} that has ended: '{task_name(site)}' cannot wait for it"
    notes = (Note(place(scope.at, scope.span), f"the {word} it is bound in"),)
    return Finding("PTO611", expr.label, wait_place(site, wait), message, graph.function.name, notes)


def _carried_through_parallel(graph: TaskGraph, found: Handles) -> Iterator[Finding]:
    """TG012."""
    for loop, carry in found.inner.values():
        if not isinstance(loop, For) or loop.kind is not LoopKind.PARALLEL or not is_task_id(carry.inner):
            continue
        if not in_manual(found.statements.get(id(loop), ())) or isinstance(graph.walk.trips.get(loop), int):
            continue
        if any(reads_at_run_time(bound, found) for bound in (loop.start, loop.stop, loop.step)):
            name = carry.inner.label
            message = (
                f"'{name}' carried through pl.parallel is kept for every iteration, so the trip count has to be known "
                "at "
                "compile time"
            )
            where = place(loop.at, loop.span)
            yield Finding("PTO612", name, where, message, graph.function.name)


def _slots(graph: TaskGraph) -> Iterator[Finding]:
    """TG021."""
    for error in graph.walk.slots:
        array = error.array
        message = f"'{array.label}' has {array.extent} slots: index {_shown(error.index)} is outside"
        around = [site.loops for site in graph.walk.sites if _after(site, error.place)]
        notes = [Note(array.at, f"'{array.label}' is created here")]
        notes += [loop_note(loop) for loop in (around[-1] if around else ())]
        yield Finding("PTO621", array.label, error.place, message, graph.function.name, tuple(notes))


def _after(site: Site, where: Place) -> bool:
    """The launch stands before a place of its function, in the text."""
    at = site.statement.at
    return at.source is where.source and at.offset <= where.anchor.offset


def _shown(index: Scalar) -> str:
    low, high = bounds(index)
    if low is not None and low == high:
        return str(low)
    return f"up to {high}" if high is not None else f"from {low}"


def _empty(graph: TaskGraph, site: Site, waits: list[Wait], found: Handles) -> Iterator[Finding]:
    """TG113, TG114, TG122, TG123: entries that hold fewer tasks than they seem to."""
    expr = waits[0].expr
    ids = [each for wait in waits for each in wait.ids]
    if any(each.open for each in ids):
        return
    holds = any(each.tasks for each in ids)
    array = waits[0].array
    if array is not None:
        yield from _partly(graph, site, waits, holds)
        return
    if isinstance(expr, Var) and holds and expr.name not in found.inner:
        # A real task from before the loop is no better than none: it is never the one of the iteration before.
        binding = _bound_later(graph, site, expr)
        if binding is not None:
            yield from _not_carried(graph, site, waits[0], expr, binding)
    if holds:
        return
    if isinstance(expr, Var):
        carried = found.inner.get(expr.name)
        if carried is not None and isinstance(carried[0], For) and carried[0].kind is LoopKind.PARALLEL:
            message = (
                f"inside {loop_name(carried[0])} '{expr.label}' is the value from before the loop in every iteration: "
                "iterations do not wait for each other"
            )
            seed = carried[1].init
            before = _bound(graph, seed.name, seed.label) if isinstance(seed, Var) else ()
            notes = (loop_note(carried[0]), *before)
            yield Finding("PTO723", expr.label, wait_place(site, waits[0]), message, graph.function.name, notes)
            return
        binding = _bound_later(graph, site, expr)
        if binding is not None:
            yield from _not_carried(graph, site, waits[0], expr, binding)
            return
        name, made = expr.label, _bound(graph, expr.name, expr.label)
    elif isinstance(expr, Op) and expr.args and isinstance(expr.args[0], Var):
        name, made = expr.args[0].label, _created(graph, expr.args[0])
    else:
        return
    message = f"'{name}' never holds a task here, so this wait of '{task_name(site)}' has no effect"
    yield Finding("PTO714", name, wait_place(site, waits[0]), message, graph.function.name, made)


def _created(graph: TaskGraph, array: Var) -> tuple[Note, ...]:
    """Where the array is made that a name stands for after some stores and loops."""
    name = array.name
    for _ in range(32):
        carried = graph.handles.inner.get(name) or graph.handles.results.get(name)
        found = graph.handles.definitions.get(name)
        source = carried[1].init if carried is not None else None
        if source is None and isinstance(found, Assign) and isinstance(found.value, Op):
            if found.value.name == "array.create":
                return (Note(place(found.at, found.span), f"'{array.label}' is created here"),)
            source = found.value.args[0] if found.value.args else None
        if not isinstance(source, Var):
            return ()
        name = source.name
    return ()


def _partly(graph: TaskGraph, site: Site, waits: list[Wait], holds: bool) -> Iterator[Finding]:
    array = waits[0].array
    assert array is not None
    name = array.label
    if not holds:
        message = f"'{name}' never holds a task here, so this wait of '{task_name(site)}' has no effect"
        notes = (Note(array.at, f"'{name}' is created here"),)
        yield Finding("PTO714", name, wait_place(site, waits[0]), message, graph.function.name, notes)
        return
    filled: set[int] = set()
    for wait in waits:
        for store in wait.array.stores if wait.array is not None else ():
            if not isinstance(store.index, int) or store.weak:
                return
            if store.value.tasks:
                filled.add(store.index)
    if array.extent is not None and len(filled) < array.extent:
        message = (
            f"'{name}' has {array.extent} slots but only {len(filled)} are assigned before '{task_name(site)}' waits "
            "for "
            "it: empty slots are skipped silently"
        )
        notes = (Note(array.at, f"'{name}' is created here"),)
        yield Finding("PTO713", name, wait_place(site, waits[0]), message, graph.function.name, notes)


def _bound_later(graph: TaskGraph, site: Site, expr: Var) -> Site | None:
    """The region of an enclosing loop that binds the entry's name with ``as`` at or after this launch (§8.12a)."""
    outer = graph.handles.chains.get(expr.name, ())
    enclosing = {id(stmt) for stmt, _ in outer}
    for other in graph.walk.sites[site.index :]:
        shared = [loop for loop in site.loops if loop in other.loops and id(loop) not in enclosing]
        if shared and other.callee is not None and other.callee.generated and id_label(other) == expr.label:
            return other
    return None


def _not_carried(graph: TaskGraph, site: Site, wait: Wait, expr: Var, binding: Site) -> Iterator[Finding]:
    """TG122, unless something else orders the iterations all the same."""
    tasks = graph.walk.tasks
    loop = next(loop for loop in site.loops if loop in binding.loops)
    for early in tasks:
        for late in tasks[early.index + 1 :] if early.site is binding else ():
            if late.site is site:
                if graph.edges.precedes(early.index, late.index):
                    return
                break
    message = (
        f"'as {expr.label}' makes a new id in each iteration: deps=[{expr.label}] of '{task_name(site)}' always means "
        "the "
        f"'{expr.label}' from before the loop, so the previous iteration is never waited for"
    )
    inner = Note(binding.place, f"'{expr.label}' is bound here, for the rest of this iteration only")
    notes = (inner, loop_note(loop), *_bound(graph, expr.name, expr.label))
    yield Finding("PTO722", expr.label, wait_place(site, wait), message, graph.function.name, notes)
