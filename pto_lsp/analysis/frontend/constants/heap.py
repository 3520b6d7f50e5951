"""Which objects an evaluation may change, and which are no longer known."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pto_lsp.analysis.frontend.constants.comparison import same
from pto_lsp.analysis.frontend.constants.limits import MAX_ITEMS
from pto_lsp.analysis.frontend.constants.values import (
    CONTAINERS,
    SCALARS,
    UNKNOWN,
    ClassRef,
    Instance,
    Lazy,
    ModuleRef,
    Value,
)

CHANGEABLE = frozenset({list, dict, set, Instance, ClassRef, Lazy})


class Heap:
    """The changeable objects of one evaluation.

    An object is changed in place only by the evaluation that made it, and not in an arm of an undecided ``if`` unless
    it was made there: ``floor`` is the age an object must not exceed. Any other change *poisons* the object: it is
    unknown from then on. So are objects that something not executed or not understood may have changed.

    Objects that a value which is not known may turn out to be (``ys = xs if … else zs``) are *hidden*; a change of
    such a value poisons them all. ``hidden_modules`` are modules it may be.

    Everything is kept alive here, so that ids stay unique. ``tell`` is told of every poisoned object and whether it was
    made here.
    """

    def __init__(self, tell: Callable[[Value, bool], None]) -> None:
        self.poisoned: dict[int, Value] = {}
        self.floor = 0
        self.clock = 0
        self._born: dict[int, int] = {}
        self._kept: list[Value] = []
        self._hidden: dict[int, Value] = {}
        self.hidden_modules: set[str] = set()
        self._tell = tell

    def own(self, value: Value) -> Value:
        """Take a fresh object into the evaluation; returns it."""
        if type(value) in CHANGEABLE and id(value) not in self._born:
            self._born[id(value)] = self.clock
            self._kept.append(value)
            self.clock += 1
        return value

    def is_own(self, value: Value, floor: int) -> bool:
        """Whether the evaluation made ``value``, not before the time ``floor``, and still knows it."""
        born = self._born.get(id(value))
        return born is not None and born >= floor and id(value) not in self.poisoned

    def poison(self, value: Value) -> None:
        """``value`` itself, not what is in it, may have been changed."""
        if type(value) in CHANGEABLE and id(value) not in self.poisoned:
            self.poisoned[id(value)] = value
            self._tell(value, id(value) in self._born)

    def poison_all(self, value: Value) -> None:
        """``value`` and everything in it may have been changed; frozen instances cannot be."""
        for each in _reachable(value):
            self.poison(each)

    def hide(self, value: Value) -> None:
        """Some unknown value may be ``value`` or something in it."""
        if type(value) is ModuleRef:
            self.hidden_modules.add(value.path)
        elif type(value) not in SCALARS:
            for each in _reachable(value):
                self._hidden[id(each)] = each

    def expose(self) -> None:
        """An unknown value was changed."""
        while self._hidden:
            self.poison(self._hidden.popitem()[1])

    def sound(self, value: Value) -> Value:
        """``value`` with everything poisoned in it replaced by UNKNOWN."""
        return self._sound(value, {}) if self.poisoned else value

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
            if id(value.cls) in self.poisoned:
                result = UNKNOWN
            elif any(fields[key] is not value.fields[key] for key in fields):
                result = Instance(value.cls, fields)
        done[id(value)] = result
        return result


def interchangeable(left: Value, right: Value) -> bool:
    """Whether it makes no difference, now or after any change, which of the two a name stands for."""
    return left is right or (same(left, right) and not _reachable(left))


def _reachable(value: Value) -> list[Value]:
    """The changeable objects that are ``value`` or in it."""
    found: list[Value] = []
    seen: set[int] = set()
    stack: list[Any] = [value]
    while stack and len(seen) < MAX_ITEMS:
        current = stack.pop()
        kind = type(current)
        if kind in SCALARS or id(current) in seen:
            continue
        seen.add(id(current))
        if kind is Instance:
            stack.extend(current.fields.values())
            if current.cls.body is None or not current.cls.body.frozen:
                found.append(current)
        elif kind is dict:
            found.append(current)
            stack.extend(current.values())
        elif kind in CONTAINERS:
            if kind is not tuple and kind is not frozenset:
                found.append(current)
            stack.extend(current)
        elif kind is Lazy:
            stack.extend(current.rest)
    return found


def leads_to(value: Any, target: Value) -> bool:
    """Whether the object ``target`` is ``value`` or inside it."""
    stack: list[Any] = [value]
    budget = 10_000
    while stack:
        current = stack.pop()
        if current is target or (type(target) is ClassRef and current == target):
            return True
        budget -= 1
        if budget < 0:
            return True
        if isinstance(current, dict):
            stack.extend(current.values())
        elif isinstance(current, (list, tuple)):
            stack.extend(current)
        elif isinstance(current, Instance):
            stack.append(current.cls)
            stack.extend(current.fields.values())
    return False
