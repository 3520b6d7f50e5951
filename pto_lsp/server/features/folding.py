"""Folding: every block and every bracket of several lines, since a client that asks folds nothing else."""

from __future__ import annotations

from lsprotocol import types

from pto_lsp.analysis.frontend.module import Module


def folding_ranges(module: Module) -> list[types.FoldingRange]:
    """In whole lines."""
    document = module.document
    position = document.position
    found: list[types.FoldingRange] = []
    for index, chunk in enumerate(document.chunks):
        start = document.chunk_start(index)
        for line in chunk.tree.flat:
            first, last = position(start + line.start).line, position(start + line.end).line
            # The line of the closing bracket stays in sight.
            if last - first > 1:
                found.append(types.FoldingRange(first, last - 1))
            if line.children:
                inner = line
                while inner.children:
                    inner = inner.children[-1]
                end = position(start + inner.end).line
                if end > last:
                    found.append(types.FoldingRange(last, end))
    return found
