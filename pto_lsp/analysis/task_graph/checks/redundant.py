"""Declared waits and ids that add nothing (TG201–TG204, TG211–TG213, TG216, TG217)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from pto_lsp.analysis.findings import Finding, Note
from pto_lsp.analysis.ir.expressions import Const, Expr, Op, Submit, Var
from pto_lsp.analysis.ir.place import Place, place
from pto_lsp.analysis.ir.program import FunctionKind
from pto_lsp.analysis.ir.statements import Scope
from pto_lsp.analysis.ir.types import TensorType
from pto_lsp.analysis.task_graph.checks.naming import (
    in_site,
    keyword_place,
    loop_note,
    place_key,
    task_name,
    wait_place,
)
from pto_lsp.analysis.task_graph.edges import Source, infer
from pto_lsp.analysis.task_graph.graph import TaskGraph
from pto_lsp.analysis.task_graph.model import Argument, Site, SiteKind, Task, Wait
from pto_lsp.analysis.task_graph.regions import Buffer, View
from pto_lsp.analysis.task_graph.scopes import in_manual, is_task_id

SCOPE_LIMIT = 8


def check(graph: TaskGraph) -> Iterator[Finding]:
    instances: dict[Site, list[Task]] = {}
    for task in graph.walk.tasks:
        instances.setdefault(task.site, []).append(task)
    for site, tasks in instances.items():
        yield from _entries(graph, site, tasks)
        yield from _all_to_all(graph, site, tasks)
        if site.kind is SiteKind.DUMMY:
            yield from _dummy(graph, site, tasks)
        else:
            yield from _early(graph, site, tasks)
    yield from _unused(graph)
    yield from _opt_outs(graph, instances)
    yield from _scopes(graph)


def entry_label(expr: Expr) -> str:
    """How an entry of ``deps=`` is called: ``a``, ``ids[0]``."""
    if isinstance(expr, Var):
        return expr.label
    if isinstance(expr, Op) and expr.name == "array.get_element" and isinstance(expr.args[0], Var):
        index = expr.args[1]
        shown = str(index.value) if isinstance(index, Const) else index.label if isinstance(index, Var) else "…"
        return f"{expr.args[0].label}[{shown}]"
    return ""


def _entries(graph: TaskGraph, site: Site, tasks: list[Task]) -> Iterator[Finding]:
    """TG201, TG202, TG203."""
    waits = tasks[0].waits
    for position, wait in enumerate(waits):
        label = entry_label(wait.expr)
        if not label:
            continue
        twin = next((other for other in waits[:position] if _same_entry(wait, other)), None)
        if twin is not None:
            message = f"'{label}' is listed twice in deps= of '{task_name(site)}'"
            notes = (Note(wait_place(site, twin), f"'{label}' is listed here as well"),)
            yield Finding("PTO803", label, wait_place(site, wait), message, graph.function.name, notes)
            continue
        verdicts = [_implied(graph, task, position) for task in tasks if position < len(task.waits)]
        known = [verdict for verdict in verdicts if verdict is not None]
        if not known or any(word == "" for word, _ in known):
            continue
        if site.statement.at.inlined_at is not None and not _local(graph, site, [t.waits[position] for t in tasks]):
            continue
        notes = (Note(known[0][1].site.place, "this order is there already"),)
        if all(word == "inferred" for word, _ in known):
            message = (
                f"'{task_name(site)}' already waits for '{label}' because it {_shared(graph, tasks, position)}: the "
                "entry "
                "adds nothing"
            )
            yield Finding("PTO801", label, wait_place(site, wait), message, graph.function.name, notes)
        else:
            through = known[0][1].site
            message = f"'{task_name(site)}' waits for '{label}' through '{task_name(through)}' already"
            yield Finding("PTO802", label, wait_place(site, wait), message, graph.function.name, notes)


def _shared(graph: TaskGraph, tasks: list[Task], position: int) -> str:
    """What makes the inferred edge: "reads 's'", "rewrites 'y'"."""
    for task in tasks:
        for ids in task.waits[position].ids:
            for pred in ids.tasks:
                for edge in graph.pairs.get((pred, task.index), ()):
                    if edge.source is Source.TENSORMAP and edge.certain and edge.buffer is not None:
                        return f"{'rewrites' if edge.hazard == 'WAW' else 'reads'} '{edge.buffer.label}'"
    return "shares a tensor with it"


def _local(graph: TaskGraph, site: Site, waits: list[Wait]) -> bool:
    """Every producer is of the same splice of the helper as the launch, so that all callers have it alike."""
    own = site.statement.at.inlined_at
    preds = {pred for wait in waits for ids in wait.ids for pred in ids.tasks}
    for pred in preds:
        other = graph.walk.tasks[pred].site
        splice = other.statement.at.inlined_at
        if own is None or splice is None or place_key(splice) != place_key(own):
            return False
        if other.place.source is not site.place.source:
            return False
    return True


def _same_entry(a: Wait, b: Wait) -> bool:
    one, two = a.expr, b.expr
    if isinstance(one, Var) and isinstance(two, Var):
        return one.name == two.name
    if isinstance(one, Op) and isinstance(two, Op) and len(one.args) == 2 and len(two.args) == 2:
        base, other = one.args[0], two.args[0]
        index, second = one.args[1], two.args[1]
        same_base = isinstance(base, Var) and isinstance(other, Var) and base.name == other.name
        return same_base and isinstance(index, Const) and isinstance(second, Const) and index.value == second.value
    return False


def _implied(graph: TaskGraph, task: Task, position: int) -> tuple[str, Task] | None:
    """("inferred" or "transitive", witness) when the entry adds no order to this task; ("", …) when it does; None
    when it waits for nothing.
    """
    wait = task.waits[position]
    if any(ids.open for ids in wait.ids):
        return "", task
    preds = [pred for ids in wait.ids for pred in ids.tasks]
    if not preds:
        return None
    if any(len(ids.tasks) > 1 or ids.invalid for ids in wait.ids if ids.tasks):
        return "", task
    gate = task.gate
    tasks = graph.walk.tasks
    word, witness = "", task
    for pred in preds:
        if gate is not None and _writes(tasks[pred], gate[0].buffer):
            return "", task
        if _inferred(graph, pred, task.index):
            word, witness = word or "inferred", tasks[pred]
            continue
        through = _through(graph, pred, task, wait)
        if through is None:
            return "", task
        word, witness = "transitive", tasks[through]
    return word, witness


def _writes(task: Task, buffer: object) -> bool:
    return any(not a.is_input and any(v.buffer is buffer for v in a.views) for a in task.arguments)


def _inferred(graph: TaskGraph, pred: int, succ: int) -> bool:
    reasons = graph.pairs.get((pred, succ), ())
    return any(edge.source is Source.TENSORMAP and edge.certain for edge in reasons)


def _through(graph: TaskGraph, pred: int, task: Task, wait: Wait) -> int | None:
    """Another task that ``task`` surely waits for by something else and that surely comes after ``pred``."""
    for other in graph.predecessors[task.index]:
        if other == pred or not graph.edges.precedes(pred, other):
            continue
        options = getattr(graph.walk.tasks[other].site.call, "options", None)
        if options is not None and options.allow_early_resolve:
            continue
        if any(edge.certain and edge.wait is not wait for edge in graph.pairs[(other, task.index)]):
            return other
    return None


def _unused(graph: TaskGraph) -> Iterator[Finding]:
    """TG204; a name spliced or unrolled several times counts once, as used when any copy is."""
    handles = graph.handles
    racing = {graph.walk.tasks[hazard.first.task].site for hazard in graph.races}
    copies: dict[object, list[tuple[Site, Var]]] = {}
    for site in graph.walk.sites:
        statement = site.statement
        targets = getattr(statement, "targets", None) or (getattr(statement, "target", None),)
        target = targets[-1]
        if not isinstance(target, Var) or not is_task_id(target) or not isinstance(site.call, (Submit, Op)):
            continue
        # The id of a Graph launch cannot be waited for by anybody.
        if not target.label or target.label.startswith("_") or site.kind is SiteKind.GRAPH:
            continue
        copies.setdefault(place_key(site.place), []).append((site, target))
    waited = {wait.expr.name for task in graph.walk.tasks for wait in task.waits if isinstance(wait.expr, Var)}
    for found in copies.values():
        # Most ids are waited for, and need not be looked for among all that the function reads.
        if any(target.name in waited for _, target in found) or any(target.name in graph.used for _, target in found):
            continue
        site, target = found[0]
        if any(other in racing and in_manual(handles.statements.get(id(other.statement), ())) for other, _ in found):
            continue
        message = f"task id '{target.label}' is never waited for"
        if site.kind is SiteKind.DUMMY:
            yield Finding(
                "PTO813", target.label, site.place, f"nothing waits for '{target.label}'", graph.function.name
            )
        else:
            where = in_site(site, target)
            yield Finding("PTO804", target.label, where, message, graph.function.name)


def _all_to_all(graph: TaskGraph, site: Site, tasks: list[Task]) -> Iterator[Finding]:
    """TG211."""
    if site.kind is SiteKind.DUMMY or not site.loops or len(tasks) < 2:
        return
    manual = site.scope is not None
    for position, wait in enumerate(tasks[0].waits):
        if wait.array is None or not isinstance(wait.expr, Var):
            continue
        producers = {pred for ids in wait.ids for pred in ids.tasks}
        same = [
            task
            for task in tasks
            if position < len(task.waits)
            and {pred for ids in task.waits[position].ids for pred in ids.tasks} == producers
        ]
        n, m = len(producers), len(same)
        if n * m <= n + m or n < 2 or m < 2 or not graph.walk.exact:
            continue
        carried = graph.handles.inner.get(wait.expr.name)
        stable = carried is None or carried[0] not in site.loops
        if manual and len(tasks[0].waits) == 1 and stable:
            continue
        name = wait.expr.label
        message = f"{n}×{m} = {n * m} edges through '{name}': one task_dummy would make {n + m}"
        notes = (Note(wait.array.at, f"'{name}' is created here"), *map(loop_note, site.loops))
        yield Finding("PTO811", name, wait_place(site, wait), message, graph.function.name, notes)


def _dummy(graph: TaskGraph, site: Site, tasks: list[Task]) -> Iterator[Finding]:
    """TG213: one scalar entry and one consumer."""
    if len(tasks[0].waits) != 1 or tasks[0].waits[0].array is not None:
        return
    consumers = {succ for task in tasks for succ in graph.successors[task.index]}
    preds = {pred for task in tasks for ids in task.waits[0].ids for pred in ids.tasks}
    if len(consumers) != 1 or len(preds) != 1 or any(ids.open for ids in tasks[0].waits[0].ids):
        return
    options = getattr(graph.walk.tasks[next(iter(preds))].site.call, "options", None)
    if options is not None and options.allow_early_resolve:
        return
    label = entry_label(tasks[0].waits[0].expr)
    target = getattr(site.statement, "target", None)
    name = target.label if isinstance(target, Var) else "task_dummy"
    message = f"'{name}' joins a single task: list '{label}' directly"
    waiting = graph.walk.tasks[next(iter(consumers))].site
    notes = (Note(waiting.place, f"'{task_name(waiting)}' waits for it"),)
    yield Finding("PTO813", name, site.place, message, graph.function.name, notes)


def _early(graph: TaskGraph, site: Site, tasks: list[Task]) -> Iterator[Finding]:
    """TG212."""
    options = getattr(site.call, "options", None)
    if options is None or not options.allow_early_resolve or graph.walk.unknown or graph.walk.truncated:
        return
    if graph.function.kind is FunctionKind.GRAPH or site.statement.at.inlined_at is not None:
        # Tasks outside of the Graph, or of another caller, may wait for this one.
        return
    blocking: Task | None = None
    held: Task | None = None
    for task in tasks:
        for succ in graph.successors[task.index]:
            consumer = graph.walk.tasks[succ]
            if consumer.gate is not None or _flag(consumer.site, "predicate"):
                continue
            others = [graph.walk.tasks[pred] for pred in graph.predecessors[succ]]
            unflagged = [other for other in others if not _flag(other.site, "allow_early_resolve")]
            if not unflagged or any(other.site.kind is SiteKind.DUMMY for other in unflagged):
                return
            blocking, held = unflagged[0], consumer
    name = task_name(site)
    where = keyword_place(site, "allow_early_resolve")
    if blocking is None:
        message = f"no task waits for '{name}' that could be staged early: the flag has no effect"
        yield Finding("PTO812", name, where, message, graph.function.name)
        return
    message = f"every task that waits for '{name}' also waits for one that is not flagged, so the flag has no effect"
    notes = [Note(blocking.site.place, f"'{task_name(blocking.site)}' is not flagged")]
    if held is not None:
        notes.append(Note(held.site.place, f"'{task_name(held.site)}' waits for both"))
    yield Finding("PTO812", name, where, message, graph.function.name, tuple(notes))


def _flag(site: Site, name: str) -> bool:
    options = getattr(site.call, "options", None)
    return bool(options is not None and getattr(options, name))


def _opt_outs(graph: TaskGraph, instances: dict[Site, list[Task]]) -> Iterator[Finding]:
    """TG216, for every copy of one source place together."""
    written = {
        view.buffer
        for task in graph.walk.tasks
        for argument in task.arguments
        if not argument.is_input
        for view in argument.views
    }
    if graph.walk.unknown or graph.walk.truncated:
        return
    # Other devices write the windows they share.
    windows = {p.name for p in graph.function.params if isinstance(p.type, TensorType) and p.type.distributed}
    shared = {view.buffer for name, view in graph.walk.parameters.items() if name in windows}
    copies: dict[object, list[tuple[Task, Argument]]] = {}
    for tasks in instances.values():
        for task in tasks:
            for argument in task.arguments:
                if argument.opted_out:
                    key = (place_key(task.site.place), argument.label)
                    copies.setdefault(key, []).append((task, argument))
    for found in copies.values():
        if any(_foreign(task.site, argument.views) for task, argument in found):
            continue
        words = [_without_effect(task, argument, written, shared) for task, argument in found]
        if not all(words):
            continue
        task, argument = found[0]
        message = f"'{argument.label}' is {words[0]}: opting it out changes nothing"
        where = _entry_place(task.site, argument)
        yield Finding("PTO816", argument.label, where, message, graph.function.name)


def _without_effect(task: Task, argument: Argument, written: set[Buffer], shared: set[Buffer]) -> str:
    if task.manual:
        return "in a manual scope"
    if argument.views and all(view.manual_dep for view in argument.views):
        return "manual_dep already"
    if argument.views and not any(view.buffer in written or view.buffer in shared for view in argument.views):
        return "never written here"
    return ""


def _foreign(site: Site, views: tuple[View, ...]) -> bool:
    """A spliced launch of a buffer that is not its helper's own: another caller may use it otherwise."""
    if site.statement.at.inlined_at is None:
        return False
    source = site.place.source
    return any(view.buffer.at is None or view.buffer.at.source is not source for view in views)


def _entry_place(site: Site, argument: Argument) -> Place:
    for entry in getattr(getattr(site.call, "options", None), "no_dep_args", ()):
        if isinstance(entry, Var) and entry.label == argument.label:
            return place(site.statement.at, entry.span)
    return in_site(site, argument.expr)


def _scopes(graph: TaskGraph) -> Iterator[Finding]:
    """TG217."""
    if not graph.walk.exact:
        return
    scopes: dict[Scope, list[Task]] = {}
    for task in graph.walk.tasks:
        if task.site.scope is not None:
            scopes.setdefault(task.site.scope, []).append(task)
    for scope, tasks in scopes.items():
        if not 2 <= len(tasks) <= SCOPE_LIMIT:
            continue
        inside = {task.index for task in tasks}
        changed = tuple([replace(t, manual=False, waits=()) if t.index in inside else t for t in graph.walk.tasks])
        tracked = infer(replace(graph.walk, tasks=changed))
        if any(graph.edges.before[index] != tracked.before[index] for index in inside):
            continue
        count = sum(1 for pred, succ in graph.pairs if succ in inside)
        if count == 0:
            continue
        edges = f"all {count} edges" if count > 1 else "the one edge"
        message = f"{edges} of this 'manual_scope' would be inferred: the scope only removes protection"
        yield Finding("PTO817", "manual_scope", place(scope.at, scope.span), message, graph.function.name)
