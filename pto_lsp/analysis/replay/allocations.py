"""How the emitter batches allocations: all of one statement list first, at most 16 in one task (rules.md N5, K8)."""

from __future__ import annotations

from dataclasses import dataclass

from pto_lsp.analysis.ir.expressions import Expr, Op
from pto_lsp.analysis.ir.statements import Assign, Block
from pto_lsp.analysis.ir.visitor import bound_variables, variables, walk_block

BATCH = 16
CREATES = frozenset({"tensor.create", "tensor.full"})


@dataclass(frozen=True, slots=True)
class AllocationPlan:
    """``batches`` are allocated before the first statement of the list; ``early`` are the ids of their statements."""

    batches: tuple[tuple[Assign, ...], ...]
    early: frozenset[int]


NOTHING = AllocationPlan((), frozenset())


def is_create(expr: Expr) -> bool:
    return isinstance(expr, Op) and expr.name in CREATES


def allocation_plan(block: Block) -> AllocationPlan:
    """Launches between creates do not end a batch; a create whose shape reads a name of the same list stands alone."""
    creates = [stmt for stmt in block if isinstance(stmt, Assign) and is_create(stmt.value)]
    if not creates:
        return NOTHING
    local = {var.name for stmt in walk_block(block) for var in bound_variables(stmt)}
    batched = [stmt for stmt in creates if not any(var.name in local for var in variables(stmt.value))]
    batches = tuple([tuple(batched[first : first + BATCH]) for first in range(0, len(batched), BATCH)])
    return AllocationPlan(batches, frozenset([id(stmt) for stmt in batched]))
