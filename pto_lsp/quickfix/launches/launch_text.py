"""A task launch as written: where its keywords, its waits and its task id stand."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from pto_lsp.analysis.ir.expressions import Call
from pto_lsp.analysis.ir.statements import Assign, Evaluate, Region, RegionKind, Unpack
from pto_lsp.analysis.source import syntax
from pto_lsp.analysis.source.logical_lines import LineKind, LogicalLine
from pto_lsp.analysis.source.units import UnitCache, UnitKind
from pto_lsp.diagnostics import Span
from pto_lsp.quickfix.launches.lexical import Lexical, Written
from pto_lsp.quickfix.listing import Listing, insert_items, remove_item
from pto_lsp.quickfix.places import FunctionText
from pto_lsp.quickfix.rewriter import Refused, Rewriter


class Form(Enum):
    WITH = "with"
    FOR = "for"
    SUBMIT = "submit"
    CALL = "call"
    DUMMY = "dummy"


@dataclass(frozen=True, slots=True)
class LaunchText:
    """``call`` is the launching call (``pl.at(...)``, ``pl.submit(...)``, ``self.kernel(...)``), ``target`` what its
    statement binds. Spans of both count from the file offset ``base``.
    """

    text: FunctionText
    written: Written
    form: Form
    base: int
    statement: syntax.Statement
    call: syntax.Call
    target: syntax.Expr | None

    @property
    def line(self) -> LogicalLine:
        return self.written.line

    @property
    def offset(self) -> int:
        """Where the statement begins in its function: tells launches apart."""
        return self.written.stmt.at.offset

    @property
    def end(self) -> int:
        """File offset behind the last line of the launch, its body included and its terminator left out."""
        last = self.line
        while last.children:
            last = last.children[-1]
        return self.text.chunk_start + last.end

    @property
    def listing(self) -> Listing:
        """The arguments of the call."""
        items = tuple(self.span(argument.span) for argument in self.call.args)
        opening = self.text.text.index("(", self.base + self.call.func.span.end)
        return Listing(items, opening + 1, self.base + self.call.span.end - 1)

    def span(self, span: Span) -> Span:
        """A span in the file."""
        return span.shifted(self.base)

    def shown(self, expr: syntax.Expr) -> str:
        return self.text.text[self.base + expr.span.start : self.base + expr.span.end]

    def shown_argument(self, argument: syntax.Argument) -> str:
        return self.text.text[self.base + argument.span.start : self.base + argument.span.end]

    def keyword(self, name: str) -> syntax.Argument | None:
        return next((a for a in self.call.args if a.keyword == name), None)

    def entries(self) -> tuple[syntax.Expr, ...]:
        """The entries of ``deps=`` as written. Raises `Refused` where it is no list or tuple."""
        deps = self.keyword("deps")
        if deps is None or (isinstance(deps.value, syntax.Literal) and deps.value.value is None):
            return ()
        if not isinstance(deps.value, (syntax.ListDisplay, syntax.TupleDisplay)):
            raise Refused("deps= is not written as a list")
        return deps.value.items

    def task_id(self) -> syntax.Name | None:
        """The name the launch binds its task id to."""
        target = self.target
        if self.form is Form.SUBMIT:
            if not isinstance(target, syntax.TupleDisplay) or len(target.items) < 2:
                return None
            target = target.items[-1]
        elif self.form is Form.CALL:
            return None
        return target if isinstance(target, syntax.Name) else None

    # -- changes -------------------------------------------------------------------------------------------------

    def add_keyword(self, rewriter: Rewriter, written: str) -> None:
        insert_items(rewriter, self.text, self.listing, len(self.call.args), [written])

    def remove_keyword(self, rewriter: Rewriter, name: str) -> None:
        index = next((i for i, a in enumerate(self.call.args) if a.keyword == name), None)
        if index is None:
            raise Refused(f"{name}= was not found")
        remove_item(rewriter, self.text, self.listing, index)

    def remove_entry(self, rewriter: Rewriter, name: str, index: int) -> None:
        """Take entry ``index`` out of the list of the keyword ``name``; the last one takes the keyword along."""
        argument = self.keyword(name)
        if argument is None or not isinstance(argument.value, (syntax.ListDisplay, syntax.TupleDisplay)):
            raise Refused(f"{name}= is not written as a list")
        entries = argument.value
        if len(entries.items) == 1 and self.form is not Form.DUMMY:
            self.remove_keyword(rewriter, name)
        elif len(entries.items) == 2 and isinstance(entries, syntax.TupleDisplay):
            span = self.span(entries.span)
            rewriter.replace(self.text.path, span.start, span.end, f"[{self.shown(entries.items[1 - index])}]")
        else:
            remove_item(rewriter, self.text, self.listing_of(entries), index)

    def listing_of(self, entries: syntax.ListDisplay | syntax.TupleDisplay) -> Listing:
        items = tuple(self.span(item.span) for item in entries.items)
        return Listing(items, self.base + entries.span.start + 1, self.base + entries.span.end - 1)

    def add_waits(self, rewriter: Rewriter, waits: list[str]) -> None:
        """List ``waits`` in ``deps=``. Raises `Refused` where it is not written as a list."""
        deps = self.keyword("deps")
        if deps is None:
            self.add_keyword(rewriter, f"deps=[{', '.join(waits)}]")
        elif isinstance(deps.value, (syntax.ListDisplay, syntax.TupleDisplay)):
            insert_items(rewriter, self.text, self.listing_of(deps.value), len(deps.value.items), waits)
        elif isinstance(deps.value, syntax.Literal) and deps.value.value is None:
            span = self.span(deps.value.span)
            rewriter.replace(self.text.path, span.start, span.end, f"[{', '.join(waits)}]")
        else:
            raise Refused("deps= is not written as a list")


def launch_text(lexical: Lexical, written: Written) -> LaunchText:
    """The launch at a statement. Raises `Refused` where it is written in some other way."""
    found = statement_call(lexical, written)
    if found.form is Form.CALL and not _is_call(written):
        raise Refused("the launch is part of an expression")
    return found


def statement_call(lexical: Lexical, written: Written) -> LaunchText:
    """The call that a statement makes, a launch or not. Raises `Refused` where it makes none."""
    line, text = written.line, lexical.text
    kind = UnitKind.SIMPLE if line.kind is LineKind.SIMPLE else UnitKind.HEADER
    unit = UnitCache().get(line.text, kind)
    statement = unit.statements[0] if unit.statements else None
    base = text.chunk_start + line.start
    call: syntax.Expr | None = None
    target: syntax.Expr | None = None
    form = Form.WITH
    if isinstance(statement, syntax.With) and len(statement.items) == 1:
        call, target = statement.items[0].value, statement.items[0].target
    elif isinstance(statement, syntax.For):
        call, target, form = statement.iterable, statement.target, Form.FOR
    elif isinstance(statement, syntax.Assign) and len(statement.targets) == 1:
        call, target = statement.value, statement.targets[0]
        form = _form(call)
    elif isinstance(statement, syntax.ExprStmt):
        call = statement.value
        form = _form(call)
    if statement is None or not isinstance(call, syntax.Call):
        raise Refused("the launch is not written in the usual way")
    if isinstance(written.stmt, Region) and written.stmt.kind not in (RegionKind.AT, RegionKind.SPMD):
        raise Refused("the region has no task id")
    return LaunchText(text, written, form, base, statement, call, target)


def _is_call(written: Written) -> bool:
    stmt = written.stmt
    return isinstance(stmt, (Assign, Unpack, Evaluate)) and isinstance(stmt.value, Call)


def _form(call: syntax.Expr | None) -> Form:
    func = call.func if isinstance(call, syntax.Call) else None
    name = func.attr if isinstance(func, syntax.Attribute) else ""
    if name in ("submit", "spmd_submit"):
        return Form.SUBMIT
    return Form.DUMMY if name == "task_dummy" else Form.CALL
