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
from pto_lsp.analysis.ir.statements import Assign, Block, For, LoopKind, Opaque, Region, RegionKind, Stmt
from pto_lsp.analysis.ir.visitor import blocks, walk_block
from pto_lsp.analysis.node import node
from pto_lsp.analysis.passes.renaming import KnownCopies, Renaming
from pto_lsp.analysis.passes.statement_results import StatementResults

MAX_STATEMENTS = 20_000
"""A function is not made longer than this; what is left stays a loop (far beyond a Graph's limits, rules.md N8)."""

_DEVICE = frozenset({FunctionKind.INCORE, FunctionKind.AIC, FunctionKind.AIV, FunctionKind.GROUP, FunctionKind.SPMD})


def run(program: Program) -> Program:
    """Runs before SSA construction: names bound in a body are simply bound again by each copy."""
    return program.with_functions({key: unroll(function) for key, function in program.functions.items()})


def unroll(function: Function, results: StatementResults | None = None) -> Function:
    """``function`` with its loops written out; the same object when it has none."""
    if function.body is None or function.kind in _DEVICE:
        return function
    body = _Unrolling(function, results or StatementResults()).block(function.body)
    return function if body is function.body else replace(function, body=body)


@node
class _Written:
    """A loop written out: the statements, their number towards the budget, and the copies of indices made."""

    statements: Block
    cost: int
    copied: int


class _Unrolling:
    def __init__(self, function: Function, results: StatementResults) -> None:
        self._function = function
        self._results = results
        self._budget = MAX_STATEMENTS
        self._exhausted = False
        self._copied = 0

    def block(self, block: Block) -> Block:
        result: list[Stmt] = []
        changed = False
        for stmt in block:
            if not self._results.holds(stmt, "unrolls"):
                result.append(stmt)
                continue
            written = self._written(stmt) if isinstance(stmt, For) and stmt.kind is LoopKind.UNROLL else None
            if written is not None:
                result.extend(written)
                changed = True
                continue
            if not _stays(stmt):
                bodies = blocks(stmt)
                new = tuple([self.block(body) for body in bodies])
                if any(a is not b for a, b in zip(new, bodies)):
                    stmt = self._results.rebuilt("unrolled", stmt, new)
                    changed = True
            result.append(stmt)
        return tuple(result) if changed else block

    def _written(self, loop: For) -> Block | None:
        known = self._results.find("written out", loop, self._copied)
        if isinstance(known, _Written) and known.cost <= self._budget:
            self._budget -= known.cost
            self._copied += known.copied
            return known.statements
        budget, copied = self._budget, self._copied
        copies = self._copies(loop)
        if copies is None:
            return None
        # Outer loops first: the bounds of an inner one may depend on the index.
        statements = self.block(copies)
        if not self._exhausted:
            made = _Written(statements, budget - self._budget, self._copied - copied)
            self._results.store("written out", loop, copied, made)
        return statements

    def _copies(self, loop: For) -> Block | None:
        start, stop, step = _integer(loop.start), _integer(loop.stop), _integer(loop.step)
        if start is None or stop is None or not step or loop.carries:
            return None
        trips = range(start, stop, step)
        length = len(trips) * sum(1 for _ in walk_block(loop.body))
        if length > self._budget:
            self._exhausted = True
            return None
        self._budget -= length
        found: list[Stmt] = []
        var = loop.var
        rebound = var.name in self._results.bound_in(loop.body)
        for index in trips:
            value: Expr = Const(index, var.span, var.label)
            if rebound:
                # A body that assigns to its own index: a variable of this copy, hidden from what follows the loop.
                self._copied += 1
                local = Var(f"{var.name}@u{self._copied}", var.label, var.type, var.span)
                binding: list[Stmt] = [Assign(local, value, loop.at, loop.span)]
                found.extend(self._results.settled("unrolled index", self._function.at.source, local.name, binding))
                value = local
            known = KnownCopies(self._results, loop.at.source, (loop.at.line, var.name, index), None)
            found.extend(Renaming({var.name: value}, known=known).block(loop.body))
        return tuple(found)


def _stays(stmt: Stmt) -> bool:
    """Whether loops in ``stmt`` stay loops: in device code, and in what is not understood, which may be device code
    whose first line is being typed.
    """
    return isinstance(stmt, Opaque) or (isinstance(stmt, Region) and stmt.kind is not RegionKind.HIERARCHY)


def _integer(expr: Expr) -> int | None:
    folded = fold(expr, Bounds())
    return folded.value if isinstance(folded, Const) and type(folded.value) is int else None
