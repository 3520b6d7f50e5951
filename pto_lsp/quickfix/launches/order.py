"""A wait that is missing is declared: the earlier task's id is bound, collected where there are several, and listed in
``deps=`` of the later one (diagnostics.md TG004, TG101–TG103, TG105–TG107, TG109, TG110, TG112, TG118).
"""

from __future__ import annotations

from collections.abc import Iterator

from pto_lsp.analysis.findings import Finding
from pto_lsp.analysis.ir.statements import For, LoopKind, While
from pto_lsp.analysis.task_graph.checks import control
from pto_lsp.analysis.task_graph.checks.naming import place_key, task_name
from pto_lsp.analysis.task_graph.checks.races import Race, classify, crossed_loop, id_label
from pto_lsp.analysis.task_graph.model import SiteKind, Task
from pto_lsp.quickfix.context import Context, Draft
from pto_lsp.quickfix.graph_change import GraphChange, Spot, spot
from pto_lsp.quickfix.launches.edits import Ambiguous, LaunchEdits
from pto_lsp.quickfix.launches.graphs import graphs_of, in_statement
from pto_lsp.quickfix.launches.lexical import Chain, common, trips_of
from pto_lsp.quickfix.rewriter import Refused

Pair = tuple[Task, Task]


def build(context: Context) -> Draft:
    pairs = list(_pairs(context))
    if not pairs:
        raise Refused("the tasks were not found")
    return ordered(context, pairs)


def ordered(context: Context, pairs: list[Pair], replacing: str = "") -> Draft:
    """Make the second task of each pair wait for the first. Raises `Refused`.

    ``replacing`` is an entry of ``deps=`` that the new one takes the place of.
    """
    source = pairs[0][1].site.statement.at.source
    if any(task.site.statement.at.source is not source for pair in pairs for task in pair):
        raise Refused("the two launches are in different functions")
    edits = LaunchEdits(context, context.text_of(source))
    spots: set[tuple[Spot, Spot]] = set()
    done: set[tuple[object, ...]] = set()
    for first, second in pairs:
        loop = crossed_loop(first, second)
        key = (spot(first.site), spot(second.site), None if loop is None else loop.at.offset)
        if key not in done:
            done.add(key)
            spots.add((spot(first.site), spot(second.site)))
            stale = replacing or _stale(context, edits, first, second)
            _order(edits, first, second, None if loop is None else loop.at.offset, stale)
    rewriter = edits.write()
    change = GraphChange(gained=frozenset(spots))
    return Draft(rewriter, edits.safe, comparable=context.ran, graph=change)


def _order(edits: LaunchEdits, first: Task, second: Task, carried: int | None, stale: str) -> None:
    """``carried`` is where the loop begins whose iterations the two are in different ones of, None for the same one;
    ``stale`` an entry that the new one takes the place of.
    """
    a, b = first.site, second.site
    if a.kind is SiteKind.GRAPH or b.kind is SiteKind.GRAPH:
        raise Refused("nothing can wait for a Graph launch by its id, nor does it take waits")
    one, two = edits.lexical.at(a.statement.at), edits.lexical.at(b.statement.at)
    shared = common(one.chain, two.chain)
    name = task_name(a)
    at, to = a.statement.at, b.statement.at
    unrolled = _unrolled(one.chain[:shared])
    if carried is None and at.offset >= to.offset and unrolled is not None:
        carried = unrolled
    if carried is not None:
        entry = _carried(edits, first, second, carried, shared, name)
    elif shared == len(one.chain):
        try:
            entry = edits.bind(at, name)
        except Ambiguous:
            entry = _slots(edits, edits.array(one.stmt, at, name, 1, "0"), 1, second)
    else:
        slots, index = numbering(one.chain[shared:])
        entry = _slots(edits, edits.array(one.chain[shared][0], at, name, slots, index), slots, second)
    if stale and stale != entry:
        edits.replace_entry(to, stale, entry)
    else:
        edits.wait(to, entry)


def _carried(edits: LaunchEdits, first: Task, second: Task, loop_at: int, shared: int, name: str) -> str:
    """The entry by which the second task waits for the first one of the iteration before."""
    at, to = first.site.statement.at, second.site.statement.at
    one = edits.lexical.at(at)
    depth = next((i for i, (stmt, _) in enumerate(one.chain) if stmt.at.offset == loop_at), None)
    if depth is None or depth >= shared:
        raise Refused("the loop was not found")
    loop = one.chain[depth][0]
    if isinstance(loop, For) and loop.kind is LoopKind.PARALLEL:
        raise Refused("iterations of a parallel loop cannot wait for each other")
    if to.offset > at.offset:
        raise Refused("the earlier task comes first in the loop: its id of the iteration before is overwritten")
    if any(isinstance(stmt, (For, While)) for stmt, _ in one.chain[depth + 1 : shared]):
        raise Refused("another loop around both launches is in between")
    slots, index = numbering(one.chain[shared:])
    return _slots(edits, edits.array(loop, at, name, slots, index), slots, second)


def numbering(chain: Chain) -> tuple[int, str]:
    """How many tasks a launch makes in the loops of ``chain``, and the number of the present one.

    Raises `Refused` unless all trip counts are constant.
    """
    count, index = 1, ""
    for stmt, _ in chain:
        if isinstance(stmt, While):
            raise Refused("the trip count of a loop is not constant")
        if isinstance(stmt, For):
            trips = trips_of(stmt)
            own = number_of_trip(stmt.var.label, trips)
            index = f"{_factor(index)} * {len(trips)} + {own}" if index else own
            count *= len(trips)
    if count < 1:
        raise Refused("a loop never runs")
    return count, index or "0"


def _factor(index: str) -> str:
    return index if index.isidentifier() else f"({index})"


def number_of_trip(label: str, trips: range) -> str:
    """The number of the present trip, from the loop variable."""
    own = label if trips.start == 0 else f"({label} - {trips.start})"
    if trips.step != 1:
        own = f"{own} // {trips.step}"
    return own[1:-1] if own.startswith("(") and own.endswith(")") else own


def _slots(edits: LaunchEdits, array: str, slots: int, second: Task) -> str:
    """The array as an entry; the one slot of a small one, unless whole arrays are listed already."""
    present = edits.launch(second.site.statement.at).entries()
    whole = any(wait.array is not None for wait in second.waits)
    if slots == 1 and not (present and whole):
        return f"{array}[0]"
    return array


def _unrolled(chain: Chain) -> int | None:
    """Where the innermost unrolled loop of ``chain`` begins."""
    found = [stmt for stmt, _ in chain if isinstance(stmt, For) and stmt.kind is LoopKind.UNROLL]
    return found[-1].at.offset if found else None


def _stale(context: Context, edits: LaunchEdits, first: Task, second: Task) -> str:
    """The entry of the second launch that has the first one's name but means a later task of it, as in a loop."""
    label, launch = id_label(first.site), edits.launch(second.site.statement.at)
    own = place_key(first.site.place)
    for graph in graphs_of(context):
        tasks = graph.walk.tasks
        for entry, wait in zip(launch.entries(), second.waits if second in tasks else ()):
            held = {task for ids in wait.ids for task in ids.tasks}
            if launch.shown(entry) != label or wait.array is not None or first.index in held:
                continue
            if all(place_key(tasks[task].site.place) == own for task in held):
                return label
    return ""


def _pairs(context: Context) -> Iterator[Pair]:
    """The tasks that a finding is about, in the order they need."""
    finding = context.finding
    for graph in graphs_of(context):
        tasks = graph.walk.tasks
        if finding.code == "PTO604":
            for task in tasks:
                if task.gate is not None and in_statement(finding.place, task.site):
                    yield from ((writer, task) for writer, _ in control.gate_writers(graph, task))
            continue
        for hazard in graph.races:
            race = classify(graph, hazard)
            if race is not None and _is_about(finding, race):
                yield tasks[hazard.first.task], tasks[hazard.second.task]


def _is_about(finding: Finding, race: Race) -> bool:
    if finding.code == "PTO718":
        return {place_key(note.place) for note in finding.notes} <= {place_key(note.place) for note in race.notes}
    about = (race.code, race.subject, place_key(race.where))
    return about == (finding.code, finding.subject, place_key(finding.place))
