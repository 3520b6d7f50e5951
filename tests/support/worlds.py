"""A project in memory, for tests of the front end."""

from __future__ import annotations

import textwrap

from pto_lsp.analysis.findings import Finding
from pto_lsp.analysis.frontend.linker import Linker, LoweredFunction
from pto_lsp.analysis.frontend.module import Module, Placed
from pto_lsp.analysis.frontend.scopes import Closure, Scopes
from pto_lsp.analysis.ir.program import Program
from pto_lsp.analysis.rules.rule import unmark
from pto_lsp.analysis.source.units import UnitCache
from pto_lsp.diagnostics import Range

HEAD = "import pypto.language as pl\n"


class MemoryWorld:
    """Modules by path, all in memory."""

    def __init__(self, texts: dict[str, str]) -> None:
        self._cache = UnitCache()
        self._modules = {path: Module(path, text, self._cache) for path, text in texts.items()}
        self.epoch = 0
        self.scopes = Scopes(self, lambda path: path in self._modules)
        self.linker = Linker(self)

    def module(self, path: str) -> Module | None:
        return self._modules.get(path)

    def search_paths(self, path: str) -> tuple[str, ...]:
        return ()

    def closure(self, entry: str, module: Module, placed: Placed) -> Closure:
        return self.scopes.closure(entry, module, placed)

    def edit(self, path: str, start: int, end: int, replacement: str) -> None:
        self._modules[path].edit(start, end, replacement)
        self.epoch += 1

    def lowered(self, path: str, name: str) -> LoweredFunction:
        """The function whose qualified name ends in ``name``."""
        module = self._modules[path]
        for placed in module.syntax.functions:
            if placed.function.source.qualname.endswith(name):
                return self.linker.lowered(path, module, placed)
        raise KeyError(name)

    def program(self, path: str, entry: str) -> Program:
        """The program of a class, or of the function ``entry``."""
        module = self._modules[path]
        if entry in module.syntax.programs:
            return self.linker.program(module, module.syntax.programs[entry], "")[0]
        roots = tuple(p for p in module.syntax.functions if p.function.name == entry)
        return self.linker.program(module, roots, entry)[0]

    def range_of(self, finding: Finding) -> Range:
        """Where a finding is in its file."""
        source = finding.place.source
        module = self._modules[source.path]
        start = module.start_of(source)
        assert start is not None
        table = module.document.line_table
        return Range(table.position(start + finding.place.span.start), table.position(start + finding.place.span.end))


def world(source: str, **others: str) -> MemoryWorld:
    """A world with the module "main.py" (dedented, pypto imported) and others by stem."""
    texts = {"main.py": HEAD + textwrap.dedent(source)}
    for stem, text in others.items():
        texts[f"{stem}.py"] = HEAD + textwrap.dedent(text)
    return MemoryWorld(texts)


def marked(source: str) -> tuple[str, tuple[Range, ...]]:
    """``source`` dedented with pypto imported, without its ⟦ ⟧ marks, and the ranges between them."""
    return unmark(HEAD + textwrap.dedent(source))
