"""Collects what a result depended on and keeps it; the one part of the cache that needs the analysis."""

from __future__ import annotations

from collections.abc import Sequence

from pto_lsp.cache.imports import probes
from pto_lsp.cache.store import ResultCache
from pto_lsp.diagnostics import Diagnostic
from pto_lsp.discovery import SourceError, decode, read_bytes
from pto_lsp.project import Project


class Keeper:
    """Keeps results of one project whose open documents have the content of their files."""

    def __init__(self, cache: ResultCache, project: Project) -> None:
        self._cache = cache
        self._project = project
        self._contents: dict[str, bytes | None] = {}
        self._probes: dict[tuple[str, tuple[str, ...]], dict[str, bool]] = {}

    def keep(self, path: str, content: bytes, found: Sequence[Diagnostic]) -> None:
        """Keep the result of the last check of ``path``, whose file held ``content``, unless something is in doubt."""
        # What is no file is a package without one of its own: that it is there is looked at with the imports.
        modules = [each for each in self._project.dependencies(path) if each.endswith(".py")]
        if path not in modules:
            return
        reads: dict[str, bytes] = {}
        there: dict[str, bool] = {}
        for module in modules:
            data = content if module == path else self._content(module)
            if data is None:
                return
            if module != path:
                reads[module] = data
            # The constants of a module are read as the file sees them, or as the module's own settings have it.
            for search_paths in {self._project.search_paths(path), self._project.search_paths(module)}:
                there.update(self._looked_at(module, search_paths))
        self._cache.keep(path, content, found, reads, there)

    def _content(self, module: str) -> bytes | None:
        """The bytes of a module; None where they are not, or no longer, what the project has read."""
        if module not in self._contents:
            self._contents[module] = None
            try:
                data = read_bytes(module)
                if decode(data) == self._project.text(module):
                    self._contents[module] = data
            except SourceError:
                return None
        return self._contents[module]

    def _looked_at(self, module: str, search_paths: tuple[str, ...]) -> dict[str, bool]:
        key = (module, search_paths)
        if key not in self._probes:
            self._probes[key] = probes(module, self._project.text(module) or "", search_paths)
        return self._probes[key]
