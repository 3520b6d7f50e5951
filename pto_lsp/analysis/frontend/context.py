"""State of lowering one function. Mutable, lives for one function, owned by ``lower_function``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from pto_lsp.analysis.findings import Finding, Note
from pto_lsp.analysis.frontend.blocks import Line
from pto_lsp.analysis.frontend.constants.values import Value
from pto_lsp.analysis.frontend.signatures import Names, Signature
from pto_lsp.analysis.ir.expressions import Expr
from pto_lsp.analysis.ir.place import Anchor, Place, place
from pto_lsp.analysis.ir.program import FunctionKind
from pto_lsp.analysis.ir.statements import Stmt
from pto_lsp.analysis.ir.types import Type
from pto_lsp.analysis.source import syntax
from pto_lsp.diagnostics import Span

DEVICE_KINDS = {FunctionKind.INCORE, FunctionKind.AIC, FunctionKind.AIV}


class KnownStatements(Protocol):
    """Statements known from before. ``edited``: the function is not lowered for the first time, so that its lines are
    worth being known one by one.
    """

    @property
    def edited(self) -> bool: ...

    def statements(self, ctx: Context, lines: tuple[Line, ...], lower: Callable[[], list[Stmt]]) -> list[Stmt]:
        """The statements that ``lines`` become, which ``lower`` makes."""


class Context:
    """``scope`` maps every DSL name bound so far to its type (names leak out of blocks, surface.md §4).

    ``symbols`` are names that stand for values known while lowering (``M = pl.dynamic("M")`` in a jit body).
    ``enclosing`` are the kinds of the regions around the current statement, outermost first.
    ``called`` are the calls so far, with their keys.
    """

    def __init__(
        self,
        function: str,
        kind: FunctionKind,
        jit: bool,
        names: Names,
        anchor: Anchor,
        expr: Callable[[Context, syntax.Expr], Expr],
    ) -> None:
        self.function = function
        self.kind = kind
        self.jit = jit
        self.names = names
        self.anchor = anchor
        self.scope: dict[str, Type] = {}
        self.symbols: dict[str, Value] = {}
        self.assigned: frozenset[str] = frozenset()
        self.callees: dict[str, Signature] = {}
        self.called: list[tuple[str, Signature]] = []
        self.known: KnownStatements | None = None
        self.enclosing: list[str] = []
        self.device_depth = 1 if kind in DEVICE_KINDS else 0
        self.findings: list[Finding] = []
        self.complete = True
        self.graph_scopes = False
        self._expr = expr

    @property
    def device(self) -> bool:
        """Inside a kernel or a device region, where tensor operators compute."""
        return self.device_depth > 0

    def expr(self, expr: syntax.Expr) -> Expr:
        return self._expr(self, expr)

    def place(self, span: Span) -> Place:
        return place(self.anchor, span)

    def report(self, code: str, subject: str, span: Span, message: str, *notes: Note) -> None:
        self.findings.append(Finding(code, subject, self.place(span), message, self.function, notes))

    def unsupported(self, subject: str, span: Span, message: str) -> None:
        """PTO002: the DSL's parser refuses this."""
        self.report("PTO002", subject, span, message)

    def value(self, name: str) -> Value:
        """Closure value of ``name``."""
        if name in self.symbols:
            return self.symbols[name]
        return self.names.lookup(name)

    def callee_key(self, signature: Signature) -> str:
        """Key under which this function's calls name ``signature``; distinct functions of one name get ``name~2`` …"""
        key, number = signature.name, 1
        while key in self.callees and self.callees[key].source is not signature.source:
            number += 1
            key = f"{signature.name}~{number}"
        self.callees[key] = signature
        self.called.append((key, signature))
        return key
