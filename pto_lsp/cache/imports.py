"""Which paths decide what the imports of a module find: those that are there, and those that might come.

The text is searched, not parsed: what only looks like an import makes a result depend on more than it has to, which
costs a miss at worst.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

from pto_lsp.analysis.frontend.constants.importer import FileImporter

_FROM = re.compile(r"\bfrom\b[ \t\f]*([.\w \t\f]*?)[ \t\f]*\bimport\b[ \t\f]*")
_IMPORT = re.compile(r"\bimport\b[ \t\f]*([\w. \t\f,]*)")
_NAME = re.compile(r"\w+")
_DOTTED = re.compile(r"\w+(?:[ \t\f]*\.[ \t\f]*\w+)*")
_CONTINUED = re.compile(r"\\(?:\r\n|\r|\n)")
_COMMENT = re.compile(r"#[^\r\n]*")


def probes(path: str, text: str, search_paths: tuple[str, ...]) -> dict[str, bool]:
    """Path → whether it exists, for all that is looked at when the module ``path`` is imported and imports."""
    found: dict[str, bool] = {}

    def exists(candidate: str) -> bool:
        if candidate not in found:
            found[candidate] = os.path.exists(candidate)
        return found[candidate]

    importer = FileImporter(search_paths, exists)
    for dotted, level in dict.fromkeys(imported(text)):
        importer.resolve(path, dotted, level)
    return found


def imported(text: str) -> Iterator[tuple[str, int]]:
    """Dotted name and number of leading dots of everything that an import statement in ``text`` may look for."""
    if "import" not in text:
        return
    text = _CONTINUED.sub(" ", text)
    for match in _FROM.finditer(text):
        words = match[1].replace(" ", "").replace("\t", "").replace("\f", "")
        base = words.lstrip(".")
        level = len(words) - len(base)
        yield from _with_packages(base, level)
        for name in _NAME.findall(_listed(text, match.end())):
            yield (f"{base}.{name}" if base else name), level
    for match in _IMPORT.finditer(text):
        for dotted in _DOTTED.findall(match[1]):
            yield from _with_packages("".join(dotted.split()), 0)


def _with_packages(dotted: str, level: int) -> Iterator[tuple[str, int]]:
    """A module is imported after the packages it lies in."""
    parts = dotted.split(".")
    for count in range(1, len(parts) + 1):
        yield ".".join(parts[:count]), level


def _listed(text: str, start: int) -> str:
    """What an import statement lists, from behind its ``import``: to the closing bracket, or to the end of the line."""
    if text[start : start + 1] != "(":
        return re.split(r"[\r\n]", text[start : start + 4000], maxsplit=1)[0]
    parts = []
    for line in re.split(r"\r\n|\r|\n", text[start:]):
        code, bracket, _ = _COMMENT.sub("", line).partition(")")
        parts.append(code)
        if bracket:
            break
    return " ".join(parts)
