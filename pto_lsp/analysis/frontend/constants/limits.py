"""Bounds that keep an evaluation small, and the two ways in which one ends early."""

from __future__ import annotations

from typing import Any

from pto_lsp.analysis.frontend.constants.values import CONTAINERS, SCALARS, Instance, Value

MAX_BITS = 4096
"""Largest integer that is computed."""
MAX_TEXT = 1_000_000
"""Longest string, in code points."""
MAX_ITEMS = 100_000
"""Longest container."""
MAX_NESTED = 20_000
"""Most values a container of containers may hold, counted with repetitions."""
MAX_CALLS = 40
"""Deepest nesting of calls of the user's functions."""
MODULE_STEPS = 100_000
"""Statements, loop trips and calls that the evaluation of one module may take."""
CALL_STEPS = 20_000
"""The same for one call from module level."""


class Unknowable(Exception):
    """The value (or the effect of the statement) cannot be known. Never leaves the package."""


class Raised(Exception):
    """The evaluated program itself raises here. ``kind`` is the exception's class name."""

    def __init__(self, kind: str) -> None:
        super().__init__(kind)
        self.kind = kind


class Budget:
    """Steps left. ``spend`` raises ``Unknowable`` when there are none, ``charge`` leaves that to the next ``spend``."""

    __slots__ = ("left",)

    def __init__(self, steps: int) -> None:
        self.left = steps

    def charge(self, steps: int) -> None:
        self.left -= steps

    def spend(self, steps: int = 1) -> None:
        self.left -= steps
        if self.left < 0:
            raise Unknowable


def weight(value: Value, forbidden: Value = None) -> int:
    """Number of values inside ``value``, itself included, repeats counted; at most ``MAX_NESTED`` + 1.

    Raises ``Unknowable`` when the container ``forbidden`` is inside: storing ``value`` there would make a cycle.
    """
    total = 0
    stack: list[Any] = [value]
    while stack:
        current = stack.pop()
        total += 1
        if total > MAX_NESTED:
            return total
        kind = type(current)
        if kind in SCALARS:
            continue
        if current is forbidden and forbidden is not None:
            raise Unknowable
        if kind is dict:
            stack.extend(current.keys())
            stack.extend(current.values())
        elif kind in CONTAINERS:
            stack.extend(current)
        elif kind is Instance:
            stack.extend(current.fields.values())
    return total


def check_nesting(container: Value, items: list[Value] | tuple[Value, ...]) -> int:
    """Refuse (``Unknowable``) a container that would hold too much or itself. Flat ones cost one type test per item.

    Returns the number of values that had to be counted, for the budget.
    """
    for item in items:
        if type(item) not in SCALARS:
            total = 0
            for each in items:
                total += weight(each, container)
                if total > MAX_NESTED:
                    raise Unknowable
            return total
    return 0


def check_length(length: int) -> None:
    if length > MAX_ITEMS:
        raise Unknowable
