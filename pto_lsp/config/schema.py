"""The settings as a JSON schema: what an editor needs to offer them. Nothing at run time depends on it."""

from __future__ import annotations

from enum import Enum
from typing import Any

from pto_lsp.config.settings import KEYS, SWITCHES, Conformance, Settings, Target
from pto_lsp.diagnostics import Severity

Schema = dict[str, Any]

_CODES: Schema = {"type": "array", "items": {"type": "string", "pattern": r"^(ALL|PTO\d{0,3})$"}}
_STRINGS: Schema = {"type": "array", "items": {"type": "string"}}

_TYPES: dict[str, Schema] = {
    "target": {
        "type": "string",
        "enum": [each.value for each in Target],
        "description": "The runtime the programs are compiled for. Graph functions need `host_build_graph`.",
    },
    "select": {
        **_CODES,
        "description": "Rules to report, by code or the beginning of it. The longer one decides; `ignore` wins where "
        "they are equally long.",
    },
    "ignore": {**_CODES, "description": "Rules not to report, by code or the beginning of it."},
    "severity": {
        "type": "object",
        "propertyNames": {"pattern": r"^PTO\d{0,3}$"},
        "additionalProperties": {"type": "string", "enum": [each.value for each in Severity]},
        "description": "Another severity for a rule or a family of rules; the longest beginning of the code decides.",
    },
    "exclude": {**_STRINGS, "description": "Patterns as in `.gitignore` of files that are left out."},
    "search-paths": {
        **_STRINGS,
        "description": "Folders where imported modules are found besides the file's own; relative to the workspace.",
    },
    "conformance": {
        "type": "string",
        "enum": [each.value for each in Conformance],
        "description": "`reference` refuses exactly what the reference compiler refuses.",
    },
    "compile-on-save": {
        "type": "boolean",
        "description": "Compile a file with an entry when it is saved without errors. Never in an untrusted workspace.",
    },
    "output-dir": {
        "type": "string",
        "description": "Where compiled programs go, relative to the workspace folder.",
    },
    "per-file-ignores": {
        "type": "object",
        "additionalProperties": _CODES,
        "description": "Rules that are not reported in the files that match a pattern.",
    },
}


_SWITCHES = {
    "code-lens": "Show above each launch what it waits for, and above each Graph how much of the limits it uses.",
    "inlay-hints": "Show in the text what launches write, and what hoisting adds to Graphs and their calls.",
}


def switches() -> dict[str, Schema]:
    """The same for what only an editor can be told."""
    return {
        key: {"type": "boolean", "description": _SWITCHES[key], "default": value} for key, value in SWITCHES.items()
    }


def properties() -> dict[str, Schema]:
    """Each key as users write it → type, default and description (Markdown)."""
    defaults = Settings()
    return {key: {**_TYPES[key], "default": _plain(getattr(defaults, key.replace("-", "_")), key)} for key in KEYS}


def _plain(value: Any, key: str) -> Any:
    if isinstance(value, Enum):
        return value.value
    if _TYPES[key]["type"] == "object":
        return dict(value)
    if key == "select":
        # "PTO" is the beginning of every code; people write it "ALL".
        return ["ALL" if each == "PTO" else each for each in value]
    return list(value) if isinstance(value, tuple) else value
