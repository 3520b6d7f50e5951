"""Parses units with libcst, many in one call.

A call of libcst's parser costs about 0.2 ms before it reads a character, so all units asked for become the statements
of one synthetic module (``wrapping``). Only here and in ``conversion`` is libcst imported, which takes longer than many
a file takes to be checked: whoever can do without does not import this.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import libcst as cst

from pto_lsp.analysis.source import syntax_errors
from pto_lsp.analysis.source.conversion import statements as convert
from pto_lsp.analysis.source.conversion.expressions import parameter, parameters
from pto_lsp.analysis.source.syntax import Broken, OtherStmt, Statement
from pto_lsp.analysis.source.wrapping import Part, Wrapped
from pto_lsp.diagnostics import Span

Found = dict[int, "tuple[Statement, ...] | Broken"]
"""What units consist of, by index."""


def parse_together(units: Sequence[Wrapped]) -> Found:
    """Units that Python accepts as one line of statements, or one parameter, each."""
    if len(units) == 1:
        return {units[0].index: parse_alone(units[0])}
    found = _parse_module(units) if units else {}
    if found is None:
        # Something in it is too new for libcst: halve until it is alone.
        middle = len(units) // 2
        return {**parse_together(units[:middle]), **parse_together(units[middle:])}
    return found


def parse_alone(wrapped: Wrapped) -> tuple[Statement, ...] | Broken:
    """A unit that Python accepts, maybe as several lines."""
    body = _parse([wrapped.source])
    if body is None:
        # Python accepts it, so it is no error of the user's.
        return (OtherStmt("unknown syntax", Span(0, len(wrapped.code))),)
    if len(body) == 1:
        return _picked(wrapped, body[0])
    return syntax_errors.whole(wrapped, "more than one statement line")


def parse_newer(wrapped: Wrapped) -> tuple[Statement, ...] | None:
    """A unit that Python refuses; None when libcst does as well."""
    body = _parse([wrapped.source])
    return None if body is None or len(body) != 1 else _picked(wrapped, body[0])


def _parse_module(units: Sequence[Wrapped]) -> Found | None:
    """One call of libcst for everything; None when it did not come out as expected."""
    statements = [wrapped for wrapped in units if not wrapped.grouped]
    grouped = [wrapped for wrapped in units if wrapped.grouped]
    sources = [wrapped.source for wrapped in statements]
    if grouped:
        # Keyword-only parameters may have defaults in any order; that names repeat is not noticed at this stage.
        inside = "\n,".join([wrapped.code for wrapped in grouped])
        sources.append(f"def _(*,{inside}\n): pass")
    body = _parse(sources)
    if body is None or len(body) != len(sources):
        return None
    found: Found = {wrapped.index: _picked(wrapped, statement) for wrapped, statement in zip(statements, body)}
    if grouped:
        definition: Any = body[-1]
        for wrapped, param in zip(grouped, definition.params.kwonly_params):
            found[wrapped.index] = (parameter(param, 0)[0],)
    return found


def _parse(sources: Sequence[str]) -> Sequence[Any] | None:
    """The statements, or None when libcst cannot read them."""
    # The line end that comes first is the one libcst leaves out of its nodes; all others it writes out, so that lengths
    # add up whatever line ends the units have.
    text = "\n" + "\n".join(sources) + "\n"
    try:
        return cst.parse_module(text).body
    except Exception:
        # Not only ParserSyntaxError: its nodes refuse some valid ways of leaving out blanks, and not always on purpose.
        return None


def _picked(wrapped: Wrapped, statement: Any) -> tuple[Statement, ...]:
    return _PARTS[wrapped.part](statement, wrapped.start)


def _statement(statement: Any, start: int) -> tuple[Statement, ...]:
    if isinstance(statement, cst.SimpleStatementLine):
        return convert.line(statement, start)
    return convert.compound(statement, start)


_PARTS: dict[Part, Callable[[Any, int], tuple[Statement, ...]]] = {
    Part.STATEMENT: _statement,
    Part.COMPOUND: convert.compound,
    Part.DECORATOR: lambda definition, start: convert.decorator(definition.decorators[0], start),
    Part.PARAMETER: lambda definition, start: parameters(definition.params, start)[0],
    Part.ELIF: lambda statement, start: convert.conditional(statement.orelse, "elif", start),
    Part.ELSE: lambda statement, start: convert.otherwise(statement.orelse, start),
    Part.EXCEPT: lambda statement, start: convert.handler(statement.handlers[0], start),
    Part.FINALLY: lambda statement, start: convert.finally_(statement.finalbody, start),
    Part.CASE: lambda statement, start: convert.case(statement.cases[0], start),
}
"""From the libcst node of the wrapped statement and the offset of ``code`` to the syntax of the unit."""
