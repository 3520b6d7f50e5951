"""Document highlight: who reads and who writes a tensor, under whatever name it is passed."""

from __future__ import annotations

from collections.abc import Iterator

from lsprotocol import types

from pto_lsp.analysis.ir.expressions import NO_SPAN
from pto_lsp.analysis.ir.place import Place, place
from pto_lsp.analysis.ir.visitor import bound_variables
from pto_lsp.analysis.task_graph.checks.naming import in_site
from pto_lsp.analysis.task_graph.model import Argument, Site
from pto_lsp.analysis.task_graph.regions import Buffer
from pto_lsp.analysis.task_graph.sitegraph import SiteGraph
from pto_lsp.diagnostics import Span
from pto_lsp.server.features.look import Look, body_of
from pto_lsp.server.features.words import Word, all_variables, argument_at, same_tensor, word_at

_RANK = (types.DocumentHighlightKind.Text, types.DocumentHighlightKind.Read, types.DocumentHighlightKind.Write)


def highlights(look: Look, position: types.Position) -> list[types.DocumentHighlight] | None:
    """None where the word is no tensor of a launch: the client then has its own way."""
    word = word_at(look, position)
    if word is None:
        return None
    kinds: dict[tuple[int, int], types.DocumentHighlightKind] = {}
    for folded in look.graphs:
        buffers = _tensors(look, word, folded)
        for where, kind in _accesses(folded, buffers) if buffers else ():
            span = look.span(where)
            if span is not None:
                key = (span.start, span.end)
                kinds[key] = max(kind, kinds.get(key, kind), key=_RANK.index)
    span = word.span.shifted(word.start)
    if (span.start, span.end) not in kinds:
        return None
    return [types.DocumentHighlight(look.range(Span(*key)), kinds[key]) for key in sorted(kinds)]


def _tensors(look: Look, word: Word, folded: SiteGraph) -> list[Buffer]:
    """What the word stands for in one graph: a parameter, or an argument where one buffer is known."""
    function = folded.graph.function
    for param in function.params:
        if word.is_in(param.at.source, param.name_span.shifted(param.at.offset)):
            return [b for b in folded.buffers if b.direction is not None and b.label == param.name]
    found: list[Buffer] = []
    for other, site in look.sites_at(word.source, word.span.start):
        argument = argument_at(word, folded, site) if other is folded else None
        if argument is not None and len(argument.views) == 1:
            found.append(argument.views[0].buffer)
    return found


def _accesses(folded: SiteGraph, buffers: list[Buffer]) -> Iterator[tuple[Place, types.DocumentHighlightKind]]:
    for param in folded.graph.function.params:
        if any(b.direction is not None and b.label == param.name for b in buffers):
            yield place(param.at, param.name_span), types.DocumentHighlightKind.Text
    for site in folded.sites:
        for argument in folded.arguments.get(site.index, ()):
            if any(same_tensor(view.buffer, buffer) for view in argument.views for buffer in buffers):
                yield from _of_argument(folded, site, argument)


def _of_argument(
    folded: SiteGraph, site: Site, argument: Argument
) -> Iterator[tuple[Place, types.DocumentHighlightKind]]:
    if site.callee is not None and site.callee.generated:
        for stmt in body_of(site, folded.graph.analyser.program):
            bound = {var.span for var in bound_variables(stmt)}
            for var in all_variables(stmt):
                if var.label == argument.label and var.span != NO_SPAN:
                    written = var.span in bound
                    yield place(stmt.at, var.span), _RANK[2] if written else _RANK[1]
        return
    if argument.expr.span != NO_SPAN:
        yield in_site(site, argument.expr), _RANK[1] if argument.is_input else _RANK[2]
    for var in bound_variables(site.statement):
        if var.label == argument.label and var.span != NO_SPAN and not argument.is_input:
            yield place(site.statement.at, var.span), _RANK[2]
