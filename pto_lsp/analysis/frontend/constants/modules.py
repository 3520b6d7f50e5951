"""Evaluation of modules: what the rest of the front end asks."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from pto_lsp.analysis.frontend.constants.chunk_code import ChunkCode
from pto_lsp.analysis.frontend.constants.env import ModuleEnv, Modules
from pto_lsp.analysis.frontend.constants.importer import Importer, ModuleSource
from pto_lsp.analysis.frontend.constants.scopes import FactoryArguments, ScopeEnv, ScopeEvaluator
from pto_lsp.analysis.frontend.constants.session import Session
from pto_lsp.analysis.frontend.constants.traces import ConstantCache
from pto_lsp.analysis.source.logical_lines import LogicalLine

__all__ = ["Evaluator", "ModuleEnv", "ScopeEnv", "evaluate_module"]


class Evaluator:
    """Evaluates entry files; owns what evaluations share. Not safe for use from several threads at once."""

    def __init__(self, arguments: FactoryArguments | None = None) -> None:
        """``arguments`` are taken for those of the functions that programs are made in, which are unknown else."""
        self._cache = ConstantCache()
        self._scopes = ScopeEvaluator(self._cache.chunks, arguments or {})
        self._last: dict[str, Modules] = {}

    def evaluate_module(self, source: ModuleSource, importer: Importer) -> ModuleEnv:
        """Names of ``source`` when it is the entry file, and of everything it imports."""
        session = Session(importer, self._cache, source.path)
        session.run(source)
        modules = Modules(source.path, session.modules, session.overlays, frozenset(session.consulted))
        last = self._last.get(source.path)
        if last is not None and modules.same_as(last):
            modules = last
        self._last[source.path] = modules
        env = modules.env(source.path)
        assert env is not None
        env.missing = frozenset(session.missing)
        return env

    def forget_all_but(self, files: AbstractSet[str]) -> None:
        """Forget other modules than those in ``files``."""
        for path in self._last.keys() - files:
            del self._last[path]
        self._scopes.forget_all_but(files)
        self._cache.forget_all_but(files)

    def code(self, source: ModuleSource) -> tuple[ChunkCode, ...]:
        """What the evaluation of ``source`` goes by; equal tuples of the same objects give equal names."""
        return self._cache.code(source)

    def evaluate_scope(
        self, env: ModuleEnv, enclosing: Sequence[LogicalLine], head: LogicalLine, qualname: str, ordinal: int = 0
    ) -> ScopeEnv | ModuleEnv:
        """Names around the DSL function ``head``; ``env`` itself when no function encloses it.

        ``enclosing`` are the lines of the functions around it, outermost first, all from one chunk; ``qualname`` and
        ``ordinal`` are those of the DSL function, "build.<locals>.kernel".
        """
        return self._scopes.evaluate(env, enclosing, head, qualname, ordinal)


def evaluate_module(source: ModuleSource, importer: Importer) -> ModuleEnv:
    """``Evaluator.evaluate_module`` without anything shared."""
    return Evaluator().evaluate_module(source, importer)
