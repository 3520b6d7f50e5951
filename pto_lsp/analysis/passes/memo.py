"""Results of function-wise passes kept from one edit to the next."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Generic, TypeVar

from pto_lsp.analysis.ir.program import Function, Program

_T = TypeVar("_T")

CAPACITY = 512


class Memo(Generic[_T]):
    """A value per function object; the least recently asked for go first. Functions are told apart by identity."""

    def __init__(self, capacity: int = CAPACITY) -> None:
        self._capacity = capacity
        self._entries: OrderedDict[int, tuple[Function, _T]] = OrderedDict()

    def get(self, function: Function) -> _T | None:
        entry = self._entries.get(id(function))
        if entry is None:
            return None
        self._entries.move_to_end(id(function))
        return entry[1]

    def put(self, function: Function, value: _T) -> None:
        self._entries[id(function)] = (function, value)
        while len(self._entries) > self._capacity:
            self._entries.popitem(last=False)


class FunctionPass:
    """A pass that looks at one function at a time, done once for each function object."""

    def __init__(self, change: Callable[[Function], Function]) -> None:
        self._change = change
        self._memo: Memo[Function] = Memo()

    def run(self, program: Program) -> Program:
        functions: dict[str, Function] = {}
        for key, function in program.functions.items():
            result = self._memo.get(function)
            if result is None:
                result = self._change(function)
                self._memo.put(function, result)
            functions[key] = result
        return program.with_functions(functions)
