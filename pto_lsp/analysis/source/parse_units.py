"""Parses units with libcst, many in one call.

A call of libcst's parser costs about 0.2 ms before it reads a character, so all units asked for become the statements
of one synthetic module (``wrapping``). Python's own parser says before which of them are valid: a broken unit never
spoils the others.
"""

from __future__ import annotations

import ast
import gc
import warnings
from collections.abc import Sequence
from typing import Any

import libcst as cst

from pto_lsp.analysis.source import syntax_errors
from pto_lsp.analysis.source.conversion.expressions import parameter
from pto_lsp.analysis.source.nesting import too_deep
from pto_lsp.analysis.source.syntax import Broken, OtherStmt, Parameter, Statement, Unit
from pto_lsp.analysis.source.wrapping import UnitKind, Wrapped, wrap
from pto_lsp.diagnostics import Span


def parse_units(items: Sequence[tuple[str, UnitKind]]) -> list[Unit]:
    """One unit per item, in order. Never raises on account of a text."""
    if not items:
        return []
    collecting = gc.isenabled()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about escape sequences in the user's strings
        gc.disable()  # thousands of nodes, all alive until converted: a collection would find nothing
        try:
            return _Batch(items).run()
        finally:
            if collecting:
                gc.enable()


class _Batch:
    """Settles units without libcst where possible; the others get a common module, or one each where that fails."""

    def __init__(self, items: Sequence[tuple[str, UnitKind]]) -> None:
        self._items = items
        self._units: dict[int, Unit] = {}
        self._together: list[Wrapped] = []
        self._alone: list[Wrapped] = []

    def run(self) -> list[Unit]:
        for index, (text, kind) in enumerate(self._items):
            self._sort(index, text, kind)
        self._parse_all(self._together)
        for wrapped in self._alone:
            self._parse_alone(wrapped)
        return [self._units[index] for index in range(len(self._items))]

    def _sort(self, index: int, text: str, kind: UnitKind) -> None:
        wrapped = wrap(index, text, kind)
        if too_deep(text):
            self._break(wrapped, syntax_errors.too_deep(wrapped))
            return
        if kind is UnitKind.PARAMETER and text in ("*", "/"):
            span = Span(0, 1)
            self._settle(wrapped, (Parameter(text, "", None, None, span, span),))
            return
        tree = syntax_errors.check(wrapped)
        if isinstance(tree, Broken):
            if not self._parse_newer(wrapped):
                self._break(wrapped, tree)
        elif isinstance(tree, ast.Expression):
            self._together.append(wrapped)
        elif kind is UnitKind.PARAMETER:
            self._sort_parameter(wrapped, tree)
        elif kind is UnitKind.DECORATOR and len(getattr(tree.body[0], "decorator_list", ())) != 1:
            self._break(wrapped, syntax_errors.whole(wrapped, "not a decorator"))
        elif not tree.body:
            self._settle(wrapped, ())
        elif len(tree.body) > 1 and ("\n" in text or "\r" in text):
            self._alone.append(wrapped)  # maybe several lines, which would upset the count of the others
        else:
            self._together.append(wrapped)

    def _parse_newer(self, wrapped: Wrapped) -> bool:
        """Settle what only libcst understands."""
        if not syntax_errors.may_be_newer(wrapped.code):
            return False
        body = _parse([wrapped.source])
        if body is None or len(body) != 1:
            return False
        self._settle(wrapped, wrapped.pick(body[0], wrapped.start))
        return True

    def _sort_parameter(self, wrapped: Wrapped, tree: ast.Module) -> None:
        definition = tree.body[0]
        if len(tree.body) > 1 or not isinstance(definition, ast.FunctionDef) or definition.returns is not None:
            self._break(wrapped, syntax_errors.whole(wrapped, "not a parameter"))
            return
        found = definition.args
        names = [*found.posonlyargs, *found.args, *found.kwonlyargs, *filter(None, (found.vararg, found.kwarg))]
        if len(names) != 1 or found.posonlyargs or found.kwonlyargs:
            message = "one parameter expected" if names else "parameter expected"
            self._break(wrapped, syntax_errors.whole(wrapped, message))
        elif wrapped.code.endswith(","):
            self._alone.append(wrapped)
        else:
            self._together.append(wrapped)

    def _parse_all(self, units: Sequence[Wrapped]) -> None:
        if len(units) == 1:
            self._parse_alone(units[0])
        elif units and not self._parse_together(units):
            # Something in it is too new for libcst: halve until it is alone.
            middle = len(units) // 2
            self._parse_all(units[:middle])
            self._parse_all(units[middle:])

    def _parse_together(self, units: Sequence[Wrapped]) -> bool:
        """One call of libcst for everything. False when it did not come out as expected, and nothing was settled."""
        statements = [wrapped for wrapped in units if not wrapped.grouped]
        grouped = [wrapped for wrapped in units if wrapped.grouped]
        sources = [wrapped.source for wrapped in statements]
        if grouped:
            # Keyword-only parameters may have defaults in any order; that names repeat is not noticed at this stage.
            inside = "\n,".join([wrapped.code for wrapped in grouped])
            sources.append(f"def _(*,{inside}\n): pass")
        body = _parse(sources)
        if body is None or len(body) != len(sources):
            return False
        for wrapped, statement in zip(statements, body):
            self._settle(wrapped, wrapped.pick(statement, wrapped.start))
        if grouped:
            definition: Any = body[-1]
            for wrapped, found in zip(grouped, definition.params.kwonly_params):
                self._settle(wrapped, (parameter(found, 0)[0],))
        return True

    def _parse_alone(self, wrapped: Wrapped) -> None:
        body = _parse([wrapped.source])
        if body is None:
            # Python accepts it, so it is no error of the user's.
            self._settle(wrapped, (OtherStmt("unknown syntax", Span(0, len(wrapped.code))),))
        elif len(body) == 1:
            self._settle(wrapped, wrapped.pick(body[0], wrapped.start))
        else:
            self._break(wrapped, syntax_errors.whole(wrapped, "more than one statement line"))

    def _settle(self, wrapped: Wrapped, statements: Sequence[Statement]) -> None:
        self._units[wrapped.index] = Unit(self._items[wrapped.index][0], tuple(statements), None)

    def _break(self, wrapped: Wrapped, broken: Broken) -> None:
        self._units[wrapped.index] = Unit(self._items[wrapped.index][0], (), broken)


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
