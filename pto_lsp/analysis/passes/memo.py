"""Results of function-wise passes kept from one edit to the next."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from collections.abc import Set as AbstractSet
from operator import attrgetter, itemgetter
from typing import Generic, TypeVar

from pto_lsp.analysis.ir.place import SourceId, forget
from pto_lsp.analysis.ir.program import Function, Program

_T = TypeVar("_T")
_R = TypeVar("_R")

CAPACITY = 512

_VERSIONS = 2
"""What a function was is of no use any more, unless the edit is taken back; but programs of several entries may see it
differently.
"""
_KEPT_EDITS = 8
"""For so many edits the version before is kept."""

_Version = tuple[SourceId, str]
"""What the versions of one function have in common."""


class _Entry(Generic[_T]):
    """``edit`` is the last one after which the value was asked for, or replaced; ``turn`` grows with every question."""

    __slots__ = ("edit", "function", "turn", "value")

    def __init__(self, function: Function, value: _T, edit: int, turn: int) -> None:
        self.function = function
        self.value = value
        self.edit = edit
        self.turn = turn


class Memo(Generic[_T]):
    """A value per function object; the least recently asked for go first, and versions of a function that an edit has
    replaced.

    Functions are told apart by identity.
    """

    def __init__(self, capacity: int = CAPACITY) -> None:
        self._capacity = capacity
        self._edit = 0
        self._turn = 0
        self._entries: OrderedDict[int, _Entry[_T]] = OrderedDict()
        self._versions: dict[_Version, list[int]] = {}
        self._several: set[_Version] = set()

    def next_edit(self) -> None:
        """What is asked for from now on is asked for after another edit."""
        self._edit += 1
        for version in tuple(self._several):
            self._settle(version)

    def forget(self, gone: AbstractSet[SourceId]) -> None:
        """Forget all versions of functions that are ``gone``."""
        for version in [version for version in self._versions if version[0] in gone]:
            for number in self._versions.pop(version):
                del self._entries[number]
            self._several.discard(version)

    def get(self, function: Function) -> _T | None:
        entry = self._entries.get(id(function))
        if entry is None:
            return None
        self._entries.move_to_end(id(function))
        self._turn += 1
        entry.edit, entry.turn = self._edit, self._turn
        return entry.value

    def put(self, function: Function, value: _T) -> None:
        number = id(function)
        if number not in self._entries:
            version = _version(function)
            versions = self._versions.setdefault(version, [])
            if versions:
                # Until now it was what the function is, asked for or not.
                max([self._entries[each] for each in versions], key=_turn).edit = self._edit
            versions.append(number)
            if len(versions) > _VERSIONS:
                oldest = min([self._entries[each] for each in versions[:-1]], key=_turn)
                versions.remove(id(oldest.function))
                del self._entries[id(oldest.function)]
            if len(versions) > 1:
                self._several.add(version)
        self._turn += 1
        self._entries[number] = _Entry(function, value, self._edit, self._turn)
        while len(self._entries) > self._capacity:
            number, entry = self._entries.popitem(last=False)
            version = _version(entry.function)
            self._versions[version].remove(number)
            self._settle(version)

    def _settle(self, version: _Version) -> None:
        """Forget what has been replaced too long ago."""
        entries = self._entries
        versions = self._versions[version]
        latest = max([entries[number].turn for number in versions], default=0)
        for number in versions:
            entry = entries[number]
            if entry.turn < latest and entry.edit < self._edit - _KEPT_EDITS:
                del entries[number]
        versions[:] = [number for number in versions if number in entries]
        if len(versions) <= 1:
            self._several.discard(version)
        if not versions:
            del self._versions[version]


_turn = attrgetter("turn")


def _version(function: Function) -> _Version:
    return function.at.source, function.key


class Latest(Generic[_T]):
    """A value per function, whatever its versions: that of the last one. The least recently kept go first."""

    def __init__(self, capacity: int = CAPACITY) -> None:
        self._capacity = capacity
        self._values: OrderedDict[_Version, _T] = OrderedDict()

    def get(self, function: Function) -> _T | None:
        return self._values.get(_version(function))

    def keep(self, function: Function, value: _T) -> None:
        version = _version(function)
        self._values[version] = value
        self._values.move_to_end(version)
        while len(self._values) > self._capacity:
            self._values.popitem(last=False)

    def forget(self, gone: AbstractSet[SourceId]) -> None:
        """As `Memo.forget`."""
        forget(self._values, gone, itemgetter(0))


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
        self._last: Latest[_R] = Latest()

    def next_edit(self) -> None:
        """As `Memo.next_edit`."""
        self._memo.next_edit()

    def forget(self, gone: AbstractSet[SourceId]) -> None:
        """As `Memo.forget`."""
        self._memo.forget(gone)
        self._last.forget(gone)

    def run(self, program: Program) -> Program:
        functions: dict[str, Function] = {}
        for key, function in program.functions.items():
            known = self._memo.get(function)
            if known is None:
                self._next_function()
                known = self._change(function, self._last.get(function))
                self._memo.put(function, known)
            result, kept = known
            if kept is not None:
                # Also what an edit was taken back to: the next version will be an edit of that.
                self._last.keep(function, kept)
            functions[key] = result
        return program.with_functions(functions)
