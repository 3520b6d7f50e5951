"""Join nodes that are missing or for nothing (diagnostics.md TG211, TG213)."""

from __future__ import annotations

from pto_lsp.analysis.ir.statements import For, While
from pto_lsp.quickfix.context import Context, Draft
from pto_lsp.quickfix.graph_change import GraphChange, spot
from pto_lsp.quickfix.launches.edits import LaunchEdits
from pto_lsp.quickfix.launches.graphs import site_of
from pto_lsp.quickfix.launches.launch_text import launch_text
from pto_lsp.quickfix.launches.lexical import Lexical
from pto_lsp.quickfix.mentions import mentions
from pto_lsp.quickfix.removal import remove_line
from pto_lsp.quickfix.rewriter import Refused, Rewriter


def build(context: Context) -> Draft:
    return _barrier(context) if context.finding.code == "PTO811" else _useless(context)


def _barrier(context: Context) -> Draft:
    """One dummy waits for the array, and the consumers for the dummy."""
    _, site = site_of(context)
    name = context.finding.subject
    edits = LaunchEdits(context, context.text_of(site.statement.at.source))
    written = edits.lexical.at(site.statement.at)
    stores = [m.span.start for m in edits.mentions_of(name)]
    loops = [stmt for stmt, _ in written.chain if isinstance(stmt, (For, While))]
    launch = edits.launch(site.statement.at)
    for loop in loops:
        begin = edits.text.chunk_start + edits.lexical.of(loop).line.start
        if all(at < begin or at >= launch.base for at in stores):
            join = edits.name(f"{name}_done")
            edits.insert_before(loop, f"{join} = pl.system.task_dummy(deps=[{name}])")
            edits.replace_entry(site.statement.at, name, join)
            return Draft(edits.write(), False, comparable=False, graph=GraphChange(None, None, made=1))
    raise Refused(f"'{name}' changes in the loop of its consumers")


def _useless(context: Context) -> Draft:
    """The dummy's only entry takes its place."""
    _, site = site_of(context)
    text = context.text_of(site.statement.at.source)
    lexical = Lexical(context.project, text)
    launch = launch_text(lexical, lexical.at(site.statement.at))
    bound = launch.task_id()
    uses = [] if bound is None else [m for m in mentions(text) if m.name == bound.id and not m.binds]
    rewriter = Rewriter()
    if uses:
        entries = launch.entries()
        if len(entries) != 1 or sum(m.binds for m in mentions(text) if bound is not None and m.name == bound.id) != 1:
            raise Refused("the dummy joins more than one task")
        for use in uses:
            rewriter.replace(text.path, use.span.start, use.span.end, launch.shown(entries[0]))
    remove_line(rewriter, text, launch.line, [launch.line])
    change = GraphChange(None, None, gone=frozenset({spot(site)}))
    return Draft(rewriter, True, graph=change)
