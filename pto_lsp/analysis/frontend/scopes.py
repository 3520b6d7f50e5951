"""What names outside a DSL function mean, for all modules of a project: evaluated once per change, shared by all."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from typing import Protocol, Union

from pto_lsp.analysis.frontend.constants.chunk_code import ChunkCode
from pto_lsp.analysis.frontend.constants.importer import FileImporter, ModuleSource
from pto_lsp.analysis.frontend.constants.modules import Evaluator, ModuleEnv, ScopeEnv
from pto_lsp.analysis.frontend.constants.scopes import FactoryArguments
from pto_lsp.analysis.frontend.constants.values import UNKNOWN, Value
from pto_lsp.analysis.frontend.module import Module, Placed
from pto_lsp.analysis.source.document import Chunk


class Modules(Protocol):
    """The modules of a project, as far as their constants are concerned."""

    @property
    def epoch(self) -> int:
        """Grows with every change of any module."""

    def module(self, path: str) -> Module | None: ...

    def search_paths(self, path: str) -> tuple[str, ...]: ...


class _Asked:
    """An importer, and what was looked for in vain through it."""

    def __init__(self, importer: FileImporter) -> None:
        self._importer = importer
        self._asked: dict[tuple[str, str, int], None] = {}

    def resolve(self, importing: str, dotted: str, level: int) -> str | None:
        self._asked[importing, dotted, level] = None
        return self._importer.resolve(importing, dotted, level)

    def source(self, path: str) -> ModuleSource | None:
        return self._importer.source(path)

    def missed(self) -> frozenset[str]:
        return frozenset().union(*[self._importer.missed(*question) for question in self._asked])


class _Evaluated:
    """``env`` holds while each module it read, by path, has the code it had. ``missed``: paths where modules that it
    imports might have been.
    """

    __slots__ = ("code", "env", "epoch", "missed")

    def __init__(
        self,
        epoch: int,
        env: ModuleEnv | None,
        code: list[tuple[str, tuple[ChunkCode, ...] | None]],
        missed: frozenset[str],
    ) -> None:
        self.epoch = epoch
        self.env = env
        self.code = code
        self.missed = missed


Scope = Union[ScopeEnv, ModuleEnv, None]


class Closure:
    """Names of the frame a DSL function is decorated in."""

    def __init__(self, env: ModuleEnv | None, scope: Scope) -> None:
        """``scope`` is the same object for as long as every name means the same."""
        self.env = env
        self.scope = scope

    def lookup(self, name: str) -> Value:
        """``MISSING`` when nothing binds ``name``, ``UNKNOWN`` when its value is not known."""
        return self.scope.lookup(name) if self.scope is not None else UNKNOWN


class Scopes:
    """Module environments as each entry file sees them (corpus-statistics.md §4: constants depend on the entry)."""

    def __init__(
        self,
        modules: Modules,
        exists: Callable[[str], bool] = os.path.exists,
        arguments: FactoryArguments | None = None,
    ) -> None:
        """For ``arguments`` see `Evaluator`."""
        self._modules = modules
        self._exists = exists
        self._evaluator = Evaluator(arguments)
        self._importers: dict[tuple[str, ...], FileImporter] = {}
        self._envs: dict[str, _Evaluated] = {}
        self._code: dict[str, tuple[Sequence[Chunk], tuple[ChunkCode, ...]]] = {}

    def forget(self) -> None:
        """Files were created, changed or deleted on disk."""
        for importer in self._importers.values():
            importer.forget()
        self._envs.clear()

    def forget_all_but(self, files: AbstractSet[str]) -> None:
        """Forget other modules than those in ``files``."""
        for path in self._code.keys() - files:
            del self._code[path]
        for path in self._envs.keys() - files:
            del self._envs[path]
        self._evaluator.forget_all_but(files)

    def env(self, path: str) -> ModuleEnv | None:
        """Names of the module at ``path`` when it is the entry file."""
        epoch = self._modules.epoch
        known = self._envs.get(path)
        if known is not None:
            if known.epoch != epoch and all(self._code_of(p) is code for p, code in known.code):
                known.epoch = epoch
            if known.epoch == epoch:
                return known.env
        source = self._source(path)
        importer = _Asked(self._importer(path))
        env = self._evaluator.evaluate_module(source, importer) if source is not None else None
        reads = env.reads if env is not None else frozenset((path,))
        code = [(read, self._code_of(read)) for read in sorted(reads)]
        self._envs[path] = _Evaluated(epoch, env, code, importer.missed())
        return env

    def _code_of(self, path: str) -> tuple[ChunkCode, ...] | None:
        """The same object as long as nothing changed that constants depend on, typing inside DSL functions included."""
        module = self._modules.module(path)
        if module is None:
            return None
        chunks = module.document.chunks
        known = self._code.get(path)
        if known is not None and known[0] is chunks:
            return known[1]
        code = self._evaluator.code(ModuleSource(path, chunks))
        if known is not None and known[1] == code:
            code = known[1]
        self._code[path] = (chunks, code)
        return code

    def closure(self, entry: str, module: Module, placed: Placed) -> Closure:
        """Closure of a function of ``module`` in a program whose entry is in the file ``entry``."""
        env = self.env(entry)
        seen = env.module(module.path) if env is not None and module.path != entry else env
        if seen is None:
            seen = self.env(module.path)
        if seen is None or not placed.found.enclosing:
            return Closure(seen, seen)
        found, source = placed.found, placed.source
        return Closure(
            seen, self._evaluator.evaluate_scope(seen, found.enclosing, found.head, source.qualname, source.ordinal)
        )

    def dependencies(self, path: str) -> frozenset[str]:
        """Every module whose content the constants of ``path`` may depend on."""
        env = self.env(path)
        return env.reads if env is not None else frozenset()

    def missed(self, path: str) -> frozenset[str]:
        """Where nothing is, but a module would change what the constants of ``path`` are."""
        self.env(path)
        return self._envs[path].missed

    def _importer(self, path: str) -> FileImporter:
        search_paths = self._modules.search_paths(path)
        if search_paths not in self._importers:
            self._importers[search_paths] = FileImporter(search_paths, self._exists, self._source)
        return self._importers[search_paths]

    def _source(self, path: str) -> ModuleSource | None:
        module = self._modules.module(path)
        return ModuleSource(path, module.document.chunks) if module is not None else None
