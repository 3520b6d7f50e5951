"""The binding of a hoisted value as written: its right side, with what each name in it stands for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pto_lsp.analysis.ir.expressions import Const, Expr, Symbol, Var
from pto_lsp.analysis.ir.statements import Assign
from pto_lsp.analysis.ir.types import TensorType
from pto_lsp.analysis.ir.visitor import walk
from pto_lsp.analysis.source import syntax
from pto_lsp.analysis.source.logical_lines import LineKind, LogicalLine
from pto_lsp.analysis.source.units import UnitCache, UnitKind
from pto_lsp.diagnostics import Span
from pto_lsp.quickfix.places import FunctionText

Meaning = Callable[[str, "Expr | None"], "str | None"]
"""Name as written and what the plan says it stands for (None for names outside of the IR) → text to put there."""


@dataclass(frozen=True, slots=True)
class Binding:
    """``value`` is the syntax of the right side, ``meanings`` the planned expression at each span of it.

    ``comment`` is the comment behind the line with the blanks before it, "" when there is none.
    """

    line: LogicalLine
    text: str
    value: syntax.Expr
    meanings: dict[Span, Expr]
    comment: str
    type: TensorType | None

    def rewritten(self, meaning: Meaning) -> str | None:
        """The right side with every name replaced; None when ``meaning`` has no word for one."""
        return self._rewritten(self.value, meaning)

    def _rewritten(self, expr: syntax.Expr, meaning: Meaning) -> str | None:
        parts: list[str] = []
        position = expr.span.start
        for name in _names(expr):
            new = meaning(name.id, self.meanings.get(name.span))
            if new is None:
                return None
            parts += (self.text[position : name.span.start], new)
            position = name.span.end
        parts.append(self.text[position : expr.span.end])
        return "".join(parts)

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
