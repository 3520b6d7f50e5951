"""Equality that does not take 1 for True, nor a changed function for its former self."""

from __future__ import annotations

from typing import Any

from pto_lsp.analysis.frontend.constants.values import (
    CONTAINERS,
    SCALARS,
    UNKNOWN,
    BoundMethod,
    ClassBody,
    ClassRef,
    Descriptor,
    EnumMember,
    Field,
    FunctionRef,
    Instance,
    PlSubscript,
    Value,
)


def is_known(value: Any) -> bool:
    """Whether nothing inside ``value`` is UNKNOWN."""
    kind = type(value)
    if kind in SCALARS:
        return True
    if value is UNKNOWN:
        return False
    if kind is dict:
        return all(is_known(v) for v in value.values())
    if kind in CONTAINERS:
        return all(is_known(v) for v in value)
    if kind is Instance:
        return all(is_known(v) for v in value.fields.values())
    return True


def same(left: Value, right: Value) -> bool:
    """Whether the two values are interchangeable: equal, of the same types throughout, with the same code."""
    if left is right:
        return True
    kind = type(left)
    if kind is not type(right):
        return False
    if kind is float:
        return repr(left) == repr(right)
    if kind in SCALARS:
        return left == right
    if isinstance(left, (list, tuple)) and isinstance(right, (list, tuple)):
        return len(left) == len(right) and all(map(same, left, right))
    if isinstance(left, dict) and isinstance(right, dict):
        return (
            len(left) == len(right)
            and all(map(same, left.keys(), right.keys()))
            and all(map(same, left.values(), right.values()))
        )
    if isinstance(left, Instance) and isinstance(right, Instance):
        return same(left.cls, right.cls) and same(left.fields, right.fields)
    if isinstance(left, FunctionRef) and isinstance(right, FunctionRef):
        return (
            left == right
            and left.code is right.code
            and left.scope is right.scope
            and same(left.defaults, right.defaults)
        )
    if isinstance(left, ClassRef) and isinstance(right, ClassRef):
        return left == right and left.dsl == right.dsl and same(left.body, right.body)
    if isinstance(left, ClassBody) and isinstance(right, ClassBody):
        return (
            left.kind == right.kind
            and left.frozen == right.frozen
            and left.open == right.open
            and left.mixin == right.mixin
            and same(left.fields, right.fields)
            and same(left.bases, right.bases)
            and _same_attributes(left.attributes, right.attributes)
        )
    if isinstance(left, Field) and isinstance(right, Field):
        return (
            (left.name, left.factory, left.init, left.keyword_only)
            == (right.name, right.factory, right.init, right.keyword_only)
        ) and same(left.default, right.default)
    if isinstance(left, Descriptor) and isinstance(right, Descriptor):
        return left.kind == right.kind and same(left.function, right.function)
    if isinstance(left, EnumMember) and isinstance(right, EnumMember):
        return left == right and same(left.value, right.value)
    if isinstance(left, BoundMethod) and isinstance(right, BoundMethod):
        return left.name == right.name and same(left.receiver, right.receiver) and same(left.function, right.function)
    if isinstance(left, PlSubscript) and isinstance(right, PlSubscript):
        return left.dotted == right.dotted and same(left.items, right.items)
    return left == right


def _same_attributes(left: dict[str, Value], right: dict[str, Value]) -> bool:
    """An instance among them may lead back to the class, so it counts as the same only when it is the same object."""
    if left.keys() != right.keys():
        return False
    for name, value in left.items():
        other = right[name]
        if value is not other and (type(value) is Instance or not same(value, other)):
            return False
    return True
