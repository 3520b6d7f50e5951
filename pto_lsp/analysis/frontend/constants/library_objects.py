"""Functions of the library that ask what a value is, or copy it."""

from __future__ import annotations

import builtins
from typing import Any

from pto_lsp.analysis.frontend.constants.limits import Raised
from pto_lsp.analysis.frontend.constants.machine import Machine
from pto_lsp.analysis.frontend.constants.values import (
    PLAIN,
    SCALARS,
    UNKNOWN,
    BoundMethod,
    ClassRef,
    EnumMember,
    FunctionRef,
    Instance,
    Library,
    Value,
)

TYPES: dict[str, type] = {
    "int": int,
    "float": float,
    "bool": bool,
    "str": str,
    "bytes": bytes,
    "list": list,
    "tuple": tuple,
    "dict": dict,
    "set": set,
    "frozenset": frozenset,
    "range": range,
    "complex": complex,
    "slice": slice,
}


def isinstance_(machine: Machine, args: list[Any], keywords: dict[str, Any]) -> Value:
    value, classes = args
    options = classes if type(classes) is tuple else (classes,)
    if value is UNKNOWN:
        return UNKNOWN
    for option in options:
        if type(option) is Library and option.dotted in TYPES and (type(value) in PLAIN):
            if isinstance(value, TYPES[option.dotted]):
                return True
        elif type(option) is ClassRef and type(value) in PLAIN:
            continue
        elif isinstance(value, (Instance, EnumMember)) and isinstance(option, ClassRef):
            if value.cls == option:
                return True
            if value.cls.body is None or value.cls.body.bases or value.cls.body.open:
                return UNKNOWN
        elif isinstance(value, Instance) and isinstance(option, Library) and option.dotted in TYPES:
            if value.cls.body is None or value.cls.body.kind == "namedtuple":
                return UNKNOWN
        elif not (isinstance(option, Library) and option.dotted in TYPES):
            return UNKNOWN
    return False


def getattr_(machine: Machine, args: list[Any], keywords: dict[str, Any]) -> Value:
    if type(args[1]) is not str or (len(args) > 2 and isinstance(args[0], Library)):
        return UNKNOWN
    try:
        return machine.attribute(args[0], args[1])
    except Raised as raised:
        if raised.kind == "AttributeError" and len(args) > 2:
            return args[2]
        raise


def hasattr_(machine: Machine, args: list[Any], keywords: dict[str, Any]) -> Value:
    if type(args[1]) is not str:
        return UNKNOWN
    if isinstance(args[0], Library):
        return UNKNOWN
    try:
        return UNKNOWN if machine.attribute(args[0], args[1]) is UNKNOWN else True
    except Raised:
        return False


def callable_(machine: Machine, args: list[Any], keywords: dict[str, Any]) -> Value:
    if isinstance(args[0], (FunctionRef, ClassRef, BoundMethod)):
        return True
    if isinstance(args[0], Library) and callable(getattr(builtins, args[0].dotted, None)):
        return True
    return False if type(args[0]) in PLAIN else UNKNOWN


def copy(machine: Machine, args: list[Any], keywords: dict[str, Any]) -> Value:
    value = args[0]
    if type(value) in (list, dict, set):
        return value.copy()
    if type(value) is Instance:
        return Instance(value.cls, dict(value.fields))
    return value if type(value) in PLAIN else UNKNOWN


def deepcopy(machine: Machine, args: list[Any], keywords: dict[str, Any]) -> Value:
    value = args[0]
    if type(value) is dict:
        return {key: machine.own(deepcopy(machine, [each], {})) for key, each in value.items()}
    if type(value) in (list, tuple):
        return type(value)(machine.own(deepcopy(machine, [each], {})) for each in value)
    if type(value) is Instance:
        return Instance(
            value.cls, {key: machine.own(deepcopy(machine, [each], {})) for key, each in value.fields.items()}
        )
    return value


def text(machine: Machine, args: list[Any], keywords: dict[str, Any]) -> Value:
    if not args:
        return ""
    value = args[0]
    if type(value) is EnumMember:
        return UNKNOWN
    return str(value) if writable(value) and len(args) == 1 else UNKNOWN


def repr_(machine: Machine, args: list[Any], keywords: dict[str, Any]) -> Value:
    return repr(args[0]) if writable(args[0]) else UNKNOWN


def writable(value: Any) -> bool:
    """Whether our ``str`` of the value is what the program's would be."""
    kind = type(value)
    if kind is int or kind is str or kind in SCALARS:
        return True
    if kind in (set, frozenset):
        return False
    if kind is dict:
        return all(map(writable, value)) and all(map(writable, value.values()))
    if kind in (list, tuple):
        return all(map(writable, value))
    return kind is range


def first_class(machine: Machine, args: list[Any], keywords: dict[str, Any]) -> Value:
    if len(args) == 1 and isinstance(args[0], (Instance, EnumMember)):
        return args[0].cls
    if len(args) == 1:
        for name, kind in TYPES.items():
            if type(args[0]) is kind:
                return Library(name)
    return UNKNOWN
