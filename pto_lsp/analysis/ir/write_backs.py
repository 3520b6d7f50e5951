"""Names that stand for a parameter's buffer because something wrote it and handed it back."""

from __future__ import annotations

from pto_lsp.analysis.ir.expressions import Call, Expr, Op, Submit, Var
from pto_lsp.analysis.ir.program import Function, Program
from pto_lsp.analysis.ir.statements import Assign, Block, For, Return, Unpack, While
from pto_lsp.analysis.ir.visitor import blocks, walk_block

WRITE_BACKS = {
    "store": 2,
    "tile.store": 2,
    "mscatter": 2,
    "tile.mscatter": 2,
    "tensor.assemble": 0,
    "tensor.set_validshape": 0,
    "set_validshape": 0,
    "pld.tensor.allreduce": 0,
    "pld.tensor.reduce_scatter": 0,
    "pld.tensor.broadcast": 0,
    "pld.tensor.barrier": 0,
    "pld.tensor.allgather": 1,
    "pld.tensor.all_to_all": 1,
    "pld.tensor.all_to_all_v": 1,
}
"""Operator → the operand whose buffer its result is (rules.md R6)."""


def written_back(op: Op) -> Expr | None:
    """The operand whose buffer the result of ``op`` is."""
    slot = WRITE_BACKS.get(op.name)
    return op.args[slot] if slot is not None and slot < len(op.args) else None


def parameter_aliases(function: Function, program: Program) -> dict[str, str]:
    """Name → parameter, for the names of ``function`` (in SSA form) that are certainly that parameter's buffer.

    Callees are read as they are written: a result counts when the callee returns the parameter itself, which is what
    NormalizeReturnOrder sees to.
    """
    found = {p.name: p.name for p in function.params}
    _Walk(found, program).block(function.body or ())
    return found


class _Walk:
    def __init__(self, found: dict[str, str], program: Program) -> None:
        self._found = found
        self._program = program
        self._returned: dict[str, tuple[int | None, ...]] = {}

    def block(self, block: Block) -> None:
        for stmt in block:
            if isinstance(stmt, Assign):
                self._set(stmt.target, self._of(stmt.value))
            elif isinstance(stmt, Unpack):
                for index, target in enumerate(stmt.targets):
                    self._set(target, self._result(stmt.value, index, len(stmt.targets)))
            elif isinstance(stmt, (For, While)):
                for carry in stmt.carries:
                    self._set(carry.inner, self._of(carry.init))
                self.block(stmt.body)
                for carry in stmt.carries:
                    start = self._of(carry.init)
                    self._set(carry.result, start if self._of(carry.update) == start else None)
            else:
                for body in blocks(stmt):
                    self.block(body)

    def _set(self, var: Var, param: str | None) -> None:
        if param is not None:
            self._found[var.name] = param

    def _of(self, expr: Expr) -> str | None:
        if isinstance(expr, Var):
            return self._found.get(expr.name)
        if isinstance(expr, Op):
            target = written_back(expr)
            return None if target is None else self._of(target)
        return self._result(expr, 0, 1)

    def _result(self, expr: Expr, index: int, count: int) -> str | None:
        if not isinstance(expr, (Call, Submit)):
            return None
        returned = self._returns(expr.callee)
        # The targets of a submit end with the task id.
        results = count - 1 if isinstance(expr, Submit) else count
        if index >= len(returned) or results != len(returned):
            return None
        position = returned[index]
        return self._of(expr.args[position]) if position is not None and position < len(expr.args) else None

    def _returns(self, key: str) -> tuple[int | None, ...]:
        if key not in self._returned:
            function = self._program.functions.get(key)
            self._returned[key] = () if function is None else _returned_params(function)
        return self._returned[key]


def _returned_params(function: Function) -> tuple[int | None, ...]:
    for stmt in walk_block(function.body or ()):
        if isinstance(stmt, Return):
            return tuple([function.param_index(v.name) if isinstance(v, Var) else None for v in stmt.values])
    return ()
