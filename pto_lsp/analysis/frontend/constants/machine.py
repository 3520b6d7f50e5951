"""State of one evaluation and what every layer of the interpreter needs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable

from pto_lsp.analysis.frontend.constants.heap import Heap
from pto_lsp.analysis.frontend.constants.limits import MODULE_STEPS, Budget
from pto_lsp.analysis.frontend.constants.operators import items, truthy
from pto_lsp.analysis.frontend.constants.values import (
    CONTAINERS,
    UNKNOWN,
    ClassRef,
    EnumMember,
    FunctionRef,
    Lazy,
    Value,
)


class Machine(ABC):
    """An evaluation.

    ``doubts`` counts results that came out unknown, where the program may as well have raised; ``import_doubts`` those
    of imports. A ``try`` looks at them to decide whether a handler may have run. ``tries`` are the ``try`` bodies
    around what is being executed, ``arms`` the undecided branches. ``try_doubts`` are the doubts when the outermost
    ``try`` began, ``try_clock`` the heap's clock at the first doubt since.
    """

    def __init__(self, poisoned: Callable[[Value, bool], None], steps: int = MODULE_STEPS) -> None:
        """``poisoned`` is told of every object that becomes unknown, and whether the evaluation made it."""
        self.budget = Budget(steps)
        self.heap = Heap(poisoned)
        self.poisoned = self.heap.poisoned
        self.own = self.heap.own
        self.doubts = 0
        self.import_doubts = 0
        self.depth = 0
        self.arms = 0
        self.tries = 0
        self.try_doubts = 0
        self.try_clock = 0

    @property
    def doubtful(self) -> bool:
        """Whether a handler around may be running instead."""
        return self.tries > 0 and self.doubts != self.try_doubts

    @property
    def certain(self) -> bool:
        """Whether what is being executed is executed for sure."""
        return self.arms == 0 and not self.doubtful

    def may_change(self, value: Value) -> bool:
        """Whether ``value`` may be changed in place; when not, it is unknown from now on."""
        floor = self.heap.floor
        if self.doubtful:
            floor = max(floor, self.try_clock)
        if self.heap.is_own(value, floor):
            return True
        if value is UNKNOWN:
            self.heap.expose()
        else:
            self.heap.poison(value)
        return False

    def unknown(self, *aliases: Value) -> Value:
        """UNKNOWN as the result of something that may as well have raised, or given one of ``aliases``."""
        self.doubt()
        for alias in aliases:
            self.heap.hide(alias)
        return UNKNOWN

    def doubt(self) -> None:
        """Something unknown was computed."""
        if self.doubts == self.try_doubts:
            self.try_clock = self.heap.clock
        self.doubts += 1

    def truth(self, value: Value) -> bool | None:
        """``bool(value)``; None when not known."""
        if self.poisoned and id(value) in self.poisoned:
            return None
        return truthy(value)

    def iterate(self, value: Value) -> list[Value] | tuple[Value, ...]:
        """The items of an iterable; raises ``Unknowable``."""
        if type(value) is ClassRef and value.body is not None and value.body.kind == "enum":
            return [v for v in value.body.attributes.values() if type(v) is EnumMember]
        if type(value) is Lazy:
            found: list[Value] | tuple[Value, ...] = value.rest
            value.rest = []
        else:
            found = items(value)
        if self.poisoned and type(value) in CONTAINERS:
            found = self.heap.sound(list(found))  # type: ignore[assignment]
        self.budget.spend(1 + len(found) // 64)
        return found

    @abstractmethod
    def call(self, function: Value, args: list[Value], keywords: dict[str, Value]) -> Value:
        """Call any value; UNKNOWN when it cannot be followed."""

    @abstractmethod
    def call_unknown(self, args: list[Value], keywords: dict[str, Value]) -> Value:
        """Call something that may do anything to its arguments."""

    @abstractmethod
    def attribute(self, base: Value, name: str) -> Value:
        """``base.name``; UNKNOWN when not known, ``Raised`` when surely absent."""

    @abstractmethod
    def read_global(self, path: str, name: str) -> Value:
        """A module's name as of now; ``MISSING`` when it has none."""

    @abstractmethod
    def run_function(self, function: FunctionRef, args: list[Value], keywords: dict[str, Value]) -> Value:
        """Call a function of the user's."""
