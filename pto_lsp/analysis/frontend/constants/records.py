"""The standard library's ways of making records: dataclasses, named tuples, name spaces."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pto_lsp.analysis.frontend.constants.limits import Raised
from pto_lsp.analysis.frontend.constants.machine import Machine
from pto_lsp.analysis.frontend.constants.values import (
    CONTAINERS,
    MISSING,
    UNKNOWN,
    ClassBody,
    ClassRef,
    Descriptor,
    Field,
    FunctionRef,
    Instance,
    Library,
    Value,
    words,
)

_TRANSPARENT = words(
    """functools.lru_cache functools.cache functools.wraps typing.overload typing.final typing.no_type_check
    typing_extensions.override typing.override staticmethod classmethod property functools.cached_property
    abc.abstractmethod"""
)


def transparent(decorator: str) -> bool:
    """Whether a decorator of this name leaves what calling the function returns as it is."""
    return decorator in _TRANSPARENT


def fill(
    machine: Machine, instance: Instance, fields: Sequence[Field], args: list[Value], keywords: dict[str, Value]
) -> bool:
    """Set the fields as the generated ``__init__`` does; False where that would raise ``TypeError``."""
    accepted = [field for field in fields if field.init]
    positional = [field for field in accepted if not field.keyword_only]
    if len(args) > len(positional):
        return False
    given = {field.name: value for field, value in zip(positional, args)}
    names = {field.name for field in accepted}
    for name, value in keywords.items():
        if name in given or name not in names:
            return False
        given[name] = value
    for field in fields:
        if field.name in given:
            instance.fields[field.name] = given[field.name]
        elif field.default is MISSING:
            if field.init:
                return False
        elif field.factory:
            instance.fields[field.name] = machine.own(machine.call(field.default, [], {}))
        else:
            instance.fields[field.name] = field.default
    return True


def call(machine: Machine, dotted: str, args: list[Any], keywords: dict[str, Any]) -> Value:
    """Call of a library function that is not in ``library.FUNCTIONS``."""
    if dotted == "dataclasses.replace" and len(args) == 1:
        return _replace(machine, args[0], keywords)
    if dotted in ("dataclasses.asdict", "dataclasses.astuple", "vars") and len(args) == 1:
        if not isinstance(args[0], Instance):
            return UNKNOWN
        return _as_data(args[0], dotted.endswith("tuple")) if dotted != "vars" else dict(args[0].fields)
    if dotted == "dataclasses.fields" and len(args) == 1:
        cls = args[0].cls if isinstance(args[0], Instance) else args[0]
        if isinstance(cls, ClassRef) and cls.body is not None and cls.body.kind == "dataclass":
            return tuple(Instance(_NAMESPACE, {"name": field.name}) for field in cls.body.fields)
        return UNKNOWN
    if dotted == "enum.auto":
        return Library(dotted)
    if dotted == "dataclasses.field":
        return field_of("", keywords)
    if dotted == "types.SimpleNamespace" and not args:
        return Instance(_NAMESPACE, dict(keywords))
    if dotted == "collections.namedtuple":
        return _named_tuple(args, keywords)
    if dotted == "collections.OrderedDict" and not args:
        return dict(keywords)
    if dotted in ("property", "functools.cached_property") and len(args) == 1 and isinstance(args[0], FunctionRef):
        return Descriptor("property", args[0])
    if dotted in ("staticmethod", "classmethod") and len(args) == 1 and isinstance(args[0], FunctionRef):
        return Descriptor(dotted[: -len("method")], args[0])
    if dotted == "logging.getLogger":
        return Library("logging")
    if dotted.startswith(("logging.", "warnings.")):
        return None
    if dotted in ("setattr", "object.__setattr__") and len(args) == 3:
        return set_attribute(machine, *args)
    return machine.call_unknown(args, keywords)


def set_attribute(machine: Machine, target: Value, name: Value, value: Value) -> Value:
    """``setattr`` on an instance."""
    if isinstance(target, Instance) and type(name) is str and machine.may_change(target):
        target.fields[name] = value
        return None
    return machine.unknown()


def field_of(name: str, keywords: dict[str, Value]) -> Field:
    """The field that ``field(**keywords)`` describes."""
    factory = keywords.get("default_factory", MISSING)
    default = keywords.get("default", MISSING)
    return Field(
        name,
        factory if factory is not MISSING else default,
        factory is not MISSING,
        keywords.get("init", True) is not False,
        keywords.get("kw_only", False) is True,
        keywords.get("compare", True) is True,
    )


_NAMESPACE = ClassRef("", "SimpleNamespace", body=ClassBody({}))


def _replace(machine: Machine, base: Value, changes: dict[str, Value]) -> Value:
    if not isinstance(base, Instance) or base.cls.body is None or base.cls.body.kind != "dataclass":
        return UNKNOWN
    keywords = {f.name: base.fields.get(f.name, UNKNOWN) for f in base.cls.body.fields if f.init}
    for name, value in changes.items():
        if name not in keywords:
            raise Raised("TypeError")
        keywords[name] = value
    return machine.call(base.cls, [], keywords)


def _as_data(value: Any, tuples: bool) -> Any:
    if isinstance(value, Instance) and value.cls.body is not None and value.cls.body.kind == "dataclass":
        parts = {f.name: _as_data(value.fields.get(f.name, UNKNOWN), tuples) for f in value.cls.body.fields}
        return tuple(parts.values()) if tuples else parts
    if isinstance(value, dict):
        return {key: _as_data(each, tuples) for key, each in value.items()}
    if type(value) in CONTAINERS:
        return type(value)(_as_data(each, tuples) for each in value)
    return value


def _named_tuple(args: list[Any], keywords: dict[str, Any]) -> Value:
    if len(args) != 2 or type(args[0]) is not str:
        return UNKNOWN
    names = args[1].replace(",", " ").split() if type(args[1]) is str else args[1]
    if type(names) not in (list, tuple) or not all(type(name) is str for name in names):
        return UNKNOWN
    defaults = keywords.get("defaults") or ()
    if type(defaults) not in (list, tuple) or len(defaults) > len(names):
        return UNKNOWN
    padded = [MISSING] * (len(names) - len(defaults)) + list(defaults)
    fields = tuple(Field(name, default) for name, default in zip(names, padded))
    return ClassRef("", args[0], body=ClassBody({}, kind="namedtuple", fields=fields))
