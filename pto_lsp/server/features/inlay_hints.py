"""Inlay hints, for who switches them on: what launches write, and what the compiler adds to calls of a Graph."""

from __future__ import annotations

from collections.abc import Iterator

from lsprotocol import types

from pto_lsp.analysis.ir.expressions import NO_SPAN
from pto_lsp.analysis.ir.place import place
from pto_lsp.analysis.passes.derive_call_directions import CallDirection
from pto_lsp.analysis.task_graph.checks.naming import in_site
from pto_lsp.analysis.task_graph.describe import argument_text
from pto_lsp.analysis.task_graph.model import Site, SiteKind
from pto_lsp.analysis.task_graph.sitegraph import SiteGraph
from pto_lsp.diagnostics import Span
from pto_lsp.server.features.graph_text import hoisted_names
from pto_lsp.server.features.look import Look

_WORDS = {
    CallDirection.OUTPUT: "out",
    CallDirection.OUTPUT_EXISTING: "out",
    CallDirection.INOUT: "inout",
    CallDirection.NO_DEP: "no dep",
}
"""What is only read has no hint: most arguments are."""


def inlay_hints(look: Look, within: types.Range) -> list[types.InlayHint]:
    """Those on the lines of ``within``, in the order of the text; each place once, whatever programs it is part of."""
    found: dict[tuple[int, bool], types.InlayHint] = {}
    for offset, label, tooltip, before in [*_launches(look), *_graphs(look)]:
        at = look.range(Span(offset, offset)).start
        # Of several programs the first: two hints in one place would read as one.
        if within.start.line <= at.line <= within.end.line and (offset, before) not in found:
            found[offset, before] = types.InlayHint(
                at, label, tooltip=tooltip, padding_left=not before or None, padding_right=before or None
            )
    return [found[key] for key in sorted(found)]


_Hint = tuple[int, str, str, bool]
"""Offset into the file, label, tooltip, and whether it stands before what it is about."""


def _launches(look: Look) -> Iterator[_Hint]:
    for folded in look.graphs:
        for site in folded.sites:
            if site.callee is not None and site.callee.generated:
                yield from _region(look, folded, site)
            else:
                yield from _call(look, folded, site)
            if site.kind is SiteKind.GRAPH and site.callee is not None:
                yield from _hoisted_arguments(look, site)


def _call(look: Look, folded: SiteGraph, site: Site) -> Iterator[_Hint]:
    for argument in folded.arguments.get(site.index, ()):
        word = _WORDS.get(argument.direction)
        if word is not None and argument.expr.span != NO_SPAN:
            span = look.span(in_site(site, argument.expr))
            if span is not None:
                yield span.start, f"{word}:", argument_text(folded.graph, site, argument), True


def _region(look: Look, folded: SiteGraph, site: Site) -> Iterator[_Hint]:
    """What the body reads and writes of the names around it, behind the header."""
    span = look.span(site.place)
    if span is None or site.index not in folded.arguments:
        return
    lists: dict[str, list[str]] = {}
    lines: list[str] = []
    for argument in folded.arguments[site.index]:
        if argument.label:
            lists.setdefault(_WORDS.get(argument.direction, "in"), []).append(argument.label)
            lines.append(argument_text(folded.graph, site, argument))
    parts = [f"{word}: {', '.join(dict.fromkeys(lists[word]))}" for word in ("in", *_WORDS.values()) if word in lists]
    if parts:
        yield span.end, " · ".join(dict.fromkeys(parts)), "\n".join(lines), False


def _graphs(look: Look) -> Iterator[_Hint]:
    """Behind the last parameter of a Graph those that hoisting adds."""
    for program in look.programs:
        for plan in program.plan.graphs.values():
            params = [param for param in plan.function.params if not param.hoisted]
            names = hoisted_names(plan)
            # A Graph scope has no list of parameters in the text.
            span = look.span(place(params[-1].at, params[-1].span)) if params and names else None
            name = look.span(place(plan.function.at, plan.function.name_span))
            if span is not None and name is not None and name.end <= span.start:
                yield (
                    span.end,
                    f", {', '.join(names)}",
                    "computed at the call site: what a replay must pass anew",
                    False,
                )


def _hoisted_arguments(look: Look, site: Site) -> Iterator[_Hint]:
    """Behind the last argument of a call of a Graph those that hoisting adds."""
    for program in look.programs:
        plan = program.plan.graphs.get(site.callee.key) if site.callee is not None else None
        if plan is not None and site.callee is not None and plan.function.at.source is site.callee.at.source:
            names = hoisted_names(plan)
            span = look.span(in_site(site, site.call)) if names else None
            if span is not None and look.module.document.text[span.end - 1] == ")":
                yield span.end - 1, f", {', '.join(names)}", "added by the compiler: computed before this call", False
            return
