"""Statements of a function lowered once, for as long as their lines and what these mean stay the same.

A statement taken over is the same object as before, which lets the passes keep what they made of it. Device code is
taken over a region at a time, line by line only after the first edit.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from sys import intern

from pto_lsp.analysis.findings import Finding
from pto_lsp.analysis.frontend.blocks import Line
from pto_lsp.analysis.frontend.constants.comparison import same
from pto_lsp.analysis.frontend.constants.values import Value
from pto_lsp.analysis.frontend.context import Context
from pto_lsp.analysis.frontend.lookups import Lookup, Recorder, still_valid
from pto_lsp.analysis.frontend.signatures import Signature
from pto_lsp.analysis.ir.alike import alike
from pto_lsp.analysis.ir.statements import Stmt
from pto_lsp.analysis.ir.types import Type

_IDENTIFIER = re.compile(r"[^\W\d]\w*")


class _Surroundings:
    """What lowering lines reads from their function, restricted to the words of the lines."""

    __slots__ = ("assigned", "enclosing", "function", "scope", "symbols")

    def __init__(self, ctx: Context, words: frozenset[str]) -> None:
        self.function = (ctx.function, ctx.kind, ctx.jit)
        self.enclosing = tuple(ctx.enclosing)
        self.scope: dict[str, Type] = {w: ctx.scope[w] for w in words if w in ctx.scope}
        self.symbols: dict[str, Value] = {w: ctx.symbols[w] for w in words if w in ctx.symbols}
        self.assigned = words & ctx.assigned

    def agrees(self, ctx: Context, words: frozenset[str]) -> bool:
        """Whether ``ctx`` would give the same today; ``words`` are those this was made for."""
        if self.function != (ctx.function, ctx.kind, ctx.jit) or self.enclosing != tuple(ctx.enclosing):
            return False
        if self.symbols.keys() != words & ctx.symbols.keys() or self.scope.keys() != words & ctx.scope.keys():
            return False
        return (
            self.assigned == words & ctx.assigned
            and all(same(value, ctx.symbols[name]) for name, value in self.symbols.items())
            and all(type_ is ctx.scope[name] or alike(type_, ctx.scope[name]) for name, type_ in self.scope.items())
        )


class _Entry:
    """Lines with what lowering them asked and what it did. Not ``reusable``: it changed compile-time symbols."""

    __slots__ = (
        "before",
        "callees",
        "complete",
        "findings",
        "graph_scopes",
        "lines",
        "lookups",
        "reusable",
        "scope",
        "statements",
        "words",
    )

    def __init__(self, lines: tuple[Line, ...], words: frozenset[str], before: _Surroundings) -> None:
        self.lines = lines
        self.words = words
        self.before = before
        self.lookups: list[Lookup] = []
        self.statements: list[Stmt] = []
        self.findings: list[Finding] = []
        self.callees: list[tuple[str, Signature]] = []
        self.scope: dict[str, Type] = {}
        self.complete = True
        self.graph_scopes = False
        self.reusable = True


_VERSIONS = 2
"""What lines become where all is well, and while one above them is being typed: that goes back and forth."""

_DEPTH = 12
"""Lines nested deeper are known as part of the lines around them: one by one they would cost call stack for nothing."""


class LineMemo:
    """The statements of one function as one entry file sees it.

    Of each line that is still there it keeps the last versions, the latest first: a name that a half-typed line leaves
    unknown, or a constant that is given another value, is soon what it was.
    """

    def __init__(self) -> None:
        self._last: dict[Line, tuple[_Entry, ...]] = {}
        self._now: dict[Line, tuple[_Entry, ...]] = {}
        self.edited = False
        self._depth = 0

    def begin(self) -> None:
        """The function is lowered anew."""
        self.edited = bool(self._now)
        self._last, self._now = self._now, {}

    def statements(self, ctx: Context, lines: tuple[Line, ...], lower: Callable[[], list[Stmt]]) -> list[Stmt]:
        """What ``lines`` become: as the last time, with all that lowering them did to ``ctx``, or else what ``lower``
        returns.
        """
        if self._depth >= _DEPTH:
            return lower()
        first = lines[0]
        known = self._last.get(first, ())
        for entry in known:
            if _same_lines(entry.lines, lines) and _taken(ctx, entry):
                self._keep(first, entry)
                # The lines below a header that is taken over are not asked for themselves; they may be the next time.
                for line in lines:
                    self._keep_below(line)
                return entry.statements
        self._depth += 1
        try:
            entry = _recorded(ctx, lines, lower)
        finally:
            self._depth -= 1
        if entry.reusable:
            self._keep(first, entry)
        return entry.statements

    def _keep(self, first: Line, entry: _Entry) -> None:
        others = [each for each in self._last.get(first, ()) if each is not entry]
        self._now[first] = (entry, *others[: _VERSIONS - 1])

    def _keep_below(self, line: Line) -> None:
        for below in line.body:
            known = self._last.get(below)
            if known is not None and below not in self._now:
                self._now[below] = known
            self._keep_below(below)


def _same_lines(left: tuple[Line, ...], right: tuple[Line, ...]) -> bool:
    return len(left) == len(right) and all(a is b for a, b in zip(left, right))


def _taken(ctx: Context, entry: _Entry) -> bool:
    """Do to ``ctx`` what lowering the lines did; False, and nothing done, when that is not known any more."""
    if not entry.before.agrees(ctx, entry.words) or not still_valid(ctx.names, entry.lookups):
        return False
    if entry.callees:
        known, called = dict(ctx.callees), len(ctx.called)
        if any(ctx.callee_key(signature) != key for key, signature in entry.callees):
            ctx.callees = known
            del ctx.called[called:]
            return False
    for word in entry.words:
        type_ = entry.scope.get(word)
        if type_ is None:
            ctx.scope.pop(word, None)
        else:
            ctx.scope[word] = type_
    ctx.findings.extend(entry.findings)
    ctx.complete = ctx.complete and entry.complete
    ctx.graph_scopes = ctx.graph_scopes or entry.graph_scopes
    return True


def _recorded(ctx: Context, lines: tuple[Line, ...], lower: Callable[[], list[Stmt]]) -> _Entry:
    """Lower lines and remember what was asked and done."""
    words = frozenset().union(*[words_of(line) for line in lines])
    entry = _Entry(lines, words, _Surroundings(ctx, words))
    names, findings, called = ctx.names, ctx.findings, ctx.called
    complete, graph_scopes = ctx.complete, ctx.graph_scopes
    recorder = Recorder(names)
    ctx.names, ctx.findings, ctx.called, ctx.complete, ctx.graph_scopes = recorder, entry.findings, [], True, False
    entry.statements = lower()
    entry.lookups, entry.callees = recorder.lookups, ctx.called
    entry.complete, entry.graph_scopes = ctx.complete, ctx.graph_scopes
    ctx.names, ctx.findings, ctx.called = names, findings, called
    ctx.findings.extend(entry.findings)
    ctx.called.extend(entry.callees)
    ctx.complete, ctx.graph_scopes = complete and ctx.complete, graph_scopes or ctx.graph_scopes
    after = _Surroundings(ctx, words)
    entry.scope, entry.reusable = after.scope, after.symbols == entry.before.symbols
    return entry


def words_of(line: Line) -> set[str]:
    """Every identifier in the text of ``line`` and the lines below it, and some words that are none."""
    found = set(_words(line.unit.text))
    for below in line.body:
        found |= words_of(below)
    return found


@lru_cache(maxsize=8192)
def _words(text: str) -> tuple[str, ...]:
    # A word is kept once, whatever the number of lines it stands in.
    return tuple(map(intern, _IDENTIFIER.findall(text)))
