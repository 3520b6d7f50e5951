"""Functions of the library over iterables."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

from pto_lsp.analysis.frontend.constants.comparison import is_known
from pto_lsp.analysis.frontend.constants.limits import MAX_ITEMS, Raised, Unknowable, check_length, check_nesting
from pto_lsp.analysis.frontend.constants.machine import Machine
from pto_lsp.analysis.frontend.constants.operators import binary, plain
from pto_lsp.analysis.frontend.constants.values import (
    CONTAINERS,
    PLAIN,
    SCALARS,
    UNKNOWN,
    ClassRef,
    Lazy,
    Value,
)

Function = Callable[[Machine, list[Any], dict[str, Any]], Value]
"""Of the evaluation, the positional and the keyword arguments; wrong arguments may raise anything."""


def _raise(kind: str) -> Value:
    raise Raised(kind)


def sequence(make: Callable[..., Any]) -> Function:
    """``list``, ``tuple``: one iterable at most."""

    def run(machine: Machine, args: list[Any], keywords: dict[str, Any]) -> Value:
        return make(machine.iterate(args[0])) if args else make()

    return run


def set_(make: Callable[..., Any]) -> Function:
    def run(machine: Machine, args: list[Any], keywords: dict[str, Any]) -> Value:
        if args and type(args[0]) in (set, frozenset):
            return make(args[0])
        found = machine.iterate(args[0]) if args else ()
        if not all(map(is_known, found)):
            return UNKNOWN
        try:
            return make(found)
        except TypeError:
            raise Raised("TypeError") from None

    return run


def dict_(machine: Machine, args: list[Any], keywords: dict[str, Any]) -> Value:
    result: dict[Any, Any] = {}
    if args:
        if type(args[0]) is dict:
            result.update(args[0])
        else:
            for pair in machine.iterate(args[0]):
                key_value = machine.iterate(pair)
                if len(key_value) != 2:
                    raise Raised("ValueError")
                if not is_known(key_value[0]):
                    return UNKNOWN
                try:
                    result[key_value[0]] = key_value[1]
                except TypeError:
                    raise Raised("TypeError") from None
    result.update(keywords)
    check_nesting(None, list(result.values()))
    return result


def len_(machine: Machine, args: list[Any], keywords: dict[str, Any]) -> Value:
    if len(args) != 1:
        return UNKNOWN
    value = args[0]
    if type(value) is ClassRef:
        return len(machine.iterate(value))
    if type(value) is Lazy:
        return len(value.rest)
    value = plain(value)
    if type(value) in (set, frozenset, dict, list, tuple, str, bytes, range):
        return len(value)
    if type(value) in SCALARS:
        raise Raised("TypeError")
    return UNKNOWN


def extreme(best: Callable[..., Any]) -> Function:
    def run(machine: Machine, args: list[Any], keywords: dict[str, Any]) -> Value:
        found = machine.iterate(args[0]) if len(args) == 1 else args
        if not found:
            return keywords["default"] if "default" in keywords else _raise("ValueError")
        key = keywords.get("key")
        ranks = [plain(v) for v in found] if key is None else [plain(machine.call(key, [v], {})) for v in found]
        if not all(type(rank) in PLAIN and is_known(rank) for rank in ranks):
            return UNKNOWN
        try:
            return found[best(range(len(ranks)), key=ranks.__getitem__)]
        except TypeError:
            raise Raised("TypeError") from None

    return run


def sum_(machine: Machine, args: list[Any], keywords: dict[str, Any]) -> Value:
    total: Value = args[1] if len(args) > 1 else keywords.get("start", 0)
    if type(total) is str:
        raise Raised("TypeError")
    for value in machine.iterate(args[0]):
        total = binary("+", total, value)
        if type(total) in CONTAINERS:
            machine.budget.spend(1 + len(total) // 64)  # type: ignore[arg-type]
    return total


def product(machine: Machine, args: list[Any], keywords: dict[str, Any]) -> Value:
    total: Value = keywords.get("start", 1)
    for value in machine.iterate(args[0]):
        total = binary("*", total, value)
    return total


def sorted_(machine: Machine, args: list[Any], keywords: dict[str, Any]) -> Value:
    found = list(machine.iterate(args[0]))
    key = keywords.get("key")
    ranks = [plain(v) for v in found] if key is None else [plain(machine.call(key, [v], {})) for v in found]
    reverse = machine.truth(keywords.get("reverse", False))
    if reverse is None or not all(type(rank) in PLAIN and is_known(rank) for rank in ranks):
        return UNKNOWN
    try:
        order = sorted(range(len(found)), key=ranks.__getitem__, reverse=reverse)
    except TypeError:
        raise Raised("TypeError") from None
    return [found[i] for i in order]


def quantifier(decisive: bool) -> Function:
    """``any`` (decided by one true item) and ``all`` (decided by one false)."""

    def run(machine: Machine, args: list[Any], keywords: dict[str, Any]) -> Value:
        truths = [machine.truth(value) for value in machine.iterate(args[0])]
        if decisive in truths:
            return decisive
        return UNKNOWN if None in truths else not decisive

    return run


def range_(_: Machine, args: list[Any], keywords: dict[str, Any]) -> Value:
    args = [plain(arg) for arg in args]
    if not all(type(arg) in SCALARS for arg in args):
        return UNKNOWN
    try:
        result = range(*args)
        len(result)
        return result
    except OverflowError:
        raise Unknowable from None
    except Exception as error:
        raise Raised(type(error).__name__) from None


def zip_(machine: Machine, args: list[Any], keywords: dict[str, Any]) -> Value:
    return Lazy(list(zip(*[machine.iterate(arg) for arg in args])))


def enumerate_(machine: Machine, args: list[Any], keywords: dict[str, Any]) -> Value:
    start = args[1] if len(args) > 1 else keywords.get("start", 0)
    if type(start) is not int:
        return UNKNOWN
    return Lazy(list(enumerate(machine.iterate(args[0]), start)))


def map_(machine: Machine, args: list[Any], keywords: dict[str, Any]) -> Value:
    rows = zip(*[machine.iterate(arg) for arg in args[1:]])
    return Lazy([machine.call(args[0], list(row), {}) for row in rows])


def filter_(machine: Machine, args: list[Any], keywords: dict[str, Any]) -> Value:
    kept: list[Value] = []
    for value in machine.iterate(args[1]):
        truth = machine.truth(value if args[0] is None else machine.call(args[0], [value], {}))
        if truth is None:
            raise Unknowable
        if truth:
            kept.append(value)
    return Lazy(kept)


def reversed_(machine: Machine, args: list[Any], keywords: dict[str, Any]) -> Value:
    return Lazy(list(machine.iterate(args[0]))[::-1])


def next_(machine: Machine, args: list[Any], keywords: dict[str, Any]) -> Value:
    if type(args[0]) is not Lazy:
        return UNKNOWN
    if args[0].rest:
        return args[0].rest.pop(0)
    return args[1] if len(args) > 1 else _raise("StopIteration")


def reduce(machine: Machine, args: list[Any], keywords: dict[str, Any]) -> Value:
    found = list(args[2:3]) + list(machine.iterate(args[1]))
    if not found:
        raise Raised("TypeError")
    total = found[0]
    for value in found[1:]:
        total = machine.call(args[0], [total, value], {})
    return total


def combine(function: Callable[..., Any]) -> Function:
    """``itertools`` functions of iterables, evaluated to a list."""

    def run(machine: Machine, args: list[Any], keywords: dict[str, Any]) -> Value:
        found = [machine.iterate(arg) if type(arg) is not int else arg for arg in args]
        result = list(itertools.islice(function(*found, **keywords), MAX_ITEMS + 1))
        check_length(len(result))
        machine.budget.spend(len(result) // 16)
        return Lazy(result)

    return run


def repeat(machine: Machine, args: list[Any], keywords: dict[str, Any]) -> Value:
    found = binary("*", [args[0]], args[1]) if len(args) == 2 else UNKNOWN
    return Lazy(found) if type(found) is list else UNKNOWN
