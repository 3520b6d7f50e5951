"""What names outside a DSL function mean, for all modules of a project: evaluated once per change, shared by all."""

from __future__ import annotations

import os
from typing import Protocol

from pto_lsp.analysis.frontend.constants.importer import FileImporter, ModuleSource
from pto_lsp.analysis.frontend.constants.modules import Evaluator, ModuleEnv
from pto_lsp.analysis.frontend.constants.values import MISSING, UNKNOWN, Value
from pto_lsp.analysis.frontend.module import Module, Placed


class Modules(Protocol):
    """The modules of a project, as far as their constants are concerned."""

    @property
    def epoch(self) -> int:
        """Grows with every change of any module."""

    def module(self, path: str) -> Module | None: ...

    def search_paths(self, path: str) -> tuple[str, ...]: ...


class Closure:
    """Names of the frame a DSL function is decorated in."""

    def __init__(self, env: ModuleEnv | None, nested: bool) -> None:
        self.env = env
        self._nested = nested

    def lookup(self, name: str) -> Value:
        """``MISSING`` when nothing binds ``name``, ``UNKNOWN`` when its value is not known."""
        value = self.env.lookup(name) if self.env is not None else UNKNOWN
        return UNKNOWN if value is MISSING and self._nested else value


class Scopes:
    """Module environments as each entry file sees them (corpus-statistics.md §4: constants depend on the entry)."""

    def __init__(self, modules: Modules) -> None:
        self._modules = modules
        self._evaluator = Evaluator()
        self._importers: dict[tuple[str, ...], FileImporter] = {}
        self._envs: dict[str, tuple[int, ModuleEnv | None]] = {}

    def forget(self) -> None:
        """Files were created, changed or deleted on disk."""
        for importer in self._importers.values():
            importer.forget()

    def env(self, path: str) -> ModuleEnv | None:
        """Names of the module at ``path`` when it is the entry file."""
        known = self._envs.get(path)
        if known is not None and known[0] == self._modules.epoch:
            return known[1]
        source = self._source(path)
        env = self._evaluator.evaluate_module(source, self._importer(path)) if source is not None else None
        self._envs[path] = (self._modules.epoch, env)
        return env

    def closure(self, entry: str, module: Module, placed: Placed) -> Closure:
        """Closure of a function of ``module`` in a program whose entry is in the file ``entry``."""
        env = self.env(entry)
        seen = env.module(module.path) if env is not None and module.path != entry else env
        if seen is None:
            seen = self.env(module.path)
        return Closure(seen, bool(placed.found.enclosing))

    def dependencies(self, path: str) -> frozenset[str]:
        """Every module whose content the constants of ``path`` may depend on."""
        env = self.env(path)
        return env.reads if env is not None else frozenset()

    def _importer(self, path: str) -> FileImporter:
        search_paths = self._modules.search_paths(path)
        if search_paths not in self._importers:
            self._importers[search_paths] = FileImporter(search_paths, self._exists, self._source)
        return self._importers[search_paths]

    def _exists(self, path: str) -> bool:
        return os.path.exists(path)

    def _source(self, path: str) -> ModuleSource | None:
        module = self._modules.module(path)
        return ModuleSource(path, module.document.chunks) if module is not None else None
