"""Which parameter each result of a kernel is the buffer of (semantics.md §2.15)."""

from __future__ import annotations

from pto_lsp.analysis.ir.expressions import Call, Expr, Op, Submit, Var
from pto_lsp.analysis.ir.node_table import NodeTable
from pto_lsp.analysis.ir.program import Direction, Function, Program
from pto_lsp.analysis.ir.statements import Assign, Block, For, If, Return, Scope, Unpack, While
from pto_lsp.analysis.task_graph.operators import PURE

DESTINATION = {"store": 2, "tile.store": 2, "tensor.assemble": 0, "tensor.write": 0, "tensor.scatter_update": 0}
"""Operators whose result is the tensor they write: position of that tensor among the arguments."""

ResultTable = NodeTable[tuple["int | None", ...]]


class ResultSources:
    """Finds and remembers, per function, the parameter index of every result; None for a result with storage of its
    own.
    """

    def __init__(self, program: Program, known: ResultTable) -> None:
        """``known`` outlives the program; it takes the results of functions that call no other."""
        self._program = program
        self._table = known
        self._known: dict[int, tuple[int | None, ...]] = {}
        self._outputs: frozenset[int] = frozenset()
        self._called = False

    def of(self, function: Function) -> tuple[int | None, ...]:
        key = id(function)
        found = self._known.get(key)
        if found is not None:
            return found
        found = self._table.get(function)
        if found is None:
            self._known[key] = ()
            outer, self._called = self._called, False
            found = self._find(function)
            if not self._called:
                self._table.put(function, found)
            self._called = outer
        self._known[key] = found
        return found

    def _find(self, function: Function) -> tuple[int | None, ...]:
        written = [i for i, p in enumerate(function.params) if p.direction is not Direction.IN]
        outer, self._outputs = self._outputs, frozenset(written)
        found = self._returned(function, written)
        self._outputs = outer
        return found

    def _returned(self, function: Function, written: list[int]) -> tuple[int | None, ...]:
        count = len(function.returns)
        if function.body is not None:
            env: dict[str, int | None] = {p.name: i for i, p in enumerate(function.params)}
            returned = self._block(function.body, env)
            if returned is not None and (count == 0 or len(returned) == count):
                return returned
        return tuple([written[i] if i < len(written) else None for i in range(count)])

    def _block(self, body: Block, env: dict[str, int | None]) -> tuple[int | None, ...] | None:
        returned = None
        for stmt in body:
            if isinstance(stmt, Assign):
                env[stmt.target.name] = self._source(stmt.value, env)
            elif isinstance(stmt, Unpack):
                self._unpack(stmt, env)
            elif isinstance(stmt, (For, While)):
                for carry in stmt.carries:
                    env[carry.inner.name] = self._source(carry.init, env)
                self._block(stmt.body, env)
                for carry in stmt.carries:
                    env[carry.result.name] = env[carry.inner.name]
            elif isinstance(stmt, If):
                self._block(stmt.then, env)
                self._block(stmt.orelse, env)
                for phi in stmt.phis:
                    first, second = self._source(phi.then, env), self._source(phi.orelse, env)
                    env[phi.result.name] = first if first == second else None
            elif isinstance(stmt, Scope):
                returned = self._block(stmt.body, env) or returned
            elif isinstance(stmt, Return):
                returned = tuple([self._source(value, env) for value in stmt.values])
        return returned

    def _source(self, expr: Expr, env: dict[str, int | None]) -> int | None:
        if isinstance(expr, Var):
            return env.get(expr.name)
        if isinstance(expr, Op):
            position = DESTINATION.get(expr.name)
            if position is not None and position < len(expr.args):
                return self._source(expr.args[position], env)
            if expr.name.rpartition(".")[2] not in PURE:
                # An operator that is not known may well return the output it was given.
                for arg in expr.args:
                    source = self._source(arg, env) if isinstance(arg, Var) else None
                    if source in self._outputs:
                        return source
        if isinstance(expr, (Call, Submit)):
            sources = self._call(expr, env)
            return sources[0] if sources else None
        return None

    def _call(self, call: Call | Submit, env: dict[str, int | None]) -> tuple[int | None, ...]:
        self._called = True
        callee = self._program.functions.get(call.callee)
        if callee is None:
            return ()
        found = []
        for source in self.of(callee):
            found.append(
                self._source(call.args[source], env) if source is not None and source < len(call.args) else None
            )
        return tuple(found)

    def _unpack(self, stmt: Unpack, env: dict[str, int | None]) -> None:
        sources = self._call(stmt.value, env) if isinstance(stmt.value, (Call, Submit)) else ()
        for index, target in enumerate(stmt.targets):
            env[target.name] = sources[index] if index < len(sources) else None
