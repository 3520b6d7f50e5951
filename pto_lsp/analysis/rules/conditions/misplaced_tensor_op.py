"""PTO006: tensor computation outside every device region of an orchestration body (surface.md §9)."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Set as AbstractSet

from pto_lsp.analysis.findings import Finding
from pto_lsp.analysis.frontend.operators import COMPUTE
from pto_lsp.analysis.ir.expressions import Call, Op
from pto_lsp.analysis.ir.place import SourceId, forget, itself, place
from pto_lsp.analysis.ir.program import Function, FunctionKind, Program
from pto_lsp.analysis.ir.statements import BROKEN_WITH, Block, Opaque, Region, Stmt
from pto_lsp.analysis.ir.visitor import blocks, statement_exprs, walk
from pto_lsp.analysis.node import node

_ORCHESTRATING = (FunctionKind.ORCHESTRATION, FunctionKind.GRAPH)
_GRAPH_RULES = frozenset({"tensor.full"})
"""Operators that have a rule of their own inside a Graph (PTO303)."""


@node
class OrchestrationFacts:
    """What one function does at orchestration level. ``full`` are the findings that a Graph reports by another rule."""

    misplaced: tuple[Finding, ...]
    full: tuple[Finding, ...]
    callees: tuple[str, ...]


class MisplacedTensorOps:
    """Finds them in programs; what one function contributes is computed once for as long as it is the same object."""

    def __init__(self) -> None:
        self._known: dict[SourceId, tuple[Function, OrchestrationFacts]] = {}

    def forget(self, gone: AbstractSet[SourceId]) -> None:
        """Forget functions that are ``gone``."""
        forget(self._known, gone, itself)

    def find(self, program: Program) -> tuple[Finding, ...]:
        """Findings in every orchestration and Graph function, and in the helpers spliced into them outside of every
        region.

        An Opaque function is left alone: the compiler turns what it computes into kernels.
        """
        found: list[Finding] = []
        seen: set[tuple[str, bool]] = set()
        stack = [
            (key, f.kind is FunctionKind.GRAPH) for key, f in program.functions.items() if f.kind in _ORCHESTRATING
        ]
        while stack:
            key, in_graph = stack.pop()
            function = program.functions.get(key)
            if (key, in_graph) in seen or function is None or function.body is None:
                continue
            seen.add((key, in_graph))
            facts = self._facts(function, function.body)
            found.extend(facts.misplaced)
            if not in_graph:
                found.extend(facts.full)
            for callee in facts.callees:
                target = program.functions.get(callee)
                if target is not None and target.kind is FunctionKind.INLINE:
                    stack.append((callee, in_graph))
        return tuple(found)

    def _facts(self, function: Function, body: Block) -> OrchestrationFacts:
        known = self._known.get(function.at.source)
        if known is None or known[0] is not function:
            known = self._known[function.at.source] = (function, _facts(function, body))
        return known[1]


def _facts(function: Function, body: Block) -> OrchestrationFacts:
    misplaced: list[Finding] = []
    full: list[Finding] = []
    callees: list[str] = []
    for stmt in _orchestration_statements(body):
        for expr in statement_exprs(stmt):
            for each in walk(expr):
                if isinstance(each, Op) and each.name in COMPUTE:
                    (full if each.name in _GRAPH_RULES else misplaced).append(_finding(each, stmt, function))
                    break
                if isinstance(each, Call):
                    callees.append(each.callee)
    return OrchestrationFacts(tuple(misplaced), tuple(full), tuple(callees))


def _orchestration_statements(block: Block) -> Iterator[Stmt]:
    """All of which it is certain that no task runs it: a ``with`` that is not understood may be one half typed."""
    for stmt in block:
        if isinstance(stmt, Region):
            continue
        if isinstance(stmt, Opaque):
            if stmt.what == BROKEN_WITH:
                return
            continue
        yield stmt
        for body in blocks(stmt):
            yield from _orchestration_statements(body)


def _finding(op: Op, stmt: Stmt, function: Function) -> Finding:
    name = "pl." + op.name.removeprefix("tensor.")
    message = (
        f"'{name}' computes on a tensor, but no task runs it here: "
        "put it inside 'with pl.at(level=pl.Level.CORE_GROUP)' or into a kernel"
    )
    return Finding("PTO006", name, place(stmt.at, op.span), message, function.name)
