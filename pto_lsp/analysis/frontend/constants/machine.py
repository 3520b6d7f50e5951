"""State of one evaluation and the rules of changing objects, shared by the layers of the interpreter."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from pto_lsp.analysis.frontend.constants.limits import MODULE_STEPS, Budget
from pto_lsp.analysis.frontend.constants.operators import items, truthy
from pto_lsp.analysis.frontend.constants.values import (
    CONTAINERS,
    SCALARS,
    UNKNOWN,
    ClassRef,
    EnumMember,
    FunctionRef,
    Instance,
    Value,
)

_CHANGEABLE = frozenset({list, dict, set, Instance})


class Machine(ABC):
    """Owner of the objects an evaluation makes.

    An object is changed in place only by the evaluation (or the arm of an undecided ``if``) that made it: those are in
    ``owned``. A change to any other object makes that object unknown from then on (``poisoned``): the arm may not be
    taken, or the object belongs to a finished module that caches share. The tables keep their objects alive, so ids
    stay unique.

    ``created`` has every object of the evaluation, whatever the arm.

    ``doubts`` counts results that came out unknown where the program might have raised instead; ``import_doubts`` those
    that were imports. A ``try`` looks at them to decide whether a handler may have run.
    """

    def __init__(self, steps: int = MODULE_STEPS) -> None:
        self.budget = Budget(steps)
        self.owned: dict[int, Value] = {}
        self.created: dict[int, Value] = {}
        self.poisoned: dict[int, Value] = {}
        self.doubts = 0
        self.import_doubts = 0
        self.depth = 0
        self.arms = 0

    def own(self, value: Value) -> Value:
        if type(value) in _CHANGEABLE:
            self.owned[id(value)] = value
            self.created[id(value)] = value
        return value

    def may_change(self, value: Value) -> bool:
        """Whether ``value`` may be changed in place; when not, it is unknown from now on."""
        if id(value) in self.owned and id(value) not in self.poisoned:
            return True
        self.poison(value)
        return False

    def poison(self, value: Value) -> None:
        """``value`` may have been changed in a way that is not known."""
        if type(value) in _CHANGEABLE and id(value) not in self.poisoned:
            self.poisoned[id(value)] = value
            if id(value) not in self.created:
                self.poison_foreign(value)

    def sound(self, value: Value) -> Value:
        """``value`` with everything poisoned in it replaced by UNKNOWN."""
        if not self.poisoned:
            return value
        return self._sound(value, {})

    def _sound(self, value: Any, done: dict[int, Value]) -> Value:
        kind = type(value)
        if kind in SCALARS:
            return value
        if id(value) in self.poisoned:
            return UNKNOWN
        if id(value) in done:
            return done[id(value)]
        result: Value = value
        if kind is dict:
            fresh = {key: self._sound(each, done) for key, each in value.items()}
            if any(fresh[key] is not value[key] for key in fresh):
                result = fresh
        elif kind is list or kind is tuple:
            parts = [self._sound(each, done) for each in value]
            if any(new is not old for new, old in zip(parts, value)):
                result = kind(parts)
        elif kind is Instance:
            fields = {key: self._sound(each, done) for key, each in value.fields.items()}
            if any(fields[key] is not value.fields[key] for key in fields):
                result = Instance(value.cls, fields)
        done[id(value)] = result
        return result

    def unknown(self) -> Value:
        """UNKNOWN as the result of something that may as well have raised."""
        self.doubts += 1
        return UNKNOWN

    def truth(self, value: Value) -> bool | None:
        """``bool(value)``; None when not known."""
        if self.poisoned and id(value) in self.poisoned:
            return None
        return truthy(value)

    def iterate(self, value: Value) -> list[Value] | tuple[Value, ...]:
        """The items of an iterable; raises ``Unknowable``."""
        if type(value) is ClassRef and value.body is not None and value.body.kind == "enum":
            return [v for v in value.body.attributes.values() if type(v) is EnumMember]
        found = items(value)
        if self.poisoned and type(value) in CONTAINERS:
            found = self.sound(list(found))  # type: ignore[assignment]
        self.budget.spend(1 + len(found) // 64)
        return found

    @abstractmethod
    def poison_foreign(self, value: Value) -> None:
        """An object that the evaluation did not make became unknown."""

    @abstractmethod
    def call(self, function: Value, args: list[Value], keywords: dict[str, Value]) -> Value:
        """Call any value; UNKNOWN when it cannot be followed."""

    @abstractmethod
    def attribute(self, base: Value, name: str) -> Value:
        """``base.name``; UNKNOWN when not known, ``Raised`` when surely absent."""

    @abstractmethod
    def read_global(self, path: str, name: str) -> Value:
        """A module's name as of now; ``MISSING`` when it has none."""

    @abstractmethod
    def run_function(self, function: FunctionRef, args: list[Value], keywords: dict[str, Value]) -> Value:
        """Call a function of the user's."""
