"""Code lenses: what each launch waits for, and how much of the limits each Graph uses."""

from __future__ import annotations

from collections.abc import Iterator

from lsprotocol import types

from pto_lsp.analysis.ir.place import place
from pto_lsp.analysis.task_graph.describe import launch_summary
from pto_lsp.diagnostics import Span
from pto_lsp.server.features.graph_text import budget
from pto_lsp.server.features.look import Look


def code_lenses(look: Look) -> list[types.CodeLens]:
    """In the order of the text; a line that is part of several graphs has one for each thing to say."""
    found = dict.fromkeys([*_launches(look), *_graphs(look)])
    return [
        types.CodeLens(look.range(Span(*span)), types.Command(title, ""))
        for span, title in sorted(found, key=lambda each: each[0])
    ]


def _launches(look: Look) -> Iterator[tuple[tuple[int, int], str]]:
    for folded in look.graphs:
        for site in folded.sites:
            # A launch that was never reached has nothing to wait for that one could know.
            span = look.span(site.place) if site.index in folded.arguments else None
            if span is not None:
                yield (span.start, span.end), launch_summary(folded, site)


def _graphs(look: Look) -> Iterator[tuple[tuple[int, int], str]]:
    for program in look.programs:
        for plan in program.plan.graphs.values():
            span = look.span(place(plan.function.at, plan.function.name_span))
            used = budget(plan)
            if span is not None and used:
                yield (span.start, span.end), used
