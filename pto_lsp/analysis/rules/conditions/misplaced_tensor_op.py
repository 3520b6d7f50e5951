"""PTO006: tensor computation outside every device region of an orchestration body (surface.md §9)."""

from __future__ import annotations

from collections.abc import Iterator

from pto_lsp.analysis.findings import Finding, Note
from pto_lsp.analysis.frontend.operators import COMPUTE
from pto_lsp.analysis.ir.expressions import Op
from pto_lsp.analysis.ir.place import place
from pto_lsp.analysis.ir.program import Function, FunctionKind, Program
from pto_lsp.analysis.ir.statements import Block, Region, Stmt
from pto_lsp.analysis.ir.visitor import blocks, statement_exprs, walk

_ORCHESTRATING = (FunctionKind.ORCHESTRATION, FunctionKind.GRAPH)
_GRAPH_RULES = frozenset({"tensor.full"})
"""Operators that have a rule of their own inside a Graph (PTO303)."""


def misplaced_tensor_ops(program: Program) -> list[Finding]:
    """Findings in every orchestration and Graph function of a program after InlineFunctions, before outlining.

    An Opaque function is left alone: the compiler turns what it computes into kernels.
    """
    found: list[Finding] = []
    for function in program.functions.values():
        if function.kind in _ORCHESTRATING and function.body is not None:
            for stmt in _orchestration_statements(function.body):
                found.extend(_in_statement(function, stmt))
    return found


def _orchestration_statements(block: Block) -> Iterator[Stmt]:
    for stmt in block:
        if isinstance(stmt, Region):
            continue
        yield stmt
        for body in blocks(stmt):
            yield from _orchestration_statements(body)


def _in_statement(function: Function, stmt: Stmt) -> Iterator[Finding]:
    for expr in statement_exprs(stmt):
        for each in walk(expr):
            if not isinstance(each, Op) or each.name not in COMPUTE:
                continue
            if function.kind is FunctionKind.GRAPH and each.name in _GRAPH_RULES:
                continue
            name = "pl." + each.name.removeprefix("tensor.")
            message = (
                f"'{name}' computes on a tensor, but no task runs it here: "
                "put it inside 'with pl.at(level=pl.Level.CORE_GROUP)' or into a kernel"
            )
            notes: tuple[Note, ...] = ()
            if stmt.at.inlined_at is not None:
                notes = (Note(stmt.at.inlined_at, "spliced in by this call"),)
            yield Finding("PTO006", name, place(stmt.at, each.span), message, function.name, notes)
            break
