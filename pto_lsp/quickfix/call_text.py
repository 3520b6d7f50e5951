"""A call as written: the text of its arguments, and where further ones go."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pto_lsp.analysis.ir.expressions import Binary, Call, Expr, Op, Submit, Unary, Unknown
from pto_lsp.analysis.ir.program import Param
from pto_lsp.analysis.ir.visitor import walk
from pto_lsp.analysis.source import syntax
from pto_lsp.analysis.source.logical_lines import LineKind
from pto_lsp.analysis.source.units import UnitCache, UnitKind
from pto_lsp.diagnostics import Span
from pto_lsp.quickfix.binding import Said
from pto_lsp.quickfix.callers import TextualCall
from pto_lsp.quickfix.listing import Listing, insert_items, remove_item
from pto_lsp.quickfix.places import FunctionText
from pto_lsp.quickfix.rewriter import Refused, Rewriter


@dataclass(frozen=True, slots=True)
class CallText:
    """``arguments`` are the texts by parameter, ``simple`` whether each can be an operand as it is, ``once`` whether it
    does something that must not happen twice (a call, an allocation).

    ``listing`` holds the positional and keyword arguments as written, ``keywords`` their names, ``positional`` how many
    of them come by position (a submit's callee not counted in it, but in ``listing``).
    """

    caller: FunctionText
    arguments: tuple[str, ...]
    simple: tuple[bool, ...]
    once: tuple[bool, ...]
    listing: Listing
    keywords: tuple[str | None, ...]
    positional: int
    leading: int

    def said(self, index: int) -> Said | None:
        """Argument ``index``; None when the call does not pass it, or something that must not be written twice."""
        if index >= len(self.arguments) or self.once[index]:
            return None
        return Said(self.arguments[index], self.simple[index])

    def insert_arguments(self, rewriter: Rewriter, index: int, names: Sequence[str], values: Sequence[str]) -> None:
        """Pass ``values`` for the parameters ``names`` that begin at position ``index``."""
        if index <= self.positional:
            insert_items(rewriter, self.caller, self.listing, self.leading + index, values)
        else:
            # Some argument before them comes by keyword, so they have to as well.
            keywords = [f"{name}={value}" for name, value in zip(names, values)]
            insert_items(rewriter, self.caller, self.listing, len(self.listing.items), keywords)

    def remove_argument(self, rewriter: Rewriter, index: int, name: str) -> None:
        """Pass nothing for the parameter ``name`` at position ``index`` any more. Raises `Refused`."""
        if index < self.positional:
            if self.once[index]:
                raise Refused("an argument does something that would be lost")
            remove_item(rewriter, self.caller, self.listing, self.leading + index)
        elif name in self.keywords:
            remove_item(rewriter, self.caller, self.listing, self.keywords.index(name))


def call_text(call: TextualCall, params: tuple[Param, ...]) -> CallText | None:
    """The call as written; None when it passes arguments in a way that cannot be extended (``*args``)."""
    caller = call.caller
    line = caller.line(call.statement.at)
    if line is None:
        return None
    kind = UnitKind.SIMPLE if line.kind is LineKind.SIMPLE else UnitKind.HEADER
    unit = UnitCache().get(line.text, kind)
    base = caller.chunk_start + line.start
    shift = caller.start + call.statement.at.offset - base
    written = _find(unit, call.call.span.shifted(shift))
    if written is None or any(a.star for a in written.args):
        return None
    leading = 1 if isinstance(call.call, Submit) else 0
    items = tuple(Span(base + a.span.start, base + a.span.end) for a in written.args)
    listing = Listing(items, base + written.func.span.end + 1, base + written.span.end - 1)
    keywords = [a.keyword for a in written.args]
    if len(call.call.args) > len(params):
        return None
    texts, simple, once = [], [], []
    for argument in call.call.args:
        texts.append(caller.slice(call.statement.at, argument.span))
        simple.append(not isinstance(argument, (Binary, Unary)))
        once.append(any(isinstance(part, (Call, Submit, Unknown)) or _creates(part) for part in walk(argument)))
    positional = sum(a.keyword is None for a in written.args) - leading
    return CallText(caller, tuple(texts), tuple(simple), tuple(once), listing, tuple(keywords), positional, leading)


def _creates(expr: Expr) -> bool:
    return isinstance(expr, Op) and expr.name in ("tensor.create", "tensor.full")


def _find(unit: syntax.Unit, span: Span) -> syntax.Call | None:
    """The call expression at ``span`` of a unit."""
    stack: list[object] = list(unit.statements)
    while stack:
        current = stack.pop()
        if isinstance(current, syntax.Call) and current.span == span:
            return current
        stack += _below(current)
    return None


def _below(current: object) -> list[object]:
    if isinstance(current, (syntax.Assign, syntax.ExprStmt, syntax.Return)):
        return [current.value]
    if isinstance(current, syntax.Call):
        return [current.func, *(a.value for a in current.args)]
    if isinstance(current, syntax.Binary):
        return [current.left, current.right]
    if isinstance(current, (syntax.ListDisplay, syntax.TupleDisplay)):
        return list(current.items)
    if isinstance(current, syntax.Subscript):
        return [current.base]
    return []
