"""Completion in configuration files: keys, rule codes, and the values of keys that have few."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lsprotocol import types

from pto_lsp.analysis.rules import registry
from pto_lsp.config import KEYS, SECTION, Conformance, Target
from pto_lsp.diagnostics import Severity

_HEADER = re.compile(r"^[ \t]*\[[ \t]*([\w\-. \"']+?)[ \t]*\][ \t]*(?:#.*)?$", re.MULTILINE)
_KEY = re.compile(r"^[ \t]*([\w-]*)$")
_VALUE = re.compile(r"^[ \t]*([\w-]+)[ \t]*=[ \t]*\"?([\w-]*)$")
_CODE_LIST = re.compile(r"^[ \t]*(?P<key>[\w\-\"'*./]+)[ \t]*=[ \t]*\[[^\]]*\"(?P<typed>\w*)$", re.MULTILINE)
_GIVEN = re.compile(r"^[ \t]*([\w-]+)[ \t]*=", re.MULTILINE)
_VALUES = {
    "target": tuple(each.value for each in Target),
    "conformance": tuple(each.value for each in Conformance),
    "compile-on-save": ("true", "false"),
}
_BARE = ("true", "false")


def completions(text: str, offset: int, own_file: bool) -> list[tuple[str, str, types.CompletionItemKind]]:
    """What may stand at an offset of a configuration file: label, what of it is typed, kind. ``own_file``: the keys are
    at the top level.
    """
    base = "" if own_file else f"tool.{SECTION}"
    before = text[:offset]
    headers = list(_HEADER.finditer(before))
    table = "" if not headers else headers[-1][1].replace('"', "").replace(" ", "")
    body = before[headers[-1].end() if headers else 0 :]
    rest = _HEADER.search(text, offset)
    whole = body + text[offset : rest.start() if rest is not None else len(text)]
    return list(_in_table(table, base, body, whole))


def _in_table(table: str, base: str, body: str, whole: str) -> Iterator[tuple[str, str, types.CompletionItemKind]]:
    below = f"{base}." if base else ""
    line = body[body.rfind("\n") + 1 :]
    key, value = _KEY.match(line), _VALUE.match(line)
    codes = _CODE_LIST.search(body)
    listed = codes is not None and (
        table == f"{below}per-file-ignores" or (table == base and codes["key"] in ("select", "ignore"))
    )
    if codes is not None and listed:
        for code in ("ALL", *registry.codes()):
            yield code, codes["typed"], types.CompletionItemKind.EnumMember
    elif table == base and key is not None:
        for name in KEYS:
            if name not in _GIVEN.findall(whole):
                yield name, key[1], types.CompletionItemKind.Property
    elif table == base and value is not None:
        for word in _VALUES.get(value[1], ()):
            yield word, value[2], types.CompletionItemKind.Value
    elif table == f"{below}severity" and key is not None:
        for code in registry.codes():
            yield code, key[1], types.CompletionItemKind.EnumMember
    elif table == f"{below}severity" and value is not None:
        for severity in Severity:
            yield severity.value, value[2], types.CompletionItemKind.Value


def written(label: str, kind: types.CompletionItemKind, before: str) -> str:
    """What is inserted: values in quotes, unless one is there."""
    bare = kind is not types.CompletionItemKind.Value or label in _BARE or before.endswith('"')
    return label if bare else f'"{label}"'
