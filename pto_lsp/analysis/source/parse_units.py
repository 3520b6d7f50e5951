"""Parses units. Python's own parser says which are valid, and its tree suffices for most; libcst reads the others.

A broken unit never spoils the others.
"""

from __future__ import annotations

import ast
import gc
import warnings
from collections.abc import Sequence

from pto_lsp.analysis.source import syntax_errors
from pto_lsp.analysis.source.from_ast.statements import statements
from pto_lsp.analysis.source.nesting import too_deep
from pto_lsp.analysis.source.syntax import Broken, Parameter, Statement, Unit
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
        self._found: dict[int, tuple[Statement, ...] | Broken] = {}
        self._together: list[Wrapped] = []
        self._alone: list[Wrapped] = []

    def run(self) -> list[Unit]:
        for index, (text, kind) in enumerate(self._items):
            self._sort(index, text, kind)
        if self._together or self._alone:
            from pto_lsp.analysis.source import concrete

            self._found.update(concrete.parse_together(self._together))
            self._found.update({wrapped.index: concrete.parse_alone(wrapped) for wrapped in self._alone})
        return [_unit(text, self._found[index]) for index, (text, _) in enumerate(self._items)]

    def _sort(self, index: int, text: str, kind: UnitKind) -> None:
        wrapped = wrap(index, text, kind)
        if too_deep(text):
            self._found[index] = syntax_errors.too_deep(wrapped)
            return
        if kind is UnitKind.PARAMETER and text in ("*", "/"):
            span = Span(0, 1)
            self._found[index] = (Parameter(text, "", None, None, span, span),)
            return
        tree = syntax_errors.check(wrapped)
        if isinstance(tree, Broken):
            self._found[index] = _newer(wrapped) or tree
        elif isinstance(tree, ast.Expression):
            self._convert(wrapped, tree)
        elif kind is UnitKind.PARAMETER:
            self._sort_parameter(wrapped, tree)
        elif kind is UnitKind.DECORATOR and len(getattr(tree.body[0], "decorator_list", ())) != 1:
            self._found[index] = syntax_errors.whole(wrapped, "not a decorator")
        elif not tree.body:
            self._found[index] = ()
        elif len(tree.body) > 1 and ("\n" in text or "\r" in text):
            self._alone.append(wrapped)  # maybe several lines, which would upset the count of the others
        else:
            self._convert(wrapped, tree)

    def _sort_parameter(self, wrapped: Wrapped, tree: ast.Module) -> None:
        definition = tree.body[0]
        if len(tree.body) > 1 or not isinstance(definition, ast.FunctionDef) or definition.returns is not None:
            self._found[wrapped.index] = syntax_errors.whole(wrapped, "not a parameter")
            return
        found = definition.args
        names = [*found.posonlyargs, *found.args, *found.kwonlyargs, *filter(None, (found.vararg, found.kwarg))]
        if len(names) != 1 or found.posonlyargs or found.kwonlyargs:
            message = "one parameter expected" if names else "parameter expected"
            self._found[wrapped.index] = syntax_errors.whole(wrapped, message)
        elif wrapped.code.endswith(","):
            self._alone.append(wrapped)
        else:
            self._convert(wrapped, tree)

    def _convert(self, wrapped: Wrapped, tree: ast.Module | ast.Expression) -> None:
        found = statements(wrapped, tree)
        if found is None:
            self._together.append(wrapped)
        else:
            self._found[wrapped.index] = found


def _newer(wrapped: Wrapped) -> tuple[Statement, ...] | None:
    """What only libcst understands."""
    if not syntax_errors.may_be_newer(wrapped.code):
        return None
    from pto_lsp.analysis.source import concrete

    return concrete.parse_newer(wrapped)


def _unit(text: str, found: tuple[Statement, ...] | Broken) -> Unit:
    return Unit(text, (), found) if isinstance(found, Broken) else Unit(text, found, None)
