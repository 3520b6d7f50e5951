"""Where modules come from."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from pto_lsp.analysis.node import node
from pto_lsp.analysis.source.document import Chunk, Document


@node
class ModuleSource:
    """A module's path, as the importer spells it, and its top-level statements."""

    path: str
    chunks: Sequence[Chunk]

    @staticmethod
    def from_text(path: str, text: str) -> ModuleSource:
        return ModuleSource(path, Document(text).chunks)


class Importer(Protocol):
    """Both are asked again at every evaluation, so they should answer from memory what cannot have changed."""

    def resolve(self, importing: str, dotted: str, level: int) -> str | None:
        """Path of the module that ``import`` in the file ``importing`` finds; None when it is none of the user's.

        ``level`` counts the dots of a relative import, whose ``dotted`` may be empty.
        """

    def source(self, path: str) -> ModuleSource | None:
        """Content of a module that ``resolve`` found; None when it cannot be read."""


class FileImporter:
    """Finds modules in the file system (``exists`` and ``read`` can be replaced, say by an editor's open documents).

    Order: the importing file's own directory, as for a script; ``search_paths``; then the directories above, up to the
    first that is no package. Installed packages are never looked at. A directory without ``__init__.py`` counts as an
    empty module, whose path is the directory's.
    """

    def __init__(
        self,
        search_paths: Sequence[str] = (),
        exists: Callable[[str], bool] | None = None,
        read: Callable[[str], ModuleSource | None] | None = None,
    ) -> None:
        self._search_paths = tuple(search_paths)
        self._exists = exists or os.path.exists
        self._read = read or _read_file
        self._known: dict[tuple[str, str], tuple[str | None, tuple[str, ...]]] = {}

    def forget(self) -> None:
        """Files were created or deleted."""
        self._known.clear()

    def missed(self, importing: str, dotted: str, level: int) -> frozenset[str]:
        """The paths that `resolve` would have preferred to what it found, had they been there."""
        found: set[str] = set()
        self._resolve(importing, dotted, level, found)
        return frozenset(found)

    def resolve(self, importing: str, dotted: str, level: int) -> str | None:
        return self._resolve(importing, dotted, level, set())

    def _resolve(self, importing: str, dotted: str, level: int, missed: set[str]) -> str | None:
        directory = os.path.dirname(importing) if importing.endswith(".py") else importing
        if level:
            for _ in range(level - 1):
                directory = os.path.dirname(directory)
            return self._find(directory, dotted, missed)
        for root in (directory, *self._search_paths):
            found = self._find(root, dotted, missed)
            if found is not None:
                return found
        while self._is_package(directory, missed):
            directory = os.path.dirname(directory)
            found = self._find(directory, dotted, missed)
            if found is not None:
                return found
        return None

    def source(self, path: str) -> ModuleSource | None:
        return self._read(path) if path.endswith(".py") else ModuleSource(path, ())

    def _is_package(self, directory: str, missed: set[str]) -> bool:
        return self._find(directory, "__init__", missed) is not None and os.path.dirname(directory) != directory

    def _find(self, directory: str, dotted: str, missed: set[str]) -> str | None:
        key = (directory, dotted)
        if key not in self._known:
            self._known[key] = self._search(directory, dotted)
        found, not_there = self._known[key]
        missed.update(not_there)
        return found

    def _search(self, directory: str, dotted: str) -> tuple[str | None, tuple[str, ...]]:
        base = os.path.join(directory, *dotted.split(".")) if dotted else directory
        candidates = [os.path.join(base, "__init__.py"), *([f"{base}.py"] if dotted else ()), base]
        missed: list[str] = []
        for candidate in candidates:
            if self._exists(candidate):
                return candidate, tuple(missed)
            missed.append(candidate)
        return None, tuple(missed)


def _read_file(path: str) -> ModuleSource | None:
    try:
        with open(path, "rb") as file:
            return ModuleSource.from_text(path, file.read().decode("utf-8"))
    except (OSError, UnicodeDecodeError):
        return None


class MemoryImporter:
    """Modules given as text, by path; found as ``FileImporter`` finds files."""

    def __init__(self, texts: Mapping[str, str], search_paths: Sequence[str] = ()) -> None:
        self._texts = texts
        self._sources: dict[str, ModuleSource] = {}
        self._files = FileImporter(search_paths, self._exists, self._read)

    def _exists(self, path: str) -> bool:
        return path in self._texts or any(each.startswith(f"{path}/") for each in self._texts)

    def _read(self, path: str) -> ModuleSource | None:
        text = self._texts.get(path)
        if text is None:
            return None
        known = self._sources.get(path)
        if known is None:
            known = self._sources[path] = ModuleSource.from_text(path, text)
        return known

    def resolve(self, importing: str, dotted: str, level: int) -> str | None:
        return self._files.resolve(importing, dotted, level)

    def source(self, path: str) -> ModuleSource | None:
        return self._files.source(path)
