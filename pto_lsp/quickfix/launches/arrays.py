"""Arrays of task ids that are too short or too long (diagnostics.md TG021, TG113)."""

from __future__ import annotations

from pto_lsp.analysis.source import syntax
from pto_lsp.analysis.task_graph.model import IdArray
from pto_lsp.analysis.task_graph.scalars import bounds
from pto_lsp.quickfix.context import Context, Draft
from pto_lsp.quickfix.graph_change import GraphChange
from pto_lsp.quickfix.launches.graphs import graphs_of, site_of, tasks_of
from pto_lsp.quickfix.launches.launch_text import statement_call
from pto_lsp.quickfix.launches.lexical import Lexical
from pto_lsp.quickfix.rewriter import Refused, Rewriter


def build(context: Context) -> Draft:
    longer = context.finding.code == "PTO621"
    slots = _needed(context) if longer else _filled(context)
    text = context.text
    lexical = Lexical(context.project, text)
    launch = statement_call(lexical, lexical.at(context.finding.notes[0].place.anchor))
    count = launch.call.args[0].value if launch.call.args else None
    if not isinstance(launch.call.func, syntax.Attribute) or launch.call.func.attr != "create" or count is None:
        raise Refused("the array is not created in the usual way")
    span = launch.span(count.span)
    rewriter = Rewriter()
    rewriter.replace(text.path, span.start, span.end, str(slots))
    if longer:
        # Whether the array is too short or the index too large is the author's to say.
        # That some slots stay empty could not be told before.
        return Draft(rewriter, False, reveals=frozenset({"PTO713"}), comparable=False)
    return Draft(rewriter, True, graph=GraphChange())


def _needed(context: Context) -> int:
    """One slot more than the largest index that is used."""
    largest = -1
    for graph in graphs_of(context):
        for error in graph.walk.slots:
            if error.array.label == context.finding.subject:
                low, high = bounds(error.index)
                if low is None or high is None or low < 0:
                    raise Refused("the index is not known, or below zero")
                largest = max(largest, high)
    if largest < 0:
        raise Refused("the index is not known")
    return largest + 1


def _filled(context: Context) -> int:
    """How many slots are filled, all of them from the first on."""
    graph, site = site_of(context)
    filled: set[int] = set()
    arrays: list[IdArray] = []
    for task in tasks_of(graph, site):
        arrays += [w.array for w in task.waits if w.array is not None and w.array.label == context.finding.subject]
    for array in arrays:
        filled |= {store.index for store in array.stores if isinstance(store.index, int)}
    if not filled or filled != set(range(len(filled))):
        raise Refused("the empty slots are not the last ones")
    return len(filled)
