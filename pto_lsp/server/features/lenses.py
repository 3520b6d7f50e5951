"""Code lenses: what each launch waits for, and how much of the limits each Graph uses."""

from __future__ import annotations

from collections.abc import Iterator

from lsprotocol import types

from pto_lsp.analysis.ir.place import place
from pto_lsp.analysis.task_graph.describe import launch_summary
from pto_lsp.diagnostics import Span
from pto_lsp.server.features.graph_text import budget
from pto_lsp.server.features.inlined import inlined_calls
from pto_lsp.server.features.look import Look

SHOW_PEERS = "pto-lsp.showPeers"
"""A command of the client, with a document and a position: it lists what ``pto.taskPeers`` says of them."""


def code_lenses(look: Look, clickable: bool = False) -> list[types.CodeLens]:
    """In the order of the text. What is part of several graphs has one for each that says something else, by name.

    With ``clickable`` those of launches have a command; without it a click does nothing.
    """
    said: dict[tuple[int, int], dict[str, str]] = {}
    launching = [*_launches(look), *_inlined(look)]
    for span, function, title in (*launching, *_graphs(look)):
        said.setdefault(span, {}).setdefault(title, function)
    with_peers = {span for span, _, _ in launching} if clickable else set()
    found: list[types.CodeLens] = []
    for span, of in sorted(said.items(), key=lambda each: each[0]):
        where = look.range(Span(*span))
        for title, function in of.items():
            shown = f"{function}: {title}" if len(of) > 1 else title
            command = (
                types.Command(shown, SHOW_PEERS, arguments=[look.uri, where.start]) if span in with_peers else None
            )
            found.append(types.CodeLens(where, command or types.Command(shown, "")))
    return found


_Lens = tuple[tuple[int, int], str, str]
"""Span in the file, the function whose graph it is about, title."""


def _launches(look: Look) -> Iterator[_Lens]:
    for folded in look.graphs:
        for site in folded.sites:
            # A launch that was never reached has nothing to wait for that one could know.
            span = look.span(site.place) if site.index in folded.arguments else None
            if span is not None:
                yield (span.start, span.end), folded.graph.function.name, launch_summary(folded, site)


def _inlined(look: Look) -> Iterator[_Lens]:
    for call in inlined_calls(look):
        yield (call.span.start, call.span.end), call.folded.graph.function.name, call.summary()


def _graphs(look: Look) -> Iterator[_Lens]:
    for program in look.programs:
        for plan in program.plan.graphs.values():
            span = look.span(place(plan.function.at, plan.function.name_span))
            used = budget(plan)
            if span is not None and used:
                yield (span.start, span.end), plan.name, used
