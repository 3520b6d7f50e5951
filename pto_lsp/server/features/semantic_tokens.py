"""Semantic tokens: what a replay of a Graph passes anew, as modifiers of names that other servers colour already.

``boundary`` marks the scalar parameters of a Graph, whose values each call passes; ``hoisted`` the values that the
compiler moves to the call site. Nothing else has a token, so that the lists stay small.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator

from lsprotocol import types

from pto_lsp.analysis.graph_boundary.graph_plan import GraphPlan
from pto_lsp.analysis.ir.expressions import Call, Submit
from pto_lsp.analysis.ir.place import SourceId, place
from pto_lsp.analysis.ir.program import Program
from pto_lsp.analysis.ir.statements import Stmt
from pto_lsp.analysis.ir.types import is_scalar
from pto_lsp.analysis.ir.visitor import bound_variables, statement_exprs, variables, walk_block
from pto_lsp.diagnostics import Span
from pto_lsp.quickfix.mentions import Mention, mentions
from pto_lsp.quickfix.places import function_text
from pto_lsp.server.features.look import Look, statements_of
from pto_lsp.server.features.token_legend import MODIFIERS, TYPES

_PARAMETER, _VARIABLE = (TYPES.index(name) for name in ("parameter", "variable"))
_DECLARATION, _BOUNDARY, _HOISTED = (1 << MODIFIERS.index(name) for name in ("declaration", "boundary", "hoisted"))


def semantic_tokens(look: Look, within: types.Range | None = None) -> types.SemanticTokens:
    """Those of the file, or those whose lines are ``within``."""
    found: dict[Span, tuple[int, int]] = {}
    written = _Written(look)
    for program in look.programs:
        for plan in program.plan.graphs.values():
            for span, kind, modifiers in _of_graph(look, plan, program.plan.program, written):
                found.setdefault(span, (kind, modifiers))
    return types.SemanticTokens(_encoded(look, found, within))


_Names = dict[str, tuple[int, int]]


def _of_graph(look: Look, plan: GraphPlan, program: Program, written: _Written) -> Iterator[tuple[Span, int, int]]:
    scalars = [param for param in plan.function.params if is_scalar(param.type)]
    names: _Names = {hoist.var.name: (_VARIABLE, _HOISTED) for hoist in plan.hoisted}
    names.update({param.name: (_PARAMETER, _BOUNDARY) for param in scalars})
    for param in scalars:
        # That of a scope is written where it gets its value: no declaration.
        span = look.span(place(param.at, param.name_span))
        if span is not None and not plan.function.generated:
            yield span, _PARAMETER, _BOUNDARY | _DECLARATION
    for stmt in walk_block(plan.function.body or ()):
        bound = {var.label: names[var.name] for var in bound_variables(stmt) if var.name in names}
        read = {
            var.label: names[var.name] for expr in statement_exprs(stmt) for var in variables(expr) if var.name in names
        }
        yield from written.in_statement(stmt, read, bound)
        for inner, labels in _in_regions(stmt, program):
            yield from written.in_statement(inner, {label: names[label] for label in labels if label in names}, {})


def _in_regions(stmt: Stmt, program: Program) -> Iterator[tuple[Stmt, set[str]]]:
    """What each statement of the regions launched by ``stmt`` reads of the names around them."""
    for expr in statement_exprs(stmt):
        callee = program.functions.get(expr.callee) if isinstance(expr, (Call, Submit)) else None
        if callee is not None and callee.generated:
            inside = list(statements_of(callee, program))
            own = {var.label for inner in inside for var in bound_variables(inner)}
            for inner in inside:
                read = {var.label for expr in statement_exprs(inner) for var in variables(expr)}
                yield inner, read - own


class _Written:
    """Where names stand in the text: the analysis keeps one of two that mean the same, as in ``x[n : n + 8]``."""

    def __init__(self, look: Look) -> None:
        self._look = look
        self._mentions: dict[SourceId, list[Mention]] = {}

    def in_statement(self, stmt: Stmt, read: _Names, bound: _Names) -> Iterator[tuple[Span, int, int]]:
        where = self._look.span(place(stmt.at, stmt.span)) if read or bound else None
        if where is None:
            return
        found = self._of(stmt.at.source)
        for mention in found[bisect_left(found, where.start, key=_start) : bisect_left(found, where.end, key=_start)]:
            known = (bound if mention.binds else read).get(mention.name)
            if known is not None:
                yield mention.span, known[0], known[1] | (_DECLARATION if mention.binds else 0)

    def _of(self, source: SourceId) -> list[Mention]:
        if source not in self._mentions:
            text = function_text(self._look.project, source)
            self._mentions[source] = [] if text is None else sorted(mentions(text), key=_start)
        return self._mentions[source]


def _start(mention: Mention) -> int:
    return mention.span.start


def _encoded(look: Look, found: dict[Span, tuple[int, int]], within: types.Range | None) -> list[int]:
    """Relative to the token before, as the protocol has them."""
    data: list[int] = []
    line = character = 0
    for span in sorted(found, key=lambda each: each.start):
        place = look.range(span)
        start, end = place.start, place.end
        # A name stands on one line.
        if start.line != end.line or (within is not None and not within.start.line <= start.line <= within.end.line):
            continue
        if start.line != line:
            character = 0
        kind, modifiers = found[span]
        data += [start.line - line, start.character - character, end.character - start.character, kind, modifiers]
        line, character = start.line, start.character
    return data
