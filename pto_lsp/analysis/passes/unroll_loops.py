"""UnrollLoops: ``pl.unroll`` loops at orchestration level written out (rules.md S5, semantics.md 1.8).

The index becomes a literal that remembers its name. Loops whose bounds are not constant stay, and so do those inside
device regions and kernels, where an unrolled loop adds no task.
"""

from __future__ import annotations

from dataclasses import replace

from pto_lsp.analysis.ir.bounds import Bounds
from pto_lsp.analysis.ir.expressions import Const, Expr, Var
from pto_lsp.analysis.ir.folding import fold
from pto_lsp.analysis.ir.program import Function, FunctionKind, Program
from pto_lsp.analysis.ir.statements import Assign, Block, For, LoopKind, Region, RegionKind, Stmt
from pto_lsp.analysis.ir.uses import bound_in
from pto_lsp.analysis.ir.visitor import blocks, walk_block, with_blocks
from pto_lsp.analysis.passes.region_results import RegionResults
from pto_lsp.analysis.passes.renaming import RegionCopies, Renaming

MAX_STATEMENTS = 20_000
"""A function is not made longer than this; what is left stays a loop (far beyond a Graph's limits, rules.md N8)."""

_DEVICE = frozenset({FunctionKind.INCORE, FunctionKind.AIC, FunctionKind.AIV, FunctionKind.GROUP, FunctionKind.SPMD})


def run(program: Program) -> Program:
    """Runs before SSA construction: names bound in a body are simply bound again by each copy."""
    return program.with_functions({key: unroll(function) for key, function in program.functions.items()})


def unroll(function: Function, results: RegionResults | None = None) -> Function:
    """``function`` with its loops written out; the same object when it has none."""
    if function.body is None or function.kind in _DEVICE:
        return function
    body = _Unrolling(results or RegionResults()).block(function.body)
    return function if body is function.body else replace(function, body=body)


class _Unrolling:
    def __init__(self, results: RegionResults) -> None:
        self._results = results
        self._budget = MAX_STATEMENTS
        self._copied = 0

    def block(self, block: Block) -> Block:
        result: list[Stmt] = []
        changed = False
        for stmt in block:
            copies = self._copies(stmt) if isinstance(stmt, For) and stmt.kind is LoopKind.UNROLL else None
            if copies is not None:
                # Outer loops first: the bounds of an inner one may depend on the index.
                result.extend(self.block(copies))
                changed = True
                continue
            if not (isinstance(stmt, Region) and stmt.kind is not RegionKind.HIERARCHY):
                bodies = blocks(stmt)
                new = tuple([self.block(body) for body in bodies])
                if any(a is not b for a, b in zip(new, bodies)):
                    stmt = with_blocks(stmt, new)
                    changed = True
            result.append(stmt)
        return tuple(result) if changed else block

    def _copies(self, loop: For) -> Block | None:
        start, stop, step = _integer(loop.start), _integer(loop.stop), _integer(loop.step)
        if start is None or stop is None or not step or loop.carries:
            return None
        trips = range(start, stop, step)
        length = len(trips) * sum(1 for _ in walk_block(loop.body))
        if length > self._budget:
            return None
        self._budget -= length
        found: list[Stmt] = []
        var = loop.var
        rebound = var.name in bound_in(loop.body)
        for index in trips:
            value: Expr = Const(index, var.span, var.label)
            if rebound:
                # A body that assigns to its own index: a variable of this copy, hidden from what follows the loop.
                self._copied += 1
                local = Var(f"{var.name}@u{self._copied}", var.label, var.type, var.span)
                found.append(Assign(local, value, loop.at, loop.span))
                value = local
            found.extend(Renaming({var.name: value}, regions=RegionCopies(self._results, index, None)).block(loop.body))
        return tuple(found)


def _integer(expr: Expr) -> int | None:
    folded = fold(expr, Bounds())
    return folded.value if isinstance(folded, Const) and type(folded.value) is int else None
