"""The first calls of a Graph as its callers make them, without running anything else."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pto_lsp.analysis.ir.expressions import Call, Expr, Submit
from pto_lsp.analysis.ir.program import Function, FunctionKind, Program
from pto_lsp.analysis.ir.statements import Assign, Block, Evaluate, For, If, Scope, Stmt, Unpack
from pto_lsp.analysis.ir.types import ScalarType, TensorType
from pto_lsp.analysis.ir.visitor import blocks
from pto_lsp.analysis.replay.demand import Demand, Lineage, Slice
from pto_lsp.analysis.replay.dtypes import is_float
from pto_lsp.analysis.replay.values import UNKNOWN, Buffer, Value, dense

_CALLERS = (FunctionKind.ORCHESTRATION, FunctionKind.OPAQUE, FunctionKind.HOST)

# Trips of one loop that are looked at, and calls altogether: two differing ones are wanted, early ones.
_TRIPS = 3
_CALLS = 24

# An entry scalar is the same in all calls of a run; its value is anybody's guess.
_ENTRY_SCALAR = 2


@dataclass(frozen=True, slots=True)
class Situation:
    """``number`` is which call of the run this is, from 1; ``arguments`` are evaluated in ``caller`` when asked for."""

    number: int
    caller: Demand
    arguments: tuple[Expr, ...]


class CallSequence:
    """Calls of ``key`` by the functions of ``program``, each caller a run of its own."""

    def __init__(self, program: Program, key: str, lineage: Lineage) -> None:
        self._key = key
        self._lineage = lineage
        self._callers = [
            function
            for function in program.functions.values()
            if function.kind in _CALLERS and function.body is not None
        ]

    def runs(self) -> Iterator[list[Situation]]:
        """The first situations of each caller that calls the Graph, in the order of the program."""
        for function in self._callers:
            paths: set[int] = set()
            if _mark(function.body or (), self._key, paths):
                yield list(_Walk(self._key, function, paths, self._lineage).situations())


def _mark(block: Block, key: str, paths: set[int]) -> bool:
    """Collect the ids of the statements that hold, or are, a call of ``key``."""
    any_found = False
    for stmt in block:
        found = launch_in(stmt, key) is not None
        for body in blocks(stmt):
            found = _mark(body, key, paths) or found
        if found:
            paths.add(id(stmt))
            any_found = True
    return any_found


def launch_in(stmt: Stmt, key: str) -> Call | Submit | None:
    """The call of ``key`` that ``stmt`` itself makes."""
    if isinstance(stmt, (Assign, Unpack, Evaluate)):
        value = stmt.value
        if isinstance(value, (Call, Submit)) and value.callee == key:
            return value
    return None


class _Walk:
    def __init__(self, key: str, function: Function, paths: set[int], lineage: Lineage) -> None:
        self._key = key
        self._function = function
        self._paths = paths
        self._lineage = lineage
        self._slice = Slice(function.body or ())
        self._number = 0
        self._exact = True

    def situations(self) -> Iterator[Situation]:
        given = entry_values(self._function)
        for count, situation in enumerate(self._block(self._function.body or (), given)):
            yield situation
            if count + 1 == _CALLS:
                return

    def _demand(self, given: dict[str, Value]) -> Demand:
        number = self._number

        def read(buffer: Buffer, element: int) -> int:
            return number

        return Demand(self._slice, given, {}, read, self._lineage)

    def _block(self, block: Block, given: dict[str, Value]) -> Iterator[Situation]:
        for stmt in block:
            if id(stmt) not in self._paths:
                continue
            launch = launch_in(stmt, self._key)
            if launch is not None:
                caller = self._demand(given)
                self._number += 1
                yield Situation(self._number, caller, launch.args)
            elif isinstance(stmt, For):
                yield from self._loop(stmt, given)
            elif isinstance(stmt, If):
                condition = self._demand(given).value(stmt.condition)
                yield from self._block(stmt.then if condition is UNKNOWN or condition else stmt.orelse, given)
            elif isinstance(stmt, Scope):
                yield from self._block(stmt.body, given)

    def _loop(self, stmt: For, given: dict[str, Value]) -> Iterator[Situation]:
        outside = self._demand(given)
        start, stop, step = outside.value(stmt.start), outside.value(stmt.stop), outside.value(stmt.step)
        if not isinstance(start, int) or not isinstance(step, int) or step == 0:
            return
        # Bounds known only at run time: at least two trips, or there is nothing to show.
        trips = range(start, stop, step) if isinstance(stop, int) else range(start, start + 2 * step, step)
        carried = {carry.inner.name: outside.value(carry.init) for carry in stmt.carries}
        before = self._number
        for index in trips[:_TRIPS]:
            inside = {**given, **carried, stmt.var.name: index}
            yield from self._block(stmt.body, inside)
            if stmt.carries:
                end = self._demand(inside)
                carried = {carry.inner.name: end.value(carry.update) for carry in stmt.carries}
        if len(trips) > _TRIPS:
            self._number = before + (self._number - before) // _TRIPS * len(trips)


def entry_values(function: Function) -> dict[str, Value]:
    """What a caller could be called with: dense tensors where shapes are known, some number for every scalar."""
    given: dict[str, Value] = {}
    evaluator = Demand(Slice(()), {}, {}, lambda buffer, element: 0, lambda key, index: None)
    for param in function.params:
        type_ = param.type
        if isinstance(type_, ScalarType) and not type_.is_task_id:
            given[param.name] = float(_ENTRY_SCALAR) if is_float(type_.dtype) else _ENTRY_SCALAR
        elif isinstance(type_, TensorType) and type_.shape is not None:
            shape = [evaluator.value(extent) for extent in type_.shape]
            known = tuple([extent for extent in shape if isinstance(extent, int)])
            given[param.name] = dense(param.name, known, type_.dtype) if len(known) == len(shape) else UNKNOWN
        else:
            given[param.name] = UNKNOWN
    return given
