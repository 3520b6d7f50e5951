"""The statements of a function as the front end reads them: parsed lines in a tree."""

from __future__ import annotations

from collections.abc import Sequence

from pto_lsp.analysis.ir.place import LineStart
from pto_lsp.analysis.node import node
from pto_lsp.analysis.source.syntax import Unit


@node
class Line:
    """One logical line. ``start`` says where it is in its function's text; it follows edits around the line."""

    unit: Unit
    start: LineStart
    body: tuple[Line, ...]


def matched(units: Sequence[Unit], before: tuple[Line, ...]) -> list[Line | None]:
    """For each of the lines ``units`` of a block the line of its former text ``before`` that it continues.

    Lines around the change are the same; of those in between, equal ones are paired from the top, the rest by position
    where as many lines were there before: their bodies may still be alike. No line is continued twice.
    """
    shorter = min(len(units), len(before))
    head = 0
    while head < shorter and units[head] is before[head].unit:
        head += 1
    tail = 0
    while tail < shorter - head and units[-1 - tail] is before[-1 - tail].unit:
        tail += 1
    middle = units[head : len(units) - tail]
    old = list(before[head : len(before) - tail])
    if len(middle) == len(old):
        inside: list[Line | None] = list(old)
    else:
        inside = []
        for unit in middle:
            index = next((i for i, line in enumerate(old) if line.unit is unit), None)
            inside.append(None if index is None else old[index])
            del old[: 0 if index is None else index + 1]
    return [*before[:head], *inside, *before[len(before) - tail :]]
