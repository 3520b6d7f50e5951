"""Meaning of Python's operators on values: the one place both evaluators (over ``ast`` and over ``syntax``) go to.

Each function returns UNKNOWN for what cannot be known and raises ``Raised`` where Python would raise for known
operands, ``Unknowable`` where computing would cost too much.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import Any

from pto_lsp.analysis.frontend.constants.comparison import is_known
from pto_lsp.analysis.frontend.constants.limits import (
    MAX_BITS,
    MAX_ITEMS,
    MAX_TEXT,
    Raised,
    Unknowable,
    check_length,
    check_nesting,
)
from pto_lsp.analysis.frontend.constants.values import (
    CONTAINERS,
    PLAIN,
    UNKNOWN,
    BoundMethod,
    ClassBody,
    ClassRef,
    DType,
    DynamicSymbol,
    EnumMember,
    FunctionRef,
    Instance,
    Lazy,
    Library,
    ModuleRef,
    Value,
)

_BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
    "**": operator.pow,
    "<<": operator.lshift,
    ">>": operator.rshift,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
    "@": operator.matmul,
}
_ORDER: dict[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_UNARY: dict[str, Callable[[Any], Any]] = {"-": operator.neg, "+": operator.pos, "~": operator.invert}
_SIZED = {"*", "**", "<<", "%"}
_NUMBERS = frozenset({int, float, bool})
_TRUTHY = (DType, ModuleRef, FunctionRef, ClassRef, BoundMethod, DynamicSymbol)


def plain(value: Any) -> Any:
    """An enum member that is also a number or text, as that; a named tuple as a tuple; anything else unchanged."""
    if type(value) is EnumMember and value.mixin:
        return value.value
    if type(value) is Instance and value.cls.body is not None and value.cls.body.kind == "namedtuple":
        return tuple(value.fields.values())
    return value


def binary(op: str, left: Value, right: Value) -> Value:
    kind = type(left)
    if kind not in PLAIN:
        left = plain(left)
        kind = type(left)
    other = type(right)
    if other not in PLAIN:
        right = plain(right)
        other = type(right)
    if kind not in PLAIN or other not in PLAIN:
        return UNKNOWN
    if op in _SIZED:
        _check_size(op, left, right)
    elif kind in CONTAINERS and op != "+" and not (is_known(left) and is_known(right)):
        return UNKNOWN
    try:
        result = _BINARY[op](left, right)
    except Exception as error:
        raise Raised(type(error).__name__) from None
    if type(result) in _NUMBERS:
        if type(result) is int and result.bit_length() > MAX_BITS:
            raise Unknowable
    elif type(result) in (str, bytes):
        if len(result) > MAX_TEXT:
            raise Unknowable
    elif type(result) in CONTAINERS:
        check_length(len(result))
        if type(result) in (list, tuple):
            check_nesting(None, result)
    return result


def _check_size(op: str, left: Any, right: Any) -> None:
    """Refuse an operation whose result would be huge, before computing it."""
    kind, other = type(left), type(right)
    if op == "*":
        if other is int and kind not in _NUMBERS:
            left, right, kind, other = right, left, other, kind
        if kind is int and other not in _NUMBERS:
            size = len(right) if hasattr(right, "__len__") else 1
            if left > 0 and size * left > (MAX_TEXT if other in (str, bytes) else MAX_ITEMS):
                raise Unknowable
    elif op == "**":
        if kind in _NUMBERS and other is int and right > 0 and kind is not float:
            if left not in (0, 1, -1) and left.bit_length() * right > 2 * MAX_BITS:
                raise Unknowable
        elif kind is int and other is int and left.bit_length() * -right > 2 * MAX_BITS:
            raise Unknowable
    elif op == "<<":
        if other is int and right > MAX_BITS:
            raise Unknowable
    elif kind in (str, bytes):
        if not is_known(right) or not _formattable(right):
            raise Unknowable
        check_format(left)


def _formattable(value: Any) -> bool:
    """Whether Python's own formatting of the value is what the program would see."""
    values = value if type(value) is tuple else (value,)
    return all(type(v) in (int, float, bool, str, type(None)) for v in values)


def check_format(template: str | bytes) -> None:
    """Refuse a format with a width or precision of more than four digits."""
    run = 0
    for char in template if isinstance(template, str) else template.decode("latin-1"):
        if "0" <= char <= "9":
            run += 1
            if run > 4:
                raise Unknowable
        else:
            run = 0


def unary(op: str, operand: Value) -> Value:
    if op == "not":
        truth = truthy(operand)
        return UNKNOWN if truth is None else not truth
    operand = plain(operand)
    if type(operand) not in PLAIN:
        return UNKNOWN
    try:
        return _UNARY[op](operand)
    except Exception as error:
        raise Raised(type(error).__name__) from None


def truthy(value: Value) -> bool | None:
    """``bool(value)``; None when not known."""
    if type(value) in PLAIN:
        return bool(value)
    if isinstance(value, _TRUTHY):
        return True
    if isinstance(value, Library):
        return True if is_object(value) else None
    if isinstance(value, EnumMember):
        return bool(value.value) if value.mixin else True
    if isinstance(value, Instance):
        body = value.cls.body
        if body is None or body.kind == "namedtuple":
            return bool(value.fields)
        special = any("__bool__" in each.attributes or "__len__" in each.attributes for each in lineage(value.cls))
        return None if special else True
    return None


def is_object(value: Library) -> bool:
    """Whether the name surely stands for a function, type or module: those with a dot may be any data."""
    return "." not in value.dotted


def compare(op: str, left: Value, right: Value) -> Value:
    if op == "is" or op == "is not":
        result = _identical(left, right)
        if result is None:
            return UNKNOWN
        return result if op == "is" else not result
    if op == "in" or op == "not in":
        result = _contains(right, left)
        if result is None:
            return UNKNOWN
        return result if op == "in" else not result
    if type(left) in _NUMBERS and type(right) in _NUMBERS:
        return _ORDER[op](left, right)
    left, right = plain(left), plain(right)
    if type(left) in PLAIN and type(right) in PLAIN:
        if (type(left) in CONTAINERS or type(right) in CONTAINERS) and not (is_known(left) and is_known(right)):
            return UNKNOWN
        try:
            return _ORDER[op](left, right)
        except Exception as error:
            raise Raised(type(error).__name__) from None
    if op == "==" or op == "!=":
        result = _equal(left, right)
        if result is None:
            return UNKNOWN
        return result if op == "==" else not result
    return UNKNOWN


def _equal(left: Value, right: Value) -> bool | None:
    """Equality where a value that is no plain data takes part."""
    if left is None or right is None:
        return _identical(left, right)
    if type(left) is type(right) and isinstance(left, (DType, ModuleRef, EnumMember, FunctionRef, ClassRef, Library)):
        return True if left == right else _distinct(left, right)
    if isinstance(left, Instance) and isinstance(right, Instance):
        return _equal_instances(left, right)
    enum, data = (left, right) if isinstance(left, EnumMember) else (right, left)
    if isinstance(enum, EnumMember) and type(data) in PLAIN:
        return False
    return None


def _equal_instances(left: Instance, right: Instance) -> bool | None:
    """By the declared fields, as the generated method does; None when there may be another method."""
    body = left.cls.body
    if left.cls != right.cls or body is None or body.kind != "dataclass":
        return None
    if any("__eq__" in each.attributes for each in lineage(left.cls)):
        return None
    unknown = False
    for field in body.fields:
        result = compare("==", left.fields.get(field.name, UNKNOWN), right.fields.get(field.name, UNKNOWN))
        if result is False:
            return False
        unknown = unknown or result is not True
    return None if unknown else True


def lineage(cls: ClassRef) -> Iterator[ClassBody]:
    """The bodies of the class and of its bases, searched depth first: right unless they form a diamond."""
    stack = [cls]
    while stack:
        body = stack.pop().body
        if body is None:
            return
        yield body
        stack.extend(reversed(body.bases))


def _identical(left: Value, right: Value) -> bool | None:
    if left is UNKNOWN or right is UNKNOWN:
        return None
    singletons = (type(None), bool, EnumMember)
    if isinstance(left, singletons) or isinstance(right, singletons):
        return (type(left) is type(right) and left == right) or _distinct(left, right)
    if type(left) is type(right) and isinstance(left, (ClassRef, FunctionRef, ModuleRef, Library)):
        return True if left == right else _distinct(left, right)
    if type(left) is not type(right) and type(left) in PLAIN and type(right) in PLAIN:
        return False
    return None


def _distinct(left: Value, right: Value) -> bool | None:
    """False for two values that are not the same; None when a name of the library may stand for the other one."""
    for each in (left, right):
        if isinstance(each, Library) and not is_object(each):
            return None
    return False


def _contains(container: Any, item: Any) -> bool | None:
    if item is UNKNOWN:
        return None
    container, item = plain(container), plain(item)
    if type(container) is Lazy:
        container = container.rest
    kind = type(container)
    if kind in (str, bytes, range) or kind in CONTAINERS:
        if kind in (dict, set, frozenset) and type(item) in (list, dict, tuple):
            try:
                hash(item)
            except TypeError:
                raise Raised("TypeError") from None
        if kind is dict:
            container = list(container)
        if kind in CONTAINERS and type(item) in PLAIN and is_known(item):
            # Members of other types than plain data are compared one by one.
            unknown = False
            for each in container:
                if type(each) in PLAIN and is_known(each):
                    if each == item:
                        return True
                else:
                    result = compare("==", each, item)
                    if result is True:
                        return True
                    unknown = unknown or result is UNKNOWN
            return None if unknown else False
        if kind in CONTAINERS:
            results = [compare("==", each, item) for each in container]
            return True if True in results else None if UNKNOWN in results else False
        try:
            return item in container
        except Exception as error:
            raise Raised(type(error).__name__) from None
    return None


def subscript(base: Any, index: Any) -> Value:
    """``base[index]`` for data."""
    base = plain(base)
    kind = type(base)
    if kind is dict:
        if not is_known(index):
            return UNKNOWN
        try:
            return base[index]
        except Exception as error:
            if type(index) not in PLAIN or any(type(key) not in PLAIN for key in base):
                return UNKNOWN
            raise Raised(type(error).__name__) from None
    if kind in (list, tuple, str, bytes, range):
        index = plain(index)
        if type(index) is slice:
            if not all(part is None or type(part) in (int, bool) for part in (index.start, index.stop, index.step)):
                return UNKNOWN
        elif type(index) not in PLAIN:
            return UNKNOWN
        try:
            return base[index]
        except Exception as error:
            raise Raised(type(error).__name__) from None
    return UNKNOWN


def items(value: Any, limit: int = MAX_ITEMS) -> list[Value] | tuple[Value, ...]:
    """What iterating over ``value`` gives, for data; raises ``Unknowable`` when that is not known or too long."""
    value = plain(value)
    if isinstance(value, (list, tuple)):
        return value
    if isinstance(value, (str, bytes, range, dict, set, frozenset)):
        if len(value) > limit:
            raise Unknowable
        if isinstance(value, (set, frozenset)):
            # The order of a set of strings differs from run to run.
            if any(type(each) not in _NUMBERS for each in value) and len(value) > 1:
                raise Unknowable
            return list(value)
        return list(value)
    if value is None or type(value) in _NUMBERS:
        raise Raised("TypeError")
    raise Unknowable
