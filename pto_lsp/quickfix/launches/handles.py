"""Entries of ``deps=`` that do not hold the task they should (diagnostics.md TG005, TG011, TG122)."""

from __future__ import annotations

from pto_lsp.analysis.ir.expressions import Submit, Var
from pto_lsp.analysis.ir.statements import Assign, For, Region, Stmt, Unpack, While
from pto_lsp.analysis.task_graph.graph import TaskGraph
from pto_lsp.analysis.task_graph.model import Task
from pto_lsp.quickfix.context import Context, Draft
from pto_lsp.quickfix.graph_change import GraphChange, Spot, spot
from pto_lsp.quickfix.launches.edits import LaunchEdits
from pto_lsp.quickfix.launches.graphs import site_of, tasks_of
from pto_lsp.quickfix.launches.lexical import common
from pto_lsp.quickfix.launches.order import numbering, ordered
from pto_lsp.quickfix.removal import remove_line
from pto_lsp.quickfix.rewriter import Refused


def build(context: Context) -> Draft:
    code = context.finding.code
    if code == "PTO605":
        return _writer_of(context)
    return _escaped(context) if code == "PTO611" else _carried(context)


def _writer_of(context: Context) -> Draft:
    """The tensor in ``deps=`` stands for the task that wrote it last."""
    graph, site = site_of(context)
    name = context.finding.subject
    task = tasks_of(graph, site)[0]
    writer = _last_writer(graph, task, name)
    if writer is None:
        raise Refused(f"no task before this one writes '{name}'")
    return ordered(context, [(writer, task)], replacing=name)


def _last_writer(graph: TaskGraph, task: Task, name: str) -> Task | None:
    found = None
    for earlier in graph.walk.tasks[: task.index]:
        for argument in earlier.arguments:
            views = argument.views
            if not argument.is_input and views and name in (views[0].label, views[0].buffer.label):
                found = earlier
    return found


def _escaped(context: Context) -> Draft:
    """The id leaves its loop, branch or scope in an array."""
    _, site = site_of(context)
    label = context.finding.subject
    edits = LaunchEdits(context, context.text_of(site.statement.at.source))
    use = edits.lexical.at(site.statement.at)
    binding = _binding(edits, label, use.line.start)
    chain = edits.lexical.of(binding).chain
    shared = common(chain, use.chain)
    if shared == len(chain):
        raise Refused(f"'{label}' is not bound in a scope that has ended")
    slots, index = numbering(chain[shared:])
    name = label.lstrip("_")
    array = edits.array(chain[shared][0], binding.at, name, slots, index)
    edits.replace_entry(site.statement.at, label, array if slots > 1 else f"{array}[0]")
    made: Spot = (binding.at.source, binding.at.offset)
    change = GraphChange(frozenset({(made, spot(site))}))
    return Draft(edits.write(), edits.safe, comparable=context.ran, graph=change)


def _binding(edits: LaunchEdits, label: str, before: int) -> Stmt:
    """The last launch before ``before`` that binds the id ``label``."""
    found: Stmt | None = None
    for stmt in edits.lexical.statements():
        line = edits.text.line(stmt.at)
        if line is None or line.start >= before:
            continue
        if isinstance(stmt, Region) and stmt.task_id is not None and stmt.task_id.label == label:
            found = stmt
        elif isinstance(stmt, (Assign, Unpack)) and isinstance(stmt.value, Submit):
            targets = stmt.targets if isinstance(stmt, Unpack) else (stmt.target,)
            if targets[-1].label == label:
                found = stmt
    if found is None:
        raise Refused(f"the launch that binds '{label}' was not found")
    return found


def _carried(context: Context) -> Draft:
    """``as prev`` is put into a slot that the next iteration finds it in."""
    graph, site = site_of(context)
    label = context.finding.subject
    binding, loop = (note.place for note in context.finding.notes[:2])
    edits = LaunchEdits(context, context.text_of(site.statement.at.source))
    written = edits.lexical.at(loop.anchor)
    bound = edits.lexical.at(binding.anchor)
    if not isinstance(written.stmt, (For, While)) or not any(stmt is written.stmt for stmt, _ in bound.chain):
        raise Refused("the loop was not found")
    array = edits.array(written.stmt, binding.anchor, label.lstrip("_"), 1, "0")
    edits.replace_entry(site.statement.at, label, f"{array}[0]")
    waits = [wait for wait in tasks_of(graph, site)[0].waits if isinstance(wait.expr, Var) and wait.expr.label == label]
    if any(ids.tasks for wait in waits for ids in wait.ids):
        # The first iteration goes on waiting for the task from before the loop.
        edits.insert_before(written.stmt, f"{array}[0] = {label}")
    _without_seed(edits, label)
    made: Spot = (binding.source, binding.anchor.offset)
    change = GraphChange(frozenset({(made, spot(site))}))
    return Draft(edits.write(), edits.safe, comparable=context.ran, graph=change)


def _without_seed(edits: LaunchEdits, label: str) -> None:
    """Delete ``label = None`` when nothing but the launch and its entry say ``label``."""
    if len(edits.mentions_of(label)) != 3:
        return
    for stmt in edits.lexical.statements():
        if isinstance(stmt, Assign) and stmt.target.label == label:
            line = edits.text.line(stmt.at)
            if line is not None and ";" not in line.text:
                remove_line(edits.rewriter, edits.text, line, [line])
