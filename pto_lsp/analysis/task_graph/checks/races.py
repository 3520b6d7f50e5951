"""Races: must-overlapping accesses that no path orders (TG101–TG110, TG112, TG118)."""

from __future__ import annotations

from collections.abc import Iterator

from pto_lsp.analysis.findings import Finding, Note
from pto_lsp.analysis.ir.expressions import Submit, Var
from pto_lsp.analysis.ir.place import Place, place
from pto_lsp.analysis.ir.statements import Assign, For, LoopKind, Unpack
from pto_lsp.analysis.task_graph.checks.naming import (
    argument_place,
    keyword_place,
    loop_name,
    loop_note,
    pair_names,
    place_key,
    task_name,
)
from pto_lsp.analysis.task_graph.graph import TaskGraph
from pto_lsp.analysis.task_graph.hazards import Hazard
from pto_lsp.analysis.task_graph.model import Loop, Site, Task
from pto_lsp.analysis.task_graph.regions import View
from pto_lsp.analysis.task_graph.touched import Touch


def check(graph: TaskGraph) -> Iterator[Finding]:
    """One finding per code, reporting place and tensor; the other tasks of several pairs become notes."""
    grouped: dict[tuple[object, ...], list[tuple[Hazard, Race]]] = {}
    for hazard in graph.races:
        race = classify(graph, hazard)
        if race is None:
            continue
        key = (race.code, place_key(race.where), race.subject)
        grouped.setdefault(key, []).append((hazard, race))
    for found in grouped.values():
        first = min(found, key=lambda item: ("RAW", "WAW", "WAR").index(item[0].kind))[1]
        notes: dict[tuple[object, ...], Note] = {}
        for race in [first, *(race for _, race in found)]:
            for note in race.notes:
                notes.setdefault((*place_key(note.place), note.message), note)
        yield Finding(first.code, first.subject, first.where, first.message, graph.function.name, tuple(notes.values()))
    yield from _probes(graph)


class Race:
    """A hazard with the rule it breaks."""

    __slots__ = ("code", "message", "notes", "subject", "where")

    def __init__(self, code: str, subject: str, where: Place, message: str, notes: tuple[Note, ...]) -> None:
        self.code = code
        self.subject = subject
        self.where = where
        self.message = message
        self.notes = notes


def classify(graph: TaskGraph, hazard: Hazard) -> Race | None:
    """Which rule a race breaks; None for one that another rule reports at its cause."""
    tasks = graph.walk.tasks
    a, b = hazard.first, hazard.second
    first, second = tasks[a.task], tasks[b.task]
    if a.write and a.argument.is_input:
        return None
    name = hazard.buffer.label
    notes = (_note(first, a), _note(second, b))
    if not first.manual and not second.manual:
        if _untracked(a) or _untracked(b):
            made = (Note(hazard.buffer.at, f"'{name}' is created with manual_dep=True"),) if hazard.buffer.at else ()
            one, two = pair_names(first.site, second.site)
            message = (
                f"'{name}' is manual_dep, so nothing orders {two} after {one}, which {_did(hazard)}: list its task id "
                "in deps="
            )
            return Race("PTO710", name, argument_place(second, b.argument), message, (*made, *notes))
        if a.argument.opted_out or b.argument.opted_out:
            return _opted_out(hazard, first, second, notes)
        return _tracked(hazard, first, second, notes)
    return _manual(graph, hazard, first, second, notes)


def _note(task: Task, touch: Touch) -> Note:
    word = "written" if touch.write else "read"
    # What happens inside of a kernel is the same in all its calls: there the argument says which of them it is.
    inside = touch.at is not None and touch.at.source is task.site.place.source
    return Note(
        touch.at if inside and touch.at is not None else argument_place(task, touch.argument),
        f"'{touch.buffer.label}' is {word} by '{task_name(task.site)}'",
    )


def _did(hazard: Hazard) -> str:
    return {"RAW": "writes what it reads", "WAW": "writes the same part", "WAR": "reads what it overwrites"}[
        hazard.kind
    ]


def _untracked(touch: Touch) -> bool:
    """The descriptor itself says so; a view of it would be tracked again (§6.6)."""
    return any(view.manual_dep for view in touch.argument.views)


def _opted_out(hazard: Hazard, first: Task, second: Task, notes: tuple[Note, ...]) -> Race:
    name = hazard.buffer.label
    a, b = hazard.first, hazard.second
    if hazard.kind == "RAW" and a.argument.opted_out and not b.argument.opted_out:
        message = (
            f"'{task_name(first.site)}' writes '{name}' with tracking off, so '{task_name(second.site)}' will not "
            "wait for "
            f"it although '{task_name(second.site)}' itself is tracked"
        )
        return Race("PTO709", name, _opt_out_place(first, a), message, notes)
    if b.argument.opted_out:
        task, touch, other, verb = second, b, first, "writes" if a.write else "reads"
    else:
        task, touch, other, verb = first, a, second, "writes" if b.write else "reads"
    message = (
        f"'{name}' is opted out on '{task_name(task.site)}', yet '{task_name(other.site)}' {verb} the same region: the "
        "removed edge was real"
    )
    return Race("PTO708", name, _opt_out_place(task, touch), message, notes)


def _opt_out_place(task: Task, touch: Touch) -> Place:
    options = getattr(task.site.call, "options", None)
    for entry in () if options is None else options.no_dep_args:
        if isinstance(entry, Var) and entry.label == touch.argument.label:
            return place(task.site.statement.at, entry.span)
    return argument_place(task, touch.argument)


def _tracked(hazard: Hazard, first: Task, second: Task, notes: tuple[Note, ...]) -> Race | None:
    name = hazard.buffer.label
    one, two = pair_names(first.site, second.site)
    where = argument_place(second, hazard.second.argument)
    loop = crossed_loop(first, second)
    if hazard.kind == "WAR":
        if loop is not None:
            message = (
                f"the next iteration of {loop_name(loop)} refills '{name}' in {two} while {one} of this iteration "
                "may "
                "still read it: nothing orders a write after a read"
            )
            made = () if hazard.buffer.at is None else (Note(hazard.buffer.at, f"'{name}' comes from here"),)
            return Race("PTO702", name, where, message, (loop_note(loop), *notes, *made))
        message = f"{two} overwrites '{name}' while {one} may still be reading it: nothing orders a write after a read"
        return Race("PTO701", name, where, message, notes)
    if hazard.kind == "WAW":
        if isinstance(loop, For) and loop.kind is LoopKind.PARALLEL:
            message = (
                f"iterations of {loop_name(loop)} write overlapping parts of '{name}' in {two}: parallel iterations "
                "are "
                "not ordered"
            )
            return Race("PTO704", name, where, message, (loop_note(loop), *notes))
        message = f"{one} and {two} both write the same part of '{name}' and nothing orders them"
        return Race("PTO703", name, where, message, notes)
    # A read without look-up is a read of an Out parameter, which PTO715 reports at its declaration.
    return None


def _manual(graph: TaskGraph, hazard: Hazard, first: Task, second: Task, notes: tuple[Note, ...]) -> Race:
    name = hazard.buffer.label
    one, two = pair_names(first.site, second.site)
    where = argument_place(second, hazard.second.argument)
    verb = {"RAW": "reads", "WAW": "rewrites", "WAR": "overwrites"}[hazard.kind]
    done = "read" if hazard.kind == "WAR" else "written"
    scope = second.site.scope or first.site.scope
    if scope is not None:
        notes = (Note(place(scope.at, scope.span), "edges are not inferred in this scope"), *notes)
    if first.manual and second.manual and first.site.scope is second.site.scope:
        rebound = _last_of_several(first.site, second)
        if rebound is not None:
            message = (
                f"'{rebound}' names only the last of several tasks that produced '{name}': {two} does not wait for "
                "the "
                "others"
            )
            bound = [s for s in graph.walk.sites if id_label(s) == rebound and s.statement.at.source is where.source]
            notes = (*notes, *[Note(each.place, f"'{rebound}' is bound here") for each in bound])
            return Race("PTO712", rebound, _wait_for(second, rebound) or where, message, notes)
        message = (
            f"{two} {verb} '{name}', {done} by {one}, but manual_scope infers nothing and no deps= leads from "
            f"{one} "
            f"to {two}"
        )
        return Race("PTO705", name, where, message, notes)
    if first.manual:
        message = f"'{name}' was {done} by {one} inside manual_scope, so {two} gets no inferred edge"
        return Race("PTO706", name, where, message, notes)
    message = f"{two} is in manual_scope: the wait for {one}, by which '{name}' is {done}, must be declared in deps="
    return Race("PTO707", name, where, message, notes)


def crossed_loop(first: Task, second: Task) -> Loop | None:
    """The outermost loop whose iterations the two tasks differ in."""
    for a, b in zip(first.iterations, second.iterations):
        if a.run != b.run:
            return None
        if a.ordinal != b.ordinal:
            return a.loop
    return None


def id_label(site: Site) -> str | None:
    """The name a launch binds its task id to."""
    statement = site.statement
    if not isinstance(site.call, Submit):
        return None
    if isinstance(statement, Unpack):
        return statement.targets[-1].label
    if isinstance(statement, Assign):
        return statement.target.label
    return None


def _last_of_several(producer: Site, consumer: Task) -> str | None:
    """The id name both the producer and an entry of the consumer have, where the entry means another task."""
    label = id_label(producer)
    for wait in consumer.waits:
        if isinstance(wait.expr, Var) and wait.expr.label == label and wait.array is None:
            return label
    return None


def _wait_for(task: Task, label: str) -> Place | None:
    for wait in task.waits:
        if isinstance(wait.expr, Var) and wait.expr.label == label:
            return place(task.site.statement.at, wait.expr.span)
    return None


def _probes(graph: TaskGraph) -> Iterator[Finding]:
    """TG118: a dump or a control-core read beside a racing pair."""
    seen: set[tuple[object, ...]] = set()
    tasks = graph.walk.tasks
    for hazard in graph.races:
        if classify(graph, hazard) is None:
            continue
        pair = [tasks[hazard.first.task], tasks[hazard.second.task]]
        notes = (_note(pair[0], hazard.first), _note(pair[1], hazard.second))
        found: list[tuple[Place, str]] = []
        for task in pair:
            keywords = getattr(getattr(task.site.call, "options", None), "keywords", ())
            if any(keyword.name == "dumps" for keyword in keywords):
                found.append((keyword_place(task.site, "dumps"), hazard.buffer.label))
        for access in graph.walk.control:
            between = pair[0].index < access.after <= pair[1].index
            if between and not access.write and _concerns(access.views, pair):
                found.append((access.place, access.views[0].buffer.label))
        for where, name in found:
            key = (place_key(where), name)
            if key in seen:
                continue
            seen.add(key)
            message = (
                f"dumping or reading '{name}' delays the schedule and can make this race disappear: it does not add "
                "the "
                "missing order"
            )
            yield Finding("PTO718", name, where, message, graph.function.name, notes)


def _concerns(views: tuple[View, ...], pair: list[Task]) -> bool:
    touched = {view.buffer for task in pair for argument in task.arguments for view in argument.views}
    return any(view.buffer in touched for view in views)
