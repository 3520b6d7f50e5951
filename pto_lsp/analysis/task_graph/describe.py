"""What the editor says about launches, arguments and task ids (graph-view.md §4)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pto_lsp.analysis.ir.expressions import NO_SPAN
from pto_lsp.analysis.ir.place import Place, SourceId, place
from pto_lsp.analysis.ir.program import Param
from pto_lsp.analysis.ir.statements import For
from pto_lsp.analysis.node import node
from pto_lsp.analysis.passes.derive_call_directions import Reason
from pto_lsp.analysis.task_graph.checks.naming import task_name
from pto_lsp.analysis.task_graph.graph import TaskGraph
from pto_lsp.analysis.task_graph.model import Argument, Site, Task, Wait
from pto_lsp.analysis.task_graph.opt_outs import claim_of
from pto_lsp.analysis.task_graph.regions import Buffer, View
from pto_lsp.analysis.task_graph.scalars import add, text
from pto_lsp.analysis.task_graph.sitegraph import SiteGraph, multiplicity
from pto_lsp.analysis.task_graph.text_view import reason

_DIRECTIONS = {
    "input": "read",
    "output_existing": "written",
    "output": "written",
    "inout": "read and written",
    "no_dep": "opted out of tracking",
    "scalar": "scalar",
}


_NAMED = 6
"""Tasks named in one line; the others are counted."""


def launch_summary(folded: SiteGraph, site: Site) -> str:
    """One line for a code lens: ``waits for: fill (RAW s), zero (WAW y) · followed by: 2 · ×4``."""
    after = [other for other in successors(folded, site) if other is not site]
    parts = [waits_text(predecessors(folded, site)), *([f"followed by: {len(after)}"] if after else [])]
    count = multiplicity(folded.graph, site)
    if count != "1":
        parts.append(f"×{count}")
    return " · ".join(parts)


def waits_text(before: Mapping[Site, list[str]]) -> str:
    """``waits for: fill (RAW s, RAW t), zero (WAW y)``, from the sites waited for and the reasons of each."""
    named = [f"{task_name(site)} ({', '.join(dict.fromkeys(reasons))})" for site, reasons in before.items()]
    more = [f"{len(named) - _NAMED} more"] if len(named) > _NAMED else []
    return f"waits for: {', '.join([*named[:_NAMED], *more])}" if named else "waits for nothing"


def predecessors(folded: SiteGraph, site: Site) -> dict[Site, list[str]]:
    """The sites this one waits for, each with the reasons, in source order."""
    found: dict[Site, list[str]] = {}
    for edge in sorted((e for e in folded.edges if e.succ is site), key=lambda e: e.pred.index):
        found.setdefault(edge.pred, []).append(reason(edge))
    return found


def successors(folded: SiteGraph, site: Site) -> dict[Site, list[str]]:
    """The sites that wait for this one, each with the reasons, in source order."""
    found: dict[Site, list[str]] = {}
    for edge in sorted((e for e in folded.edges if e.pred is site), key=lambda e: e.succ.index):
        found.setdefault(edge.succ, []).append(reason(edge))
    return found


def site_at(graph: TaskGraph, source: SourceId, offset: int) -> Site | None:
    """The launch whose statement, or header, holds the offset (code points from the start of the function's text)."""
    best: Site | None = None
    for site in graph.walk.sites:
        where = site.place
        if where.source is source and where.span.start <= offset <= where.span.end:
            length = where.span.end - where.span.start
            if best is None or length <= best.place.span.end - best.place.span.start:
                best = site
    return best


def tasks_of(graph: TaskGraph, site: Site) -> list[Task]:
    """The walked tasks of a site."""
    return [task for task in graph.walk.tasks if task.site is site]


def argument_text(graph: TaskGraph, site: Site, argument: Argument) -> str:
    """Direction, why, region and, where it is not tracked, what can be said about that claim."""
    derived = argument.derived
    words = _DIRECTIONS[derived.direction.value]
    parts = [f"'{argument.label}' is {words} by '{task_name(site)}'"]
    cause = _cause(derived.reason, derived.cause)
    if cause:
        parts.append(cause)
    if len(argument.views) == 1:
        parts.append(region_text(argument.views[0]))
    elif len(argument.views) > 1:
        parts.append("which buffer it is depends on control flow")
    else:
        parts.append("where it comes from is not known")
    claim = claim_of(graph, site, argument)
    if claim is not None:
        parts += [claim.text] if argument.opted_out else [claim.how, claim.text]
    return "; ".join(parts)


def _cause(why: Reason, cause: object) -> str:
    if why is Reason.R_SEQ:
        name = f" over '{cause.var.label}'" if isinstance(cause, For) else ""
        return f"read and written because of the sequential loop{name} around the launch"
    if why is Reason.R_PRIOR:
        return "read and written because an earlier statement wrote it already"
    if why is Reason.R_ENCLOSING and isinstance(cause, Param):
        return f"read and written because '{cause.name}' is an InOut parameter"
    if why is Reason.AMBIGUOUS:
        return "read and written because control flow decides which buffer it is"
    return ""


def region_text(view: View) -> str:
    """Half-open intervals: ``y[i*32 : i*32 + 32, 0 : 128]``."""
    name = view.buffer.label or view.label
    if view.shape is None:
        return f"some part of '{name}'"
    if view.shape == view.buffer.shape and not any(view.offsets):
        return f"all of '{name}'"
    spans = [f"{text(o)} : {text(add(o, n))}" for o, n in zip(view.offsets, view.shape)]
    return f"{name}[{', '.join(spans)}]"


def wait_text(graph: TaskGraph, wait: Wait) -> str:
    """Which tasks an entry of ``deps=`` stands for: ``4 tasks of 'band' · slot 3 is never filled``."""
    tasks = [pred for ids in wait.ids for pred in ids.tasks]
    if any(ids.open for ids in wait.ids):
        known = f"{_counted(graph, tasks)}, perhaps others" if tasks else "tasks that are not known here"
        return f"stands for {known}"
    if not tasks:
        return "holds no task: waits for nothing"
    parts = [f"stands for {_counted(graph, tasks)}"]
    array = wait.array
    if array is not None and array.extent is not None:
        filled = {store.index for store in array.stores if isinstance(store.index, int) and store.value.tasks}
        exact = all(isinstance(store.index, int) for store in array.stores)
        missing = [slot for slot in range(array.extent) if slot not in filled] if exact else []
        if missing:
            shown = ", ".join(map(str, missing[:8]))
            parts.append(f"empty: slot {shown}" if len(missing) == 1 else f"empty: slots {shown}")
    return " · ".join(parts)


def _counted(graph: TaskGraph, tasks: list[int]) -> str:
    counts: dict[str, int] = {}
    for index in dict.fromkeys(tasks):
        name = task_name(graph.walk.tasks[index].site)
        counts[name] = counts.get(name, 0) + 1
    return ", ".join(f"'{name}'" if count == 1 else f"{count} tasks of '{name}'" for name, count in counts.items())


@node
class Mention:
    """An access of a buffer: ``order`` is "before", "after", "unordered" or "self" seen from the task asked about."""

    place: Place
    write: bool
    site: Site
    order: str


def mentions(graph: TaskGraph, site: Site, buffer: Buffer) -> Iterator[Mention]:
    """Readers and writers of ``buffer``, each related to the first task of ``site``."""
    own = tasks_of(graph, site)
    if not own:
        return
    centre = own[0].index
    seen: set[tuple[int, bool]] = set()
    for index, touches in graph.conflicts.of_buffer(buffer):
        task = graph.walk.tasks[index]
        for touch in touches:
            key = (task.site.index, touch.write)
            if key in seen:
                continue
            seen.add(key)
            where = task.site.place
            if touch.argument.expr.span != NO_SPAN:
                where = place(task.site.statement.at, touch.argument.expr.span)
            yield Mention(where, touch.write, task.site, _order(graph, centre, index, task.site is site))


def _order(graph: TaskGraph, centre: int, other: int, same: bool) -> str:
    if same:
        return "self"
    if other < centre and graph.edges.may_precede(other, centre):
        return "before"
    if other > centre and graph.edges.may_precede(centre, other):
        return "after"
    return "unordered"
