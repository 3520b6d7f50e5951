"""The binding of a hoisted value as written: its right side, with what each name in it stands for."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from pto_lsp.analysis.ir.expressions import Const, Expr, Symbol, Var
from pto_lsp.analysis.ir.statements import Assign
from pto_lsp.analysis.ir.types import TensorType
from pto_lsp.analysis.ir.visitor import walk
from pto_lsp.analysis.source import syntax
from pto_lsp.analysis.source.logical_lines import LineKind, LogicalLine
from pto_lsp.analysis.source.units import UnitCache, UnitKind
from pto_lsp.diagnostics import Span
from pto_lsp.quickfix.places import FunctionText

_LINE_END = re.compile(r"(\r\n|\r|\n)")
# An empty text is the beginning, or the end, of the whole expression.
_OPENING = ("", "[", "(", ",", "=")
_CLOSING = ("", "]", ")", ",", ":")


class Said(NamedTuple):
    """Text that stands for a name. ``simple``: it can be an operand as it is."""

    text: str
    simple: bool = True


Meaning = Callable[[str, "Expr | None"], "Said | None"]
"""Name as written and what the plan says it stands for (None for names outside of the IR) → what to put there."""


@dataclass(frozen=True, slots=True)
class Binding:
    """``value`` is the syntax of the right side, ``meanings`` the planned expression at each span of it.

    ``by_name`` has those that stand for a name anywhere in it, for places that simplification has removed. ``comment``
    is the comment behind the line with the blanks before it, "" when there is none; ``indent`` the blanks before the
    line.
    """

    line: LogicalLine
    text: str
    value: syntax.Expr
    meanings: dict[Span, Expr]
    by_name: dict[str, Expr]
    indent: str
    comment: str
    type: TensorType | None

    def rewritten(self, meaning: Meaning) -> str | None:
        """The right side with every name replaced; None when ``meaning`` has no word for one."""
        return self._rewritten(self.value, meaning)

    def _rewritten(self, expr: syntax.Expr, meaning: Meaning) -> str | None:
        parts: list[str] = []
        position = expr.span.start
        for name in _names(expr):
            new = meaning(name.id, self.meanings.get(name.span) or self.by_name.get(name.id))
            if new is None:
                return None
            bare = new.simple or self._alone(name.span, expr.span)
            parts += (self.text[position : name.span.start], new.text if bare else f"({new.text})")
            position = name.span.end
        parts.append(self.text[position : expr.span.end])
        return "".join(parts)

    def _alone(self, span: Span, whole: Span) -> bool:
        """Whether what stands at ``span`` is no operand of anything: an item of a list, an argument, all there is."""
        before = self.text[whole.start : span.start].rstrip()[-1:]
        after = self.text[span.end : whole.end].lstrip()[:1]
        return before in _OPENING and after in _CLOSING

    def indented(self, value: str, indent: str) -> str:
        """``value``, which may be wrapped, for a line that is indented by ``indent``."""
        first, *rest = _LINE_END.split(value)
        pieces = [first]
        for end, line in zip(rest[::2], rest[1::2]):
            pieces += (end, indent + line[len(self.indent) :] if line.startswith(self.indent) else line)
        return "".join(pieces)

    def tensor_annotation(self, constant: Callable[[str], bool]) -> str | None:
        """``pl.Tensor[[D, D], pl.FP32]`` with the extents as the author spelled them, where names allow it."""
        if self.type is None or self.type.shape is None or not self.type.dtype:
            return None
        written = self._written_shape(constant)
        extents = written if written is not None else [_extent(e) for e in self.type.shape]
        if any(e is None for e in extents):
            return None
        return f"pl.Tensor[[{', '.join(e for e in extents if e)}], pl.{self.type.dtype}]"

    def _written_shape(self, constant: Callable[[str], bool]) -> list[str | None] | None:
        if not isinstance(self.value, syntax.Call) or self.type is None or self.type.shape is None:
            return None
        lists = [a.value for a in self.value.args if isinstance(a.value, syntax.ListDisplay)]
        if not lists or len(lists[0].items) != len(self.type.shape):
            return None
        if not all(constant(name.id) for name in _names(lists[0])):
            return None
        return [self.text[item.span.start : item.span.end] for item in lists[0].items]


def binding_of(text: FunctionText, statement: Assign, planned: Expr) -> Binding | None:
    """The binding ``statement`` as written; None unless it has a line of its own."""
    line = text.line(statement.at)
    if line is None or line.kind is not LineKind.SIMPLE:
        return None
    unit = UnitCache().get(line.text, UnitKind.SIMPLE)
    if len(unit.statements) != 1 or not isinstance(unit.statements[0], syntax.Assign):
        return None
    value = unit.statements[0].value
    if value is None:
        return None
    meanings: dict[Span, Expr] = {}
    # The plan's expression has the shape of the written one; what a name stands for is what is in its place there.
    for written, stands in zip(walk(statement.value), walk(planned)):
        if isinstance(written, (Var, Const, Symbol)):
            meanings.setdefault(written.span, stands)
    by_name: dict[str, Expr] = {}
    for name in _names(value):
        if name.span in meanings:
            by_name.setdefault(name.id, meanings[name.span])
    end = text.chunk_start + line.start + len(line.text)
    stop = end
    while stop < len(text.text) and text.text[stop] not in "\r\n":
        stop += 1
    type_ = statement.target.type
    return Binding(
        line,
        line.text,
        value,
        meanings,
        by_name,
        text.indentation(line),
        text.text[end:stop].rstrip() if text.text[end:stop].strip() else "",
        type_ if isinstance(type_, TensorType) else None,
    )


def _extent(expr: Expr) -> str | None:
    if isinstance(expr, Const):
        return expr.written or str(expr.value)
    return expr.name if isinstance(expr, Symbol) else None


def _names(expr: syntax.Expr) -> list[syntax.Name]:
    """Every name in ``expr`` in the order of the text."""
    found: list[syntax.Name] = []
    stack: list[object] = [expr]
    while stack:
        current = stack.pop()
        if isinstance(current, syntax.Name):
            found.append(current)
        elif isinstance(current, syntax.Attribute):
            stack.append(current.base)
        elif isinstance(current, syntax.Call):
            stack += [current.func, *(a.value for a in current.args)]
        elif isinstance(current, syntax.Subscript):
            stack += [current.base, *current.items]
        elif isinstance(current, syntax.Slice):
            stack += [e for e in (current.lower, current.upper, current.step) if e is not None]
        elif isinstance(current, syntax.Unary):
            stack.append(current.operand)
        elif isinstance(current, syntax.Binary):
            stack += (current.left, current.right)
        elif isinstance(current, syntax.Compare):
            stack += current.operands
        elif isinstance(current, (syntax.ListDisplay, syntax.TupleDisplay)):
            stack += current.items
    return sorted(found, key=lambda name: name.span)
