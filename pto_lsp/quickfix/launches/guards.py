"""Guards and control-core writes (diagnostics.md TG116, TG117)."""

from __future__ import annotations

from pto_lsp.quickfix.context import Context, Draft
from pto_lsp.quickfix.graph_change import GraphChange
from pto_lsp.quickfix.launches.blocks import end_of_block
from pto_lsp.quickfix.launches.graphs import site_of
from pto_lsp.quickfix.launches.launch_text import Form, launch_text
from pto_lsp.quickfix.launches.lexical import Lexical, common
from pto_lsp.quickfix.rewriter import Refused, Rewriter


def build(context: Context) -> Draft:
    return _same_guard(context) if context.finding.code == "PTO716" else _earlier_write(context)


def _same_guard(context: Context) -> Draft:
    """The reader runs only when the writer did."""
    _, site = site_of(context)
    text = context.text_of(site.statement.at.source)
    lexical = Lexical(context.project, text)
    writer = launch_text(lexical, lexical.at(site.statement.at))
    reader = launch_text(lexical, lexical.at(context.finding.notes[0].place.anchor))
    guard = writer.keyword("predicate")
    if guard is None or reader.keyword("predicate") is not None:
        raise Refused("the reader has a guard of its own")
    func = reader.shown(reader.call.func)
    if reader.form is not Form.SUBMIT and not func.endswith(".spmd"):
        raise Refused("the reader is launched in a form that takes no guard")
    rewriter = Rewriter()
    reader.add_keyword(rewriter, writer.shown_argument(guard))
    return Draft(rewriter, False, comparable=False, graph=GraphChange())


def _earlier_write(context: Context) -> Draft:
    """The control core writes before the task reads."""
    text = context.text
    lexical = Lexical(context.project, text)
    write = lexical.at(context.finding.place.anchor)
    reader = lexical.at(context.finding.notes[0].place.anchor)
    shared = common(write.chain, reader.chain)
    if shared != len(write.chain):
        raise Refused("the write stands in a block of its own")
    target = reader.line if shared == len(reader.chain) else lexical.of(reader.chain[shared][0]).line
    if target.start > write.line.start:
        raise Refused("the reader does not stand before the write")
    start = text.chunk_start + write.line.start
    begin, end = text.begin_of_line(start), end_of_block(text, write.line)
    rewriter = Rewriter()
    rewriter.insert(text.path, text.begin_of_line(text.chunk_start + target.start), text.text[begin:end])
    rewriter.replace(text.path, begin, end, "")
    return Draft(rewriter, False, comparable=False, graph=GraphChange(None))
