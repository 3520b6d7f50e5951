"""Names for functions and parameters that passes make."""

from __future__ import annotations

from collections.abc import Collection

NameRequest = tuple[str, str, str]
"""The function something was outlined from, the name it wished for, the name it got."""


class FunctionNames:
    """Keys of one program. A new one is its wish unless that is taken (pipeline.md §2, rules.md O14).

    Taken within the same function: ``wish_0``, ``wish_1`` …; taken only elsewhere: ``<function>_<wish>``, numbered on.
    """

    def __init__(self, taken: Collection[str]) -> None:
        self._taken = set(taken)
        self._of_function: dict[str, set[str]] = {}

    def new(self, function: str, wish: str, local: Collection[str] = ()) -> str:
        """A key for something outlined from ``function``; ``local`` are further names that function uses itself."""
        own = self._of_function.setdefault(function, set())
        base = wish
        if wish not in own and wish not in local and wish in self._taken:
            base = f"{function}_{wish}"
        key, number = base, 0
        while key in self._taken or key in local:
            key = f"{base}_{number}"
            number += 1
        self._taken.add(key)
        own.update((wish, key))
        return key

    def replay(self, requests: tuple[NameRequest, ...]) -> bool:
        """Ask again what was asked for an earlier program. False, and nothing asked, when an answer is another now."""
        taken = set(self._taken) if requests else self._taken
        before = {function: set(self._of_function.get(function, ())) for function, _, _ in requests}
        if all(self.new(function, wish) == key for function, wish, key in requests):
            return True
        self._taken = taken
        self._of_function.update(before)
        return False


def unique_name(wish: str, taken: Collection[str]) -> str:
    """``wish``, or ``wish_1``, ``wish_2`` … when it is taken."""
    name, number = wish, 0
    while name in taken:
        number += 1
        name = f"{wish}_{number}"
    return name
