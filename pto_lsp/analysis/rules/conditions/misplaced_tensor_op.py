"""PTO006: tensor computation outside every device region of an orchestration body (surface.md §9)."""

from __future__ import annotations

from collections.abc import Iterator

from pto_lsp.analysis.findings import Finding
from pto_lsp.analysis.frontend.operators import COMPUTE
from pto_lsp.analysis.ir.expressions import Call, Expr, Op
from pto_lsp.analysis.ir.place import place
from pto_lsp.analysis.ir.program import Function, FunctionKind, Program
from pto_lsp.analysis.ir.statements import Block, Region, Stmt
from pto_lsp.analysis.ir.visitor import blocks, statement_exprs, walk

_ORCHESTRATING = (FunctionKind.ORCHESTRATION, FunctionKind.GRAPH)
_GRAPH_RULES = frozenset({"tensor.full"})
"""Operators that have a rule of their own inside a Graph (PTO303)."""


def misplaced_tensor_ops(program: Program) -> tuple[Finding, ...]:
    """Findings in every orchestration and Graph function, and in the helpers spliced into them outside of every
    region.

    An Opaque function is left alone: the compiler turns what it computes into kernels.
    """
    found: list[Finding] = []
    seen: set[tuple[str, bool]] = set()
    stack = [(key, f.kind is FunctionKind.GRAPH) for key, f in program.functions.items() if f.kind in _ORCHESTRATING]
    while stack:
        key, in_graph = stack.pop()
        function = program.functions.get(key)
        if (key, in_graph) in seen or function is None or function.body is None:
            continue
        seen.add((key, in_graph))
        for stmt in _orchestration_statements(function.body):
            for expr in statement_exprs(stmt):
                _judge(expr, stmt, function, in_graph, found)
                if isinstance(expr, Call):
                    callee = program.functions.get(expr.callee)
                    if callee is not None and callee.kind is FunctionKind.INLINE:
                        stack.append((callee.key, in_graph))
    return tuple(found)


def _orchestration_statements(block: Block) -> Iterator[Stmt]:
    for stmt in block:
        if isinstance(stmt, Region):
            continue
        yield stmt
        for body in blocks(stmt):
            yield from _orchestration_statements(body)


def _judge(expr: Expr, stmt: Stmt, function: Function, in_graph: bool, found: list[Finding]) -> None:
    for each in walk(expr):
        if not isinstance(each, Op) or each.name not in COMPUTE or (in_graph and each.name in _GRAPH_RULES):
            continue
        name = "pl." + each.name.removeprefix("tensor.")
        message = (
            f"'{name}' computes on a tensor, but no task runs it here: "
            "put it inside 'with pl.at(level=pl.Level.CORE_GROUP)' or into a kernel"
        )
        found.append(Finding("PTO006", name, place(stmt.at, each.span), message, function.name))
        return
