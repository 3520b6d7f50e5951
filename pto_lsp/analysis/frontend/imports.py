"""Which names mean pypto in a file: its roots."""

from __future__ import annotations

import re

_IMPORT = re.compile(r"^[ \t]*import[ \t]+(pypto(?:\.\w+)*)(?:[ \t]+as[ \t]+(\w+))?", re.MULTILINE)
_FROM = re.compile(r"^[ \t]*from[ \t]+pypto[\w.]*[ \t]+import[ \t]+(\([^)]*\)|[^\r\n#]*)", re.MULTILINE)
_NAME = re.compile(r"(\w+)(?:\s+as\s+(\w+))?")

CONVENTIONAL = frozenset({"pl", "pld"})
"""The DSL's parser goes by these names, whatever the import says (surface.md §1)."""


def roots_of(text: str) -> frozenset[str]:
    """Names that ``text`` (a file or a part of one) binds to pypto modules or imports from them."""
    if "pypto" not in text:
        return frozenset()
    found: set[str] = set()
    for match in _IMPORT.finditer(text):
        found.add(match[2] or match[1].partition(".")[0])
    for match in _FROM.finditer(text):
        for name in _NAME.finditer(match[1]):
            found.add(name[2] or name[1])
    return frozenset(found)
