"""Methods of Python's data types: the pure ones, and those that change a list, dict or set in place."""

from __future__ import annotations

from typing import Any

from pto_lsp.analysis.frontend.constants.comparison import is_known
from pto_lsp.analysis.frontend.constants.limits import MAX_TEXT, Raised, Unknowable, check_length, check_nesting
from pto_lsp.analysis.frontend.constants.operators import check_format, items
from pto_lsp.analysis.frontend.constants.values import SCALARS, UNKNOWN, Lazy, Value, words

_TEXT = words(
    """capitalize casefold count endswith find index isalnum isalpha isascii isdecimal isdigit isidentifier islower
    isnumeric isprintable isspace istitle isupper lower lstrip partition removeprefix removesuffix rfind rindex
    rpartition rsplit rstrip split splitlines startswith strip swapcase title upper encode decode hex"""
)
_PADDING = frozenset({"center", "ljust", "rjust", "zfill"})
_NUMBER = frozenset({"bit_length", "bit_count", "is_integer", "as_integer_ratio", "conjugate", "hex"})
_READING: dict[type, frozenset[str]] = {
    str: _TEXT,
    bytes: _TEXT,
    int: _NUMBER,
    float: _NUMBER,
    bool: _NUMBER,
    list: frozenset({"count", "index", "copy"}),
    tuple: frozenset({"count", "index"}),
    range: frozenset({"count", "index"}),
    dict: frozenset({"get", "items", "keys", "values", "copy"}),
    set: frozenset({"copy", "union", "intersection", "difference", "symmetric_difference", "issubset", "issuperset"}),
    frozenset: frozenset({"union", "intersection", "difference", "issubset", "issuperset"}),
}
CHANGING: dict[type, frozenset[str]] = {
    list: frozenset({"append", "extend", "insert", "pop", "remove", "clear", "sort", "reverse"}),
    dict: frozenset({"update", "pop", "setdefault", "clear", "popitem"}),
    set: frozenset({"add", "discard", "remove", "update", "clear", "pop"}),
}
"""The methods whose call needs a receiver that may be changed, see ``Machine.owns``."""
MUTATORS = frozenset().union(*CHANGING.values()) | {"__setitem__", "__setattr__", "__delitem__"}
"""Names of methods that, on an object that is not known, may change it."""


def has_method(receiver: Value, name: str) -> bool:
    kind = type(receiver)
    return (
        name in _READING.get(kind, ())
        or name in CHANGING.get(kind, ())
        or (kind is str and (name in _PADDING or name in ("join", "format", "replace", "expandtabs")))
    )


def call_method(receiver: Any, name: str, args: list[Any], keywords: dict[str, Any]) -> Value:
    """The result of a pure method; UNKNOWN for what is not modelled."""
    kind = type(receiver)
    if kind is dict and name in ("get", "copy", "items", "keys", "values"):
        return _mapping(receiver, name, args)
    if name == "copy" and kind in (list, set):
        return receiver.copy()
    if not all(map(is_known, args)) or not all(map(is_known, keywords.values())):
        return UNKNOWN
    if kind is str:
        if name == "join" and len(args) == 1:
            return _join(receiver, args[0])
        if name == "format":
            check_format(receiver)
            if not all(type(v) in SCALARS for v in [*args, *keywords.values()]):
                return UNKNOWN
            return _apply(receiver, name, args, keywords)
        if name == "replace" and len(args) >= 2 and type(args[1]) is str:
            if len(receiver) * max(1, len(args[1])) > MAX_TEXT:
                raise Unknowable
            return _apply(receiver, name, args, keywords)
        if name in _PADDING and args and type(args[0]) is int and args[0] <= MAX_TEXT:
            return _apply(receiver, name, args, keywords)
    if name not in _READING.get(kind, ()):
        return UNKNOWN
    if kind in (list, tuple, set, frozenset) and not is_known(receiver):
        return UNKNOWN
    return _apply(receiver, name, args, keywords)


def _apply(receiver: Any, name: str, args: list[Any], keywords: dict[str, Any]) -> Value:
    try:
        return getattr(receiver, name)(*args, **keywords)
    except Exception as error:
        raise Raised(type(error).__name__) from None


def _join(separator: str, parts: Any) -> Value:
    texts = items(parts)
    size = 0
    for text in texts:
        if type(text) is not str:
            raise Raised("TypeError")
        size += len(text) + len(separator)
    if size > MAX_TEXT:
        raise Unknowable
    return separator.join(texts)  # type: ignore[arg-type]


def _mapping(receiver: dict[Any, Any], name: str, args: list[Any]) -> Value:
    if name == "get":
        if not 1 <= len(args) <= 2 or not is_known(args[0]):
            return UNKNOWN
        try:
            return receiver.get(*args)
        except TypeError:
            raise Raised("TypeError") from None
    if name == "copy":
        return receiver.copy()
    if name == "items":
        return Lazy(list(receiver.items()))
    return Lazy(list(receiver.keys() if name == "keys" else receiver.values()))


def change(receiver: Any, name: str, args: list[Any], keywords: dict[str, Any]) -> Value:
    """Run one of ``CHANGING`` on the receiver itself. ``Unknowable`` is raised before anything has changed."""
    kind = type(receiver)
    if kind is list:
        if name == "append" or name == "insert":
            check_length(len(receiver) + 1)
            check_nesting(receiver, args[-1:])
        elif name == "extend":
            args = [list(items(args[0]))] if args else args
            for extra in args:
                check_length(len(receiver) + len(extra))
                check_nesting(receiver, extra)
        elif name == "sort" and (keywords.keys() - {"reverse"} or not is_known(receiver)):
            raise Unknowable
    elif kind is dict:
        if name == "update":
            args = [_pairs(arg) for arg in args]
            for arg in args:
                check_length(len(receiver) + len(arg))
                check_nesting(receiver, list(arg.values()))
            check_nesting(receiver, list(keywords.values()))
        elif name != "clear" and args and not is_known(args[0]):
            raise Unknowable
        elif name == "setdefault":
            check_length(len(receiver) + 1)
            check_nesting(receiver, args[1:])
    elif name == "pop" or not all(map(is_known, args)):
        raise Unknowable
    elif name == "update":
        args = [items(arg) for arg in args]
        check_length(len(receiver) + sum(map(len, args)))
    else:
        check_length(len(receiver) + 1)
    return _apply(receiver, name, args, keywords)


def _pairs(value: Any) -> dict[Any, Any]:
    if type(value) is dict:
        return value
    try:
        return dict(items(value))  # type: ignore[arg-type]
    except (TypeError, ValueError) as error:
        raise Raised(type(error).__name__) from None
