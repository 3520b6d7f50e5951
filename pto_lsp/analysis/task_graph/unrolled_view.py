"""Every task of an exact walk as a line of text, in submission order, with its whole wait set."""

from __future__ import annotations

from pto_lsp.analysis.task_graph.comparison import Comparison
from pto_lsp.analysis.task_graph.document import Locate, line
from pto_lsp.analysis.task_graph.edges import Edge, Source
from pto_lsp.analysis.task_graph.graph import TaskGraph
from pto_lsp.analysis.task_graph.text_view import comparison_text


def render(graph: TaskGraph, locate: Locate, comparison: Comparison | None = None) -> str:
    """The whole text, with a final newline."""
    tasks = graph.walk.tasks
    lines = [f"{graph.function.name}: {_count(len(tasks), 'task')}, {_count(len(graph.pairs), 'edge')}"]
    lines += [] if comparison is None else comparison_text(comparison)
    number = len(str(len(tasks) - 1))
    name = max((len(task.site.name) for task in tasks), default=0)
    for task, preds in zip(tasks, graph.predecessors):
        head = f"{task.index:>{number}}  {task.site.name:<{name}}  L{line(task.site.place, locate)}"
        waits = [
            f"{pred} ({_reasons(graph.pairs[pred, task.index])}{_seen(comparison, pred, task.index)})" for pred in preds
        ]
        if comparison is not None:
            unforeseen = sorted(p for p, s in comparison.observed if s == task.index and p not in preds)
            waits += [f"{pred} (only in the record)" for pred in unforeseen]
        if task.index in graph.edges.allocation:
            waits.append("an allocation")
        lines.append(f"{head}  waits: {', '.join(waits)}" if waits else head)
    return "\n".join(lines) + "\n"


def _seen(comparison: Comparison | None, pred: int, succ: int) -> str:
    if comparison is None:
        return ""
    return ", recorded" if (pred, succ) in comparison.observed else ", not recorded"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _reasons(edges: list[Edge]) -> str:
    return ", ".join(dict.fromkeys(_reason(edge) for edge in edges))


def _reason(edge: Edge) -> str:
    word = edge.hazard if edge.source is Source.TENSORMAP else edge.source.value
    return word if edge.buffer is None else f"{word} {edge.buffer.label}"
