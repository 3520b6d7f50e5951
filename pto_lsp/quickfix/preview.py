"""What a repair would do to the task graphs of a file, before anybody applies it (graph-view.md §3 "What-if")."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from difflib import SequenceMatcher

from pto_lsp.analysis.pipeline import ModuleAnalysis
from pto_lsp.analysis.task_graph.graph import TaskGraph
from pto_lsp.analysis.task_graph.sitegraph import SiteGraph, fold
from pto_lsp.analysis.task_graph.summary import measure
from pto_lsp.analysis.task_graph.text_view import reason
from pto_lsp.diagnostics import Fix
from pto_lsp.project import Project
from pto_lsp.quickfix.edits import apply_edits

_NAMED = 3


@dataclass(frozen=True, slots=True)
class Wait:
    """Between two launches of the present text, by index. ``reasons`` as in the text form of a graph."""

    pred: int
    succ: int
    carried: bool
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Preview:
    """The change of the graph of ``function``. ``text`` is one line that says it."""

    title: str
    function: str
    text: str
    removed: tuple[Wait, ...]
    added: tuple[Wait, ...]


def preview(project: Project, path: str, fix: Fix) -> list[Preview]:
    """One for each graph of ``path`` that ``fix`` changes."""
    before = {key: _Seen(graph) for key, graph in _graphs(project.analysis(path))}
    trial = project.copy()
    for each in {edit.path for edit in fix.edits}:
        own = [edit for edit in fix.edits if edit.path == each]
        trial.open(each, apply_edits(project.text(each) or "", own))
    after = dict(_graphs(trial.analysis(path)))
    found: list[Preview] = []
    for key, seen in before.items():
        if key in after:
            change = _change(fix.title, seen, _Seen(after[key]))
            if change is not None:
                found.append(change)
    return found


def _graphs(analysis: ModuleAnalysis) -> Iterable[tuple[tuple[str, str], TaskGraph]]:
    for program in analysis.programs:
        for graph in program.tasks.graphs:
            yield (program.program.entry, graph.function.key), graph


class _Seen:
    """All that is compared, taken before any other text is read: places of a text move with the next one."""

    def __init__(self, graph: TaskGraph) -> None:
        folded = fold(graph)
        self.function = graph.function.name
        self.names = [site.name for site in folded.sites]
        # Counts in the trip counts of symbolic loops take a second to find: too long for a pointer that rests.
        self.counts = measure(graph) if graph.walk.exact else {}
        self.waits = _waits(folded)


def _waits(folded: SiteGraph) -> dict[tuple[int, int, bool], list[str]]:
    found: dict[tuple[int, int, bool], list[str]] = {}
    for edge in folded.edges:
        reasons = found.setdefault((edge.pred.index, edge.succ.index, edge.carried), [])
        if (written := reason(edge)) not in reasons:
            reasons.append(written)
    return found


def _change(title: str, before: _Seen, after: _Seen) -> Preview | None:
    same: dict[int, int] = {}
    for old, new, size in SequenceMatcher(None, before.names, after.names, autojunk=False).get_matching_blocks():
        same.update({new + step: old + step for step in range(size)})
    now = {
        (same[pred], same[succ], carried): reasons
        for (pred, succ, carried), reasons in after.waits.items()
        if pred in same and succ in same
    }
    removed = tuple([Wait(*key, tuple(reasons)) for key, reasons in before.waits.items() if key not in now])
    added = tuple([Wait(*key, tuple(reasons)) for key, reasons in now.items() if key not in before.waits])
    parts = []
    for name, word in (("tasks", "tasks"), ("depth", "longest chain"), ("width", "width")):
        was, becomes = before.counts.get(name), after.counts.get(name)
        if was != becomes and was is not None and becomes is not None:
            parts.append(f"{word} {was} → {becomes}")
    for sign, waits in (("no longer waits", removed), ("waits then", added)):
        if waits:
            shown = [_written(before.names, each) for each in waits[:_NAMED]]
            more = [f"{len(waits) - _NAMED} more"] if len(waits) > _NAMED else []
            parts.append(f"{sign}: {', '.join([*shown, *more])}")
    return Preview(title, before.function, " · ".join(parts), removed, added) if parts else None


def _written(names: list[str], wait: Wait) -> str:
    return f"{names[wait.succ]} for {names[wait.pred]} ({'; '.join(wait.reasons)})"
