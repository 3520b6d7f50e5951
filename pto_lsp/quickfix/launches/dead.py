"""A task whose result nobody reads goes with its buffer (diagnostics.md TG215)."""

from __future__ import annotations

from pto_lsp.analysis.ir.statements import If
from pto_lsp.quickfix.context import Context, Draft
from pto_lsp.quickfix.graph_change import GraphChange, spot
from pto_lsp.quickfix.launches.blocks import end_of_block
from pto_lsp.quickfix.launches.graphs import site_of
from pto_lsp.quickfix.launches.launch_text import launch_text
from pto_lsp.quickfix.launches.lexical import Lexical
from pto_lsp.quickfix.mentions import mentions
from pto_lsp.quickfix.removal import remove_line
from pto_lsp.quickfix.rewriter import Refused, Rewriter


def build(context: Context) -> Draft:
    _, site = site_of(context)
    text = context.text_of(site.statement.at.source)
    lexical = Lexical(context.project, text)
    written = lexical.at(site.statement.at)
    launch_text(lexical, written)
    line = written.line
    for stmt, _ in reversed(written.chain):
        # What would be left empty goes as well.
        around = lexical.of(stmt).line
        if isinstance(stmt, If) or len(around.children) != 1 or around.children[0] is not line:
            break
        line = around
    start = text.chunk_start + line.start
    begin, end = text.begin_of_line(start), end_of_block(text, line)
    rewriter = Rewriter()
    gone = [line]
    for note in context.finding.notes[:1]:
        if note.place.source is not text.placed.source:
            raise Refused("the buffer is created in another function")
        create = lexical.at(note.place.anchor).line
        first = text.chunk_start + create.start
        uses = [m.span.start for m in mentions(text) if m.name == context.finding.subject]
        if all(begin <= at < end or first <= at < first + len(create.text) for at in uses):
            gone.append(create)
            remove_line(rewriter, text, create, gone)
    if line.children:
        rewriter.replace(text.path, begin, end, "")
    else:
        remove_line(rewriter, text, line, gone)
    change = GraphChange(None, None, gone=frozenset({spot(site)}))
    return Draft(rewriter, False, comparable=False, graph=change)
