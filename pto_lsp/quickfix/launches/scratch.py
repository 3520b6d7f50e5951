"""A scratch buffer that every iteration fills anew is allocated in the loop (diagnostics.md TG102, TG218)."""

from __future__ import annotations

from pto_lsp.analysis.ir.program import FunctionKind
from pto_lsp.analysis.ir.statements import For, LoopKind
from pto_lsp.analysis.task_graph.checks.naming import loop_place, place_key
from pto_lsp.analysis.task_graph.checks.oversync import refilled
from pto_lsp.analysis.task_graph.graph import TaskGraph
from pto_lsp.analysis.task_graph.model import Task
from pto_lsp.analysis.task_graph.regions import ALLOCATION, Buffer
from pto_lsp.quickfix.context import Context, Draft
from pto_lsp.quickfix.graph_change import GraphChange, Keeps, pairs_of
from pto_lsp.quickfix.launches import order
from pto_lsp.quickfix.launches.graphs import graphs_of
from pto_lsp.quickfix.launches.lexical import Lexical, Written, common
from pto_lsp.quickfix.mentions import mentions
from pto_lsp.quickfix.places import FunctionText
from pto_lsp.quickfix.removal import remove_line
from pto_lsp.quickfix.rewriter import Refused, Rewriter


def build(context: Context) -> Draft:
    carried = context.finding.code == "PTO702"
    try:
        return _moved(context, safe=carried)
    except Refused:
        if carried:
            return order.build(context)
        raise


def _moved(context: Context, safe: bool) -> Draft:
    name = context.finding.subject
    loop_key = place_key(context.finding.notes[0].place)
    for graph in graphs_of(context):
        if graph.function.kind is FunctionKind.GRAPH:
            raise Refused("in a Graph it would be a node of every trip")
        for buffer in graph.walk.buffers:
            if buffer.label != name or buffer.owner != ALLOCATION or buffer.at is None:
                continue
            iterations = _iterations(graph, loop_key)
            if not iterations or not all(refilled(graph, buffer, tasks) for tasks in iterations):
                raise Refused(f"an iteration needs what '{name}' held before")
            rewriter = _rewritten(context, buffer, loop_key)
            return Draft(rewriter, safe, moves_memory=True, graph=_change(graph, buffer))
    raise Refused(f"'{name}' is not allocated in this function")


def _iterations(graph: TaskGraph, loop_key: object) -> list[list[Task]]:
    """The tasks of each iteration of a loop."""
    found: dict[tuple[int, int], list[Task]] = {}
    for task in graph.walk.tasks:
        for iteration in task.iterations:
            if place_key(loop_place(iteration.loop)) == loop_key:
                found.setdefault((iteration.run, iteration.ordinal), []).append(task)
    return list(found.values())


def _change(graph: TaskGraph, buffer: Buffer) -> GraphChange:
    """Only what waits because of ``buffer`` may be lost."""
    tasks = graph.walk.tasks
    through = [pair for pair, reasons in graph.pairs.items() if all(edge.buffer is buffer for edge in reasons)]
    return GraphChange(lost=pairs_of((tasks[a].site, tasks[b].site) for a, b in through), keeps=Keeps.NOTHING)


def _rewritten(context: Context, buffer: Buffer, loop_key: tuple[str, str, int, int, int]) -> Rewriter:
    assert buffer.at is not None
    text = context.text_of(buffer.at.source)
    lexical = Lexical(context.project, text)
    create = lexical.at(buffer.at.anchor)
    loop = lexical.at(context.finding.notes[0].place.anchor)
    if not isinstance(loop.stmt, For) or loop.stmt.kind is LoopKind.UNROLL:
        raise Refused("the loop is not one over tasks")
    if common(create.chain, loop.chain) != len(create.chain) or create.line.start > loop.line.start:
        raise Refused("the allocation does not stand before the loop")
    begin = text.chunk_start + loop.line.start
    end = text.chunk_start + _last_end(loop)
    own = text.chunk_start + create.line.start
    uses = [m for m in mentions(text) if m.name == buffer.label]
    outside = [m for m in uses if not begin <= m.span.start < end]
    if any(not own <= m.span.start <= own + len(create.line.text) for m in outside):
        raise Refused(f"'{buffer.label}' is used outside of the loop")
    inside = [m.span.start for m in uses if m not in outside]
    if not inside:
        raise Refused("the loop does not use it")
    rewriter = Rewriter()
    remove_line(rewriter, text, create.line, [create.line])
    _insert(rewriter, text, loop, create, min(inside))
    return rewriter


def _insert(rewriter: Rewriter, text: FunctionText, loop: Written, create: Written, use: int) -> None:
    """Put the allocation before the statement of the loop that uses it first."""
    before = [line for line in loop.line.children if text.chunk_start + line.start <= use]
    if not before:
        raise Refused("the loop is not written in the usual way")
    at = text.begin_of_line(text.chunk_start + before[-1].start)
    start = text.chunk_start + create.line.start
    stop = start + len(create.line.text)
    comment = text.text[stop : text.end_of_line(stop)].rstrip("\r\n")
    written = create.line.text + comment
    rewriter.insert(text.path, at, f"{text.indentation(before[-1])}{written}{text.newline}")


def _last_end(written: Written) -> int:
    last = written.line
    while last.children:
        last = last.children[-1]
    return last.end
