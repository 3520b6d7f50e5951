"""Document symbols: program › function › task."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from lsprotocol import types

from pto_lsp.analysis.frontend.module import Placed
from pto_lsp.analysis.ir.program import FunctionKind
from pto_lsp.analysis.source.logical_lines import LineKind, LogicalLine
from pto_lsp.analysis.task_graph.checks.naming import task_name
from pto_lsp.analysis.task_graph.describe import launch_summary
from pto_lsp.diagnostics import Span
from pto_lsp.server.features.look import Look, site_spans

_KINDS = {
    FunctionKind.ORCHESTRATION: "orchestration",
    FunctionKind.GRAPH: "Graph",
    FunctionKind.INLINE: "inline",
    FunctionKind.OPAQUE: "opaque",
    FunctionKind.HOST: "host",
}

Entry = tuple[Span, Span, str, types.SymbolKind, str]
"""Whole range, range of the name, name, kind, detail."""


def symbols(look: Look) -> list[types.DocumentSymbol]:
    """What contains what follows from the ranges alone."""
    entries = sorted(
        [*_programs(look), *_functions(look), *_tasks(look)], key=lambda entry: (entry[0].start, -entry[0].end)
    )
    found: list[types.DocumentSymbol] = []
    around: list[tuple[int, list[types.DocumentSymbol]]] = []
    for whole, name_span, name, kind, detail in entries:
        while around and around[-1][0] < whole.end:
            around.pop()
        children: list[types.DocumentSymbol] = []
        symbol = types.DocumentSymbol(
            name, kind, look.range(whole), look.range(name_span), detail=detail or None, children=children
        )
        (around[-1][1] if around else found).append(symbol)
        around.append((whole.end, children))
    return found


def _programs(look: Look) -> Iterator[Entry]:
    for name, methods in look.module.syntax.programs.items():
        line, start = _class_line(look, methods)
        if line is not None:
            short = name.rpartition(".")[2]
            at = start + line.start + line.text.index(short, len("class"))
            whole = Span(start + line.start, start + _end(line))
            yield whole, Span(at, at + len(short)), short, types.SymbolKind.Class, "program"


def _class_line(look: Look, methods: Sequence[Placed]) -> tuple[LogicalLine | None, int]:
    """The line that opens the class of ``methods``, and where its chunk starts."""
    first = methods[0]
    document = look.module.document
    found: LogicalLine | None = None
    lines: Iterable[LogicalLine] = document.chunks[first.chunk_index].lines
    while True:
        around = next((line for line in lines if line.start <= first.found.start < _end(line)), None)
        if around is None:
            return found, document.chunk_start(first.chunk_index)
        if around.kind is LineKind.CLASS:
            found = around
        lines = around.children


def _end(line: LogicalLine) -> int:
    while line.children:
        line = line.children[-1]
    return line.end


def _functions(look: Look) -> Iterator[Entry]:
    for placed in look.module.syntax.functions:
        start = look.start_of(placed)
        function = placed.function
        whole = Span(start, start + len(function.text.rstrip()))
        kind = types.SymbolKind.Method if function.method else types.SymbolKind.Function
        detail = _KINDS.get(function.declaration.kind, "kernel")
        if function.name_span.start < function.name_span.end:
            yield whole, function.name_span.shifted(start), function.name, kind, detail


def _tasks(look: Look) -> Iterator[Entry]:
    seen: set[tuple[int, int]] = set()
    for folded in look.graphs:
        for site in folded.sites:
            spans = site_spans(look, folded, site)
            if spans is not None and spans[0] not in seen:
                seen.add(spans[0])
                summary = launch_summary(folded, site)
                yield spans[0], spans[1], task_name(site), types.SymbolKind.Event, summary
