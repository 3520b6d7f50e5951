"""Where a function's text mentions and binds names."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pto_lsp.analysis.frontend.blocks import Line
from pto_lsp.analysis.source import syntax
from pto_lsp.diagnostics import Span
from pto_lsp.quickfix.places import FunctionText


@dataclass(frozen=True, slots=True)
class Mention:
    """``span`` in the file; ``binds`` when the name is a target there."""

    name: str
    span: Span
    binds: bool


def mentions(text: FunctionText) -> Iterator[Mention]:
    """Every name in the body of a function, parameters and attributes left out."""
    stack: list[Line] = list(reversed(text.placed.function.lines))
    while stack:
        line = stack.pop()
        base = text.start + line.start.offset
        for statement in line.unit.statements:
            for name, binds in _names(statement, False):
                yield Mention(name.id, name.span.shifted(base), binds)
        stack.extend(reversed(line.body))


def names_of(text: FunctionText) -> frozenset[str]:
    """Names that are taken in a function: its parameters, and whatever its body mentions."""
    params = {piece.parameter.name for piece in text.placed.function.params}
    return frozenset(params | {mention.name for mention in mentions(text)})


def fresh(wanted: str, taken: frozenset[str] | set[str]) -> str:
    """``wanted``, or ``wanted_2`` … when it is taken."""
    name, number = wanted, 1
    while name in taken:
        number += 1
        name = f"{wanted}_{number}"
    return name


_TARGETS = ("targets", "target")


def _names(node: object, binds: bool) -> Iterator[tuple[syntax.Name, bool]]:
    if isinstance(node, syntax.Name):
        yield node, binds
    elif isinstance(node, tuple):
        for each in node:
            yield from _names(each, binds)
    elif type(node).__module__ == syntax.__name__:
        # A subscript or attribute of a target is read, not bound.
        inside = binds and not isinstance(node, (syntax.Subscript, syntax.Attribute))
        for field in type(node).__slots__:  # type: ignore[attr-defined]
            value = getattr(node, field)
            if not isinstance(value, (Span, str)):
                yield from _names(value, inside or field in _TARGETS)
