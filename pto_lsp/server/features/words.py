"""The word under the cursor, and what of a launch it names."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lsprotocol import types

from pto_lsp.analysis.ir.expressions import NO_SPAN, Var
from pto_lsp.analysis.ir.place import SourceId
from pto_lsp.analysis.ir.program import Function
from pto_lsp.analysis.ir.statements import Stmt
from pto_lsp.analysis.ir.visitor import bound_variables, statement_exprs, variables, walk_block
from pto_lsp.analysis.node import node
from pto_lsp.analysis.task_graph.checks.naming import in_site
from pto_lsp.analysis.task_graph.model import Argument, Site
from pto_lsp.analysis.task_graph.regions import Buffer
from pto_lsp.analysis.task_graph.sitegraph import SiteGraph
from pto_lsp.diagnostics import Span
from pto_lsp.server.features.look import Look, holds

_WORD = re.compile(r"\w+")


@node
class Word:
    """An identifier in the text of the function ``source``, which starts at ``start`` in the file; ``span`` counts from
    there.
    """

    source: SourceId
    start: int
    name: str
    span: Span

    def is_in(self, source: SourceId, span: Span) -> bool:
        """Whether ``span``, in the text of ``source``, is about this word."""
        return source is self.source and holds(span, self.span.start) and holds(span, self.span.end)


def word_at(look: Look, position: types.Position) -> Word | None:
    """The identifier that a cursor touches; None outside of DSL functions."""
    offset = look.offset(position)
    found = look.placed_at(offset)
    if found is None:
        return None
    placed, start = found
    code = placed.function.text
    begin = offset - start
    while begin > 0 and (code[begin - 1].isalnum() or code[begin - 1] == "_"):
        begin -= 1
    match = _WORD.match(code, begin)
    if match is None or not match[0].isidentifier():
        return None
    return Word(placed.source, start, match[0], Span(*match.span()))


def is_last_of(word: Word, span: Span) -> bool:
    """Whether the word is the last one of a dotted name: ``put`` of ``kernels.put``."""
    return span.start <= word.span.start < word.span.end == span.end


def argument_at(word: Word, folded: SiteGraph, site: Site) -> Argument | None:
    """The argument written at the word, else, in the body of a region, the captured tensor of that name."""
    arguments = folded.arguments.get(site.index, ())
    for argument in arguments:
        place, expr = in_site(site, argument.expr), argument.expr
        named = isinstance(expr, Var) and expr.label == word.name and expr.span != NO_SPAN
        if named and word.is_in(place.source, place.span):
            return argument
    if site.callee is not None and site.callee.generated:
        return next((argument for argument in arguments if argument.label == word.name), None)
    return None


def variables_at(word: Word, function: Function) -> Iterator[Var]:
    """The variables of ``function`` written at the word."""
    for stmt in walk_block(function.body or ()):
        if stmt.at.source is word.source:
            offset = stmt.at.offset
            for var in all_variables(stmt):
                if var.label == word.name and var.span.shifted(offset) == word.span:
                    yield var


def all_variables(stmt: Stmt) -> Iterator[Var]:
    """What a statement binds and reads itself."""
    yield from bound_variables(stmt)
    for expr in statement_exprs(stmt):
        yield from variables(expr)


def same_tensor(one: Buffer, other: Buffer) -> bool:
    """Buffers that one statement makes in several iterations are one tensor to the reader."""
    if one is other:
        return True
    a, b = one.at, other.at
    return a is not None and b is not None and one.label == other.label and a.source is b.source and a.span == b.span
