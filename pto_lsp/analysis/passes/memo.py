"""Results of function-wise passes kept from one edit to the next."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Generic, TypeVar

from pto_lsp.analysis.ir.place import SourceId
from pto_lsp.analysis.ir.program import Function, Program

_T = TypeVar("_T")
_R = TypeVar("_R")

CAPACITY = 512

_VERSIONS = 2
"""What a function was before an edit is of no use any more; but programs of several entries may see it differently."""


class Memo(Generic[_T]):
    """A value per function object; the least recently asked for go first, and all but the last versions of a function.

    Functions are told apart by identity.
    """

    def __init__(self, capacity: int = CAPACITY) -> None:
        self._capacity = capacity
        self._entries: OrderedDict[int, tuple[Function, _T]] = OrderedDict()
        self._versions: dict[tuple[SourceId, str], list[int]] = {}

    def get(self, function: Function) -> _T | None:
        entry = self._entries.get(id(function))
        if entry is None:
            return None
        self._entries.move_to_end(id(function))
        return entry[1]

    def put(self, function: Function, value: _T) -> None:
        number = id(function)
        if number not in self._entries:
            versions = self._versions.setdefault((function.at.source, function.key), [])
            versions.append(number)
            if len(versions) > _VERSIONS:
                del self._entries[versions.pop(0)]
        self._entries[number] = (function, value)
        while len(self._entries) > self._capacity:
            _, (oldest, _value) = self._entries.popitem(last=False)
            self._forget(oldest)

    def _forget(self, function: Function) -> None:
        version = (function.at.source, function.key)
        self._versions[version].remove(id(function))
        if not self._versions[version]:
            del self._versions[version]


class FunctionPass(Generic[_R]):
    """A pass that looks at one function at a time, done once for each function object. What ``change`` returns beside
    a function is handed to it with the next version of that function.
    """

    def __init__(
        self,
        change: Callable[[Function, _R | None], tuple[Function, _R | None]],
        next_function: Callable[[], None] = lambda: None,
    ) -> None:
        """``next_function`` is called before each function and may end the run by raising."""
        self._change = change
        self._next_function = next_function
        self._memo: Memo[tuple[Function, _R | None]] = Memo()
        self._last: OrderedDict[tuple[SourceId, str], _R] = OrderedDict()

    def run(self, program: Program) -> Program:
        functions: dict[str, Function] = {}
        for key, function in program.functions.items():
            version = (function.at.source, function.key)
            known = self._memo.get(function)
            if known is None:
                self._next_function()
                known = self._change(function, self._last.get(version))
                self._memo.put(function, known)
            result, kept = known
            if kept is not None:
                # Also what an edit was taken back to: the next version will be an edit of that.
                self._keep(version, kept)
            functions[key] = result
        return program.with_functions(functions)

    def _keep(self, version: tuple[SourceId, str], kept: _R) -> None:
        self._last[version] = kept
        self._last.move_to_end(version)
        while len(self._last) > CAPACITY:
            self._last.popitem(last=False)
