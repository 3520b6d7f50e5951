"""Answers about names outside of a function, remembered: what was computed from them holds while they stay."""

from __future__ import annotations

from pto_lsp.analysis.frontend.constants.comparison import same
from pto_lsp.analysis.frontend.constants.values import FunctionRef, Value
from pto_lsp.analysis.frontend.signatures import Names, Signature

Lookup = tuple[str, object, object]
"""Which question ("name", "function", "method"), about what, and the answer."""


class Recorder:
    """``Names`` that remembers every answer of other ``Names``."""

    def __init__(self, names: Names) -> None:
        self._names = names
        self.env = names.env
        self.lookups: list[Lookup] = []
        self._seen: dict[str, Value] = {}

    def lookup(self, name: str) -> Value:
        if name in self._seen:
            return self._seen[name]
        value = self._names.lookup(name)
        self._seen[name] = value
        self.lookups.append(("name", name, value))
        return value

    def function(self, ref: FunctionRef) -> Signature | None:
        found = self._names.function(ref)
        self.lookups.append(("function", ref, found))
        return found

    def method(self, name: str) -> Signature | None:
        found = self._names.method(name)
        self.lookups.append(("method", name, found))
        return found


def still_valid(names: Names, lookups: list[Lookup]) -> bool:
    """Whether ``names`` answer today as they did then."""
    return all(_unchanged(names, kind, key, value) for kind, key, value in lookups)


def _unchanged(names: Names, kind: str, key: object, value: object) -> bool:
    if kind == "name":
        return _same_value(names.lookup(key), value)  # type: ignore[arg-type]
    if kind == "function":
        return names.function(key) is value  # type: ignore[arg-type]
    return names.method(key) is value  # type: ignore[arg-type]


def _same_value(now: Value, before: Value) -> bool:
    # What a DSL function means to its callers is its signature, which is looked up separately.
    if isinstance(now, FunctionRef) and now.dsl:
        return now == before
    return same(now, before)
