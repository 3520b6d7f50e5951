"""Calls of inline functions: the launches that each of them stands for, and what these wait for outside of it."""

from __future__ import annotations

from collections.abc import Iterator

from pto_lsp.analysis.ir.place import Place
from pto_lsp.analysis.node import node
from pto_lsp.analysis.task_graph.checks.naming import task_name
from pto_lsp.analysis.task_graph.describe import predecessors, successors, waits_text
from pto_lsp.analysis.task_graph.model import Site
from pto_lsp.analysis.task_graph.sitegraph import SiteGraph
from pto_lsp.diagnostics import Span
from pto_lsp.server.features.look import Look

_NAMED = 4


@node
class InlinedCall:
    """``span`` is the call, in the file; ``sites`` are the launches spliced in there, in order."""

    span: Span
    folded: SiteGraph
    sites: tuple[Site, ...]

    def summary(self) -> str:
        """``3 tasks: norm, up, down · waits for: attention (RAW x) · followed by: 1``."""
        names = list(dict.fromkeys(task_name(site) for site in self.sites))
        more = [f"{len(names) - _NAMED} more"] if len(names) > _NAMED else []
        before: dict[Site, list[str]] = {}
        after: dict[Site, None] = {}
        for site in self.sites:
            for other, reasons in predecessors(self.folded, site).items():
                if other not in self.sites:
                    before.setdefault(other, []).extend(reasons)
            after.update(dict.fromkeys(other for other in successors(self.folded, site) if other not in self.sites))
        count = f"{len(self.sites)} task{'' if len(self.sites) == 1 else 's'}"
        parts = [f"{count}: {', '.join([*names[:_NAMED], *more])}", waits_text(before)]
        return " · ".join([*parts, *([f"followed by: {len(after)}"] if after else [])])


def inlined_calls(look: Look) -> Iterator[InlinedCall]:
    """Those written in the file, in each graph they are part of."""
    for folded in look.graphs:
        groups: dict[tuple[int, int], list[Site]] = {}
        for site in folded.sites:
            for call in _calls(site):
                span = look.span(call)
                if span is not None and site.index in folded.arguments:
                    groups.setdefault((span.start, span.end), []).append(site)
        for (start, end), sites in groups.items():
            yield InlinedCall(Span(start, end), folded, tuple(sites))


def _calls(site: Site) -> Iterator[Place]:
    """The calls through which a launch was spliced in."""
    call = site.place.anchor.inlined_at
    while call is not None:
        yield call
        call = call.anchor.inlined_at
