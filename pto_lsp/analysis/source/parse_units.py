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
from pto_lsp.analysis.source.convert_expressions import parameter
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
    """Sorts units into those settled without libcst, and those for the common module or for one of their own."""

    def __init__(self, items: Sequence[tuple[str, UnitKind]]) -> None:
        self._items = items
        self._units: dict[int, Unit] = {}
        self._statements: list[Wrapped] = []
        self._parameters: list[Wrapped] = []
        self._alone: list[Wrapped] = []

    def run(self) -> list[Unit]:
        for index, (text, kind) in enumerate(self._items):
            self._sort(index, text, kind)
        if not self._parse_together():
            self._alone += self._statements
            self._alone += self._parameters
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
            self._break(wrapped, tree)
        elif isinstance(tree, ast.Expression):
            self._statements.append(wrapped)
        elif kind is UnitKind.PARAMETER:
            self._sort_parameter(wrapped, tree)
        elif len(tree.body) == 1:
            self._statements.append(wrapped)
        elif not tree.body:
            self._settle(wrapped, ())
        elif "\n" in text or "\r" in text:
            self._alone.append(wrapped)  # semicolons or lines?
        else:
            self._statements.append(wrapped)

    def _sort_parameter(self, wrapped: Wrapped, tree: ast.Module) -> None:
        definition = tree.body[0]
        if len(tree.body) > 1 or not isinstance(definition, ast.FunctionDef) or definition.returns is not None:
            self._break(wrapped, syntax_errors.whole(wrapped, "not a parameter"))
            return
        found = definition.args
        plain = len(found.args)
        others = [*found.posonlyargs, *found.kwonlyargs, found.vararg, found.kwarg]
        count = plain + sum(other is not None for other in others)
        if count != 1:
            self._break(
                wrapped, syntax_errors.whole(wrapped, "one parameter expected" if count else "parameter expected")
            )
        elif plain and not wrapped.code.endswith(","):
            self._parameters.append(wrapped)
        else:
            self._statements.append(wrapped)

    def _parse_together(self) -> bool:
        """One call of libcst for everything. False when it did not come out as expected, and nothing was settled."""
        sources = [wrapped.source for wrapped in self._statements]
        if self._parameters:
            # Keyword-only parameters may have defaults in any order, and names may repeat: that is not checked here.
            inside = "\n,".join([wrapped.code for wrapped in self._parameters])
            sources.append(f"def _(*,{inside}\n): pass")
        if not sources:
            return True
        try:
            body = _parse(sources)
        except Exception:
            return False
        if len(body) != len(sources):
            return False
        for wrapped, statement in zip(self._statements, body):
            self._settle(wrapped, wrapped.pick(statement, wrapped.start))
        if self._parameters:
            definition: Any = body[-1]
            for wrapped, found in zip(self._parameters, definition.params.kwonly_params):
                self._settle(wrapped, (parameter(found, 0)[0],))
        return True

    def _parse_alone(self, wrapped: Wrapped) -> None:
        try:
            body = _parse([wrapped.source])
            if len(body) == 1:
                self._settle(wrapped, wrapped.pick(body[0], wrapped.start))
            else:
                self._break(wrapped, syntax_errors.whole(wrapped, "more than one statement line"))
        except RecursionError:
            self._break(wrapped, syntax_errors.too_deep(wrapped))
        except Exception:
            # Python accepts it, so it is no error of the user's.
            self._settle(wrapped, (OtherStmt("unknown syntax", Span(0, len(wrapped.code))),))

    def _settle(self, wrapped: Wrapped, statements: Sequence[Statement]) -> None:
        self._units[wrapped.index] = Unit(self._items[wrapped.index][0], tuple(statements), None)

    def _break(self, wrapped: Wrapped, broken: Broken) -> None:
        self._units[wrapped.index] = Unit(self._items[wrapped.index][0], (), broken)


def _parse(sources: Sequence[str]) -> Sequence[cst.BaseStatement | cst.SimpleStatementLine]:
    # The line end that comes first is the one libcst leaves out of its nodes; all others it writes out, so that lengths
    # add up whatever line ends the units have.
    return cst.parse_module("\n" + "\n".join(sources) + "\n").body
