"""Whether a name that a loop hands on stays a place in memory that is written to, or becomes a value."""

from __future__ import annotations

from pto_lsp.analysis.ir.expressions import Call, Expr, Op, Submit, Var
from pto_lsp.analysis.ir.statements import Assign, Block, For, If, While
from pto_lsp.analysis.ir.visitor import walk_block
from pto_lsp.backend.kernels.uses import short_name

_WRITTEN_OPERAND = {"assemble": 0, "write": 0, "store": 2}
"""Operand of an operator that writes, of which the result is the new version."""


class Places:
    """Of the names that ``body`` binds."""

    def __init__(self, body: Block) -> None:
        self._sources: dict[str, tuple[Expr, ...]] = {}
        for stmt in walk_block(body):
            if isinstance(stmt, Assign):
                self._sources[stmt.target.name] = (stmt.value,)
            elif isinstance(stmt, If):
                for phi in stmt.phis:
                    self._sources[phi.result.name] = (phi.then, phi.orelse)
            elif isinstance(stmt, (For, While)):
                for carry in stmt.carries:
                    self._sources[carry.result.name] = self._sources[carry.inner.name] = (carry.init, carry.update)

    def stays(self, expr: Expr) -> bool:
        """Whether ``expr`` is what some name from outside was, with what was written to it."""
        return self._stays(expr, set())

    def _stays(self, expr: Expr, seen: set[str]) -> bool:
        if isinstance(expr, Var):
            if expr.name in seen or expr.name not in self._sources:
                return True
            seen.add(expr.name)
            return all(self._stays(source, seen) for source in self._sources[expr.name])
        if isinstance(expr, Op):
            position = _WRITTEN_OPERAND.get(short_name(expr))
            return position is not None and position < len(expr.args) and self._stays(expr.args[position], seen)
        return isinstance(expr, (Call, Submit))
