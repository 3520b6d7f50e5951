"""The settings themselves: keys, types, layers and how they are put together."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, NamedTuple

from pto_lsp.diagnostics import Position, Range, Severity

CODE_PREFIX = re.compile(r"PTO\d{0,3}")


class Target(Enum):
    """The runtime the programs are compiled for; Graph functions need HOST_BUILD_GRAPH (rules.md G2)."""

    HOST_BUILD_GRAPH = "host_build_graph"
    TENSORMAP_AND_RINGBUFFER = "tensormap_and_ringbuffer"


class Conformance(Enum):
    """REFERENCE refuses exactly what the reference compiler refuses, without the wider acceptance of X1, X2, X4."""

    EXTENDED = "extended"
    REFERENCE = "reference"


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings in force for one file.

    ``root`` is the absolute directory that the patterns of ``exclude`` and ``per_file_ignores`` count from: the folder
    of the configuration file, else the working directory. ``search_paths`` and ``output_dir`` are absolute.
    ``origins`` maps each key as users write it to where its value came from.
    """

    target: Target = Target.HOST_BUILD_GRAPH
    select: tuple[str, ...] = ("PTO",)
    ignore: tuple[str, ...] = ()
    severity: tuple[tuple[str, Severity], ...] = ()
    exclude: tuple[str, ...] = ()
    search_paths: tuple[str, ...] = ()
    conformance: Conformance = Conformance.EXTENDED
    compile_on_save: bool = True
    output_dir: str = ".pto"
    per_file_ignores: tuple[tuple[str, tuple[str, ...]], ...] = ()
    root: str = ""
    origins: tuple[tuple[str, str], ...] = field(default=(), compare=False)

    def is_enabled(self, code: str) -> bool:
        """The longest prefix that names the code decides; ``ignore`` wins against an equally long ``select``."""
        selected = _longest_prefix(code, self.select)
        return selected >= 0 and selected > _longest_prefix(code, self.ignore)

    def severity_of(self, code: str, default: Severity) -> Severity:
        best, result = -1, default
        for prefix, severity in self.severity:
            if code.startswith(prefix) and len(prefix) > best:
                best, result = len(prefix), severity
        return result


class Problem(NamedTuple):
    """Something wrong with a configuration. ``path`` is None where there is no file: editor or command line."""

    path: str | None
    range: Range
    message: str


@dataclass(frozen=True, slots=True)
class Layer:
    """Raw values of one source, by key as users write it, with the place of each key where the source is a file.

    Relative paths and patterns in ``values`` count from ``root`` ("" leaves the root of the layer below in force).
    """

    name: str
    values: Mapping[str, Any]
    root: str = ""
    path: str | None = None
    places: Mapping[str, Range] = field(default_factory=dict)

    def place(self, key: str) -> Range:
        return self.places.get(key, NOWHERE)

    def origin(self, key: str) -> str:
        place = self.places.get(key)
        return self.name if place is None else f"{self.path}:{place.start.line + 1}"


NOWHERE = Range(Position(0, 0), Position(0, 0))


def _longest_prefix(code: str, prefixes: tuple[str, ...]) -> int:
    return max((len(prefix) for prefix in prefixes if code.startswith(prefix)), default=-1)


class InvalidValue(Exception):
    """A value of the wrong type or outside what the key allows; the text says what was expected."""


def _string(value: Any) -> str:
    if not isinstance(value, str):
        raise InvalidValue(f"expected a string, got {_kind(value)}")
    return value


def _boolean(value: Any) -> bool:
    if not isinstance(value, bool):
        raise InvalidValue(f"expected true or false, got {_kind(value)}")
    return value


def _strings(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise InvalidValue(f"expected a list of strings, got {_kind(value)}")
    for item in value:
        if not isinstance(item, str):
            raise InvalidValue(f"expected a list of strings, one of its items is {_kind(item)}")
    return tuple(value)


def _table(value: Any) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise InvalidValue(f"expected a table, got {_kind(value)}")
    return value


def code_prefixes(value: Any) -> tuple[str, ...]:
    """Rule codes or their beginnings ("PTO1"); "ALL" stands for every rule."""
    found = tuple("PTO" if item == "ALL" else item for item in _strings(value))
    for item in found:
        _code(item)
    return found


def _code(item: str) -> str:
    if CODE_PREFIX.fullmatch(item) is None:
        raise InvalidValue(f"{item!r} is not a rule code or the beginning of one")
    return item


def _severities(value: Any) -> tuple[tuple[str, Severity], ...]:
    found = []
    for code, name in _table(value).items():
        _code(code)
        found.append((code, _choice(Severity)(name)))
    return tuple(found)


def _ignores_per_file(value: Any) -> tuple[tuple[str, tuple[str, ...]], ...]:
    return tuple((pattern, code_prefixes(codes)) for pattern, codes in _table(value).items())


def _choice(kind: type[Enum]) -> Callable[[Any], Any]:
    def parse(value: Any) -> Enum:
        for member in kind:
            if member.value == value:
                return member
        allowed = ", ".join(f'"{member.value}"' for member in kind)
        raise InvalidValue(f"expected one of {allowed}, got {value!r}")

    return parse


def _kind(value: Any) -> str:
    if isinstance(value, bool):
        return "a boolean"
    for kind, name in (
        (str, "a string"),
        (int, "an integer"),
        (float, "a number"),
        (list, "a list"),
        (dict, "a table"),
    ):
        if isinstance(value, kind):
            return name
    return "nothing" if value is None else f"a {type(value).__name__}"


_PARSERS: dict[str, Callable[[Any], Any]] = {
    "target": _choice(Target),
    "select": code_prefixes,
    "ignore": code_prefixes,
    "severity": _severities,
    "exclude": _strings,
    "search-paths": _strings,
    "conformance": _choice(Conformance),
    "compile-on-save": _boolean,
    "output-dir": _string,
    "per-file-ignores": _ignores_per_file,
}
KEYS = tuple(_PARSERS)
SWITCHES = {"code-lens": True, "inlay-hints": False}
"""What an editor shows or does not, and whether it does where nobody says; no configuration file has these."""


def resolve(layers: tuple[Layer, ...], root: str) -> tuple[Settings, tuple[Problem, ...]]:
    """Put ``layers`` together, lowest first; ``root`` is the absolute directory that stands in for a file's."""
    values: dict[str, Any] = {}
    origins = dict.fromkeys(KEYS, "default")
    problems = []
    pattern_root = root
    for layer in layers:
        base = layer.root or root
        if layer.root:
            pattern_root = layer.root
        for key, raw in layer.values.items():
            parse = _PARSERS.get(key)
            if parse is None:
                problems.append(Problem(layer.path, layer.place(key), _unknown_key(key)))
                continue
            try:
                value = parse(raw)
            except InvalidValue as fault:
                problems.append(Problem(layer.path, layer.place(key), f"{key}: {fault}"))
                continue
            if key == "search-paths":
                value = tuple(os.path.normpath(os.path.join(base, item)) for item in value)
            elif key == "output-dir":
                value = os.path.normpath(os.path.join(base, value))
            values[key.replace("-", "_")] = value
            origins[key] = layer.origin(key)
    values.setdefault("output_dir", os.path.join(pattern_root, ".pto"))
    return Settings(**values, root=pattern_root, origins=tuple(origins.items())), tuple(problems)


def _unknown_key(key: str) -> str:
    # Where the guess is good enough to help: same letters, or one a beginning of the other.
    spelt = key.lower().replace("_", "-")
    for known in KEYS:
        if spelt == known or known.startswith(spelt) or spelt.startswith(known):
            return f"unknown key {key!r}; did you mean {known!r}?"
    return f"unknown key {key!r}"


def describe(settings: Settings) -> list[tuple[str, str, str]]:
    """Each key with its value as TOML and its origin, in the order of the documentation."""
    origins = dict(settings.origins)
    found = []
    for key, parse in _PARSERS.items():
        value = getattr(settings, key.replace("-", "_"))
        is_table = parse in (_severities, _ignores_per_file)
        found.append((key, "{}" if is_table and not value else _toml(value), origins.get(key, "default")))
    return found


def _toml(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Enum):
        return _toml(value.value)
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    if value and isinstance(value[0], tuple):
        return "{ " + ", ".join(f"{_toml(key)} = {_toml(item)}" for key, item in value) + " }"
    return "[" + ", ".join(_toml(item) for item in value) + "]"
