"""Syntax of one logical line, as kept in the unit cache: what libcst said, without whitespace and position in a file.

Spans are 0-based half-open code-point offsets into the text of the *unit* (the logical line, beginning at its first
non-blank character), so that a unit is the same object wherever its text stands.
"""

from __future__ import annotations

from typing import Union

from pto_lsp.analysis.node import node
from pto_lsp.diagnostics import Span

NO_SPAN = Span(0, 0)


@node
class Name:
    id: str
    span: Span


@node
class Literal:
    """int, float, bool, None, str, bytes or Ellipsis; implicit string concatenation is already joined."""

    value: object
    span: Span


@node
class Attribute:
    base: Expr
    attr: str
    span: Span


@node
class Argument:
    """One call argument. ``star`` is "", "*" or "**"; ``keyword`` is None when positional."""

    value: Expr
    keyword: str | None
    star: str
    span: Span


@node
class Call:
    func: Expr
    args: tuple[Argument, ...]
    span: Span


@node
class Slice:
    lower: Expr | None
    upper: Expr | None
    step: Expr | None
    span: Span


@node
class Subscript:
    base: Expr
    items: tuple[Expr | Slice, ...]
    span: Span

    @property
    def indices(self) -> tuple[Expr | Slice, ...]:
        """The items, without parentheses written around all of them: ``x[(0, 1)]`` is ``x[0, 1]``."""
        if len(self.items) == 1 and isinstance(self.items[0], TupleDisplay):
            return self.items[0].items
        return self.items


@node
class Unary:
    """``op`` is "-", "+", "~" or "not"."""

    op: str
    operand: Expr
    span: Span


@node
class Binary:
    """``op`` as written: "+", "//", "**", "@" …, or "and"/"or"."""

    op: str
    left: Expr
    right: Expr
    span: Span


@node
class Compare:
    """``operands`` has one element more than ``ops``."""

    operands: tuple[Expr, ...]
    ops: tuple[str, ...]
    span: Span


@node
class ListDisplay:
    items: tuple[Expr, ...]
    span: Span


@node
class TupleDisplay:
    """``span`` includes the parentheses when there are any."""

    items: tuple[Expr, ...]
    span: Span


@node
class Comprehension:
    """List comprehension or generator with exactly one ``for``; anything richer is ``Other``."""

    element: Expr
    target: Expr
    iterable: Expr
    conditions: tuple[Expr, ...]
    span: Span


@node
class Other:
    """An expression the DSL has no meaning for: ``what`` is its common name ("conditional expression", "lambda" …).

    ``children`` are the expressions inside it, so that names are still seen.
    """

    what: str
    children: tuple[Expr, ...]
    span: Span


Expr = Union[
    Name, Literal, Attribute, Call, Subscript, Unary, Binary, Compare, ListDisplay, TupleDisplay, Comprehension, Other
]


@node
class Assign:
    """``targets`` has more than one element for a chained assignment. ``value`` is None for a bare annotation."""

    targets: tuple[Expr, ...]
    annotation: Expr | None
    value: Expr | None
    span: Span


@node
class AugAssign:
    target: Expr
    op: str
    value: Expr
    span: Span


@node
class ExprStmt:
    value: Expr
    span: Span


@node
class Return:
    value: Expr | None
    span: Span


@node
class Keyword:
    """``pass``, ``break`` or ``continue``."""

    word: str
    span: Span


@node
class OtherStmt:
    """Any other simple statement or compound header; ``what`` is its keyword ("import", "assert", "try" …).

    ``children`` are the expressions it reads, ``targets`` the names it binds or declares (import, except … as, global).
    """

    what: str
    span: Span
    children: tuple[Expr, ...] = ()
    targets: tuple[Name, ...] = ()


@node
class For:
    target: Expr
    iterable: Expr
    span: Span


@node
class Conditional:
    """``word`` is "if", "elif" or "while"."""

    word: str
    condition: Expr
    span: Span


@node
class Else:
    span: Span


@node
class WithItem:
    value: Expr
    target: Expr | None
    span: Span


@node
class With:
    items: tuple[WithItem, ...]
    span: Span


@node
class Decorator:
    value: Expr
    span: Span


@node
class Parameter:
    """One parameter of a ``def``. ``star`` is "", "*" or "**"; a bare ``*`` or ``/`` has the name "*" or "/"."""

    name: str
    star: str
    annotation: Expr | None
    default: Expr | None
    span: Span
    name_span: Span


@node
class DefHead:
    """``def name(`` … ``) -> returns:`` without its parameters, which are units of their own.

    ``parameters`` is filled only when the unit text holds them, that is, when they were not cut out.
    """

    name: str
    returns: Expr | None
    span: Span
    name_span: Span
    parameters: tuple[Parameter, ...] = ()


@node
class ClassHead:
    """``arguments`` are the base classes and keywords."""

    name: str
    span: Span
    name_span: Span
    arguments: tuple[Argument, ...] = ()


Statement = Union[
    Assign,
    AugAssign,
    ExprStmt,
    Return,
    Keyword,
    OtherStmt,
    For,
    Conditional,
    Else,
    With,
    Decorator,
    DefHead,
    ClassHead,
    Parameter,
]
"""What a unit consists of; a Parameter only when it is the unit itself."""


@node
class Broken:
    """A logical line that Python cannot parse: PTO001, or PTO008 when ``too_deep``. ``span`` is where to point."""

    message: str
    span: Span
    too_deep: bool


@node
class Unit:
    """The syntax of one logical line: several statements when it holds semicolons or a one-line compound body."""

    text: str
    statements: tuple[Statement, ...]
    broken: Broken | None
