"""The documents and modules of one user: what is open, what is on disk, what has to be looked at again.

Paths are file paths, or any opaque key for documents that are no files ("untitled:Untitled-1"). Positions are 0-based
lines and code points.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Sequence
from typing import NamedTuple

from pto_lsp.analysis.frontend.constants.scopes import FactoryArguments
from pto_lsp.analysis.frontend.linker import Linker
from pto_lsp.analysis.frontend.module import Module, Placed
from pto_lsp.analysis.frontend.scopes import Closure, Scopes
from pto_lsp.analysis.interruption import Cancelled
from pto_lsp.analysis.ir.place import SourceId
from pto_lsp.analysis.locate import diagnostic
from pto_lsp.analysis.pipeline import Analyzer, ModuleAnalysis
from pto_lsp.analysis.source.text import LineTable
from pto_lsp.analysis.source.units import UnitCache
from pto_lsp.config import Settings
from pto_lsp.diagnostics import Diagnostic, Range, Severity
from pto_lsp.discovery import SourceError, decode, read_bytes

__all__ = ["Cancelled", "Change", "Project"]


class Change(NamedTuple):
    """``range`` None means that ``text`` is the whole new content."""

    range: Range | None
    text: str


def _never() -> bool:
    return False


class Project:
    """Owns the modules, and everything computed from them. Not safe for use from several threads at once."""

    def __init__(
        self,
        settings_for: Callable[[str], Settings] | None = None,
        units: UnitCache | None = None,
        task_rules: bool = True,
        edits: bool = True,
        arguments: FactoryArguments | None = None,
    ) -> None:
        """Projects of one thread may share ``units``, the parsed lines. For ``arguments`` see `Scopes`; `Analyzer` has
        the other two.
        """
        self._settings_for = settings_for if settings_for is not None else lambda path: Settings()
        self._units = units if units is not None else UnitCache()
        self._task_rules = task_rules
        self._edits = edits
        self._arguments = arguments
        self._modules: dict[str, Module | None] = {}
        self._open: set[str] = set()
        self._scopes = Scopes(self, self._exists, arguments)
        self.linker = Linker(self)
        self._analyzers: dict[tuple[str, str], Analyzer] = {}
        self._reports: dict[str, tuple[int, tuple[Diagnostic, ...]]] = {}
        self._depends: dict[str, frozenset[str]] = {}
        self._missed: dict[str, frozenset[str]] = {}
        self._faults: dict[str, tuple[str, ...]] = {}
        self._epoch = 0

    # Documents

    def open(self, path: str, text: str) -> None:
        """Take ``text`` for the content of ``path`` until it is closed, whatever is on disk."""
        known = self._modules.get(path)
        if known is not None:
            known.replace_text(text)
        else:
            self._modules[path] = Module(path, text, self._units)
            # A module that was looked for in vain may be this one.
            self._scopes.forget()
        self._open.add(path)
        self._changed()

    def change(self, path: str, changes: Sequence[Change]) -> None:
        """Apply changes to an open document, one after the other. Raises `KeyError` when it is not open."""
        module = self._opened(path)
        for change in changes:
            if change.range is None:
                module.replace_text(change.text)
            else:
                table = module.document.line_table
                start, end = change.range
                first = table.offset(start.line, start.column)
                module.edit(first, max(first, table.offset(end.line, end.column)), change.text)
        self._changed()

    def close(self, path: str) -> None:
        """What is on disk counts again."""
        self._open.discard(path)
        self.forget(path)
        self._release()

    def _release(self) -> None:
        """Let go of all that no open document depends on, its modules on disk included."""
        entries = frozenset(self._open)
        files = entries.union(*map(self.dependencies, entries))
        for table in (self._modules, self._reports, self._depends, self._missed, self._faults):
            for path in table.keys() - files:
                del table[path]
        self._scopes.forget_all_but(files)
        gone = self.linker.forget_all_but(files, entries)
        for analyzer in self._analyzers.values():
            analyzer.forget(gone)

    def forget(self, path: str) -> None:
        """``path`` may have changed on disk. An open document stays as it is."""
        if path not in self._open:
            self._modules.pop(path, None)
            self._depends.pop(path, None)
            self._missed.pop(path, None)
            self._reports.pop(path, None)
        self._scopes.forget()
        self._changed()

    @property
    def open_paths(self) -> tuple[str, ...]:
        """The open documents, sorted."""
        return tuple(sorted(self._open))

    def copy(self, arguments: FactoryArguments | None = None) -> Project:
        """A project of its own with the same documents open, for trying out changes, ``arguments`` among them."""
        other = Project(self._settings_for, self._units, self._task_rules, self._edits, arguments or self._arguments)
        for path in self.open_paths:
            other.open(path, self.text(path) or "")
        return other

    def text(self, path: str) -> str | None:
        """Present content of an open document or of a file; None when there is none to be had."""
        module = self.module(path)
        return module.document.text if module is not None else None

    def line_table(self, path: str) -> LineTable:
        """The lines of an open document. Raises `KeyError` when it is not open."""
        return self._opened(path).document.line_table

    def _opened(self, path: str) -> Module:
        module = self._modules.get(path) if path in self._open else None
        if module is None:
            raise KeyError(path)
        return module

    def _changed(self) -> None:
        self._epoch += 1

    # What the analysis asks for

    @property
    def epoch(self) -> int:
        return self._epoch

    def module(self, path: str) -> Module | None:
        """The module at ``path``, read from disk when it is not open; None when it cannot be read."""
        if path not in self._modules:
            self._modules[path] = self._load(path)
        return self._modules[path]

    def _exists(self, path: str) -> bool:
        return path in self._open or os.path.exists(path)

    def _load(self, path: str) -> Module | None:
        try:
            return Module(path, decode(read_bytes(path)), self._units)
        except SourceError:
            return None

    def closure(self, entry: str, module: Module, placed: Placed) -> Closure:
        return self._scopes.closure(entry, module, placed)

    def search_paths(self, path: str) -> tuple[str, ...]:
        """Where ``path`` finds sibling modules besides its own folder."""
        return self._settings_for(path).search_paths

    def locate(self, source: SourceId) -> tuple[LineTable, int] | None:
        module = self._modules.get(source.path)
        start = module.start_of(source) if module is not None else None
        if module is None or start is None:
            return None
        return module.document.line_table, start

    # Findings

    def check(self, path: str, cancelled: Callable[[], bool] = _never) -> tuple[Diagnostic, ...]:
        """All findings of an open document or file, in listing order, before suppressions and settings.

        Raises `Cancelled` when ``cancelled`` says so.
        """
        known = self._reports.get(path)
        if known is not None and known[0] == self._epoch:
            return known[1]
        module = self.module(path)
        if module is None:
            return ()
        with warnings.catch_warnings():
            # What Python's parser thinks of the user's escapes and literals is not for our error stream.
            warnings.simplefilter("ignore", SyntaxWarning)
            analysis = self.analysis(path, cancelled)
            broken = self._broken_lines(module)
        found = [d for d in (diagnostic(f, self) for f in analysis.findings) if d is not None]
        found.extend(broken)
        report = tuple(sorted(found, key=Diagnostic.sort_key))
        self._reports[path] = (self._epoch, report)
        self._depends[path] = depends = self._dependencies(module, analysis)
        self._missed[path] = frozenset().union(*map(self._scopes.missed, depends))
        self._faults[path] = analysis.faults
        return report

    def faults(self, path: str) -> tuple[str, ...]:
        """What the last `check` of ``path`` could not judge through a fault of this program, for its reader."""
        return self._faults.get(path, ())

    def analysis(self, path: str, cancelled: Callable[[], bool] = _never) -> ModuleAnalysis:
        """Findings, plans and programs of a file. Raises `KeyError` when it cannot be read."""
        module = self.module(path)
        if module is None:
            raise KeyError(path)
        gone = self.linker.forget_gone()
        if gone:
            for analyzer in self._analyzers.values():
                analyzer.forget(gone)
        return self.analyzer(path).analyse(module, cancelled)

    def analyzer(self, path: str) -> Analyzer:
        """The analyzer under the settings of ``path``."""
        settings = self._settings_for(path)
        key = (settings.conformance.value, settings.target.value)
        if key not in self._analyzers:
            self._analyzers[key] = Analyzer(
                self, self.linker, settings.conformance.value, settings.target.value, self._task_rules, self._edits
            )
        return self._analyzers[key]

    def dependents(self, path: str) -> tuple[str, ...]:
        """Open documents, other than ``path``, whose findings may change when ``path`` does."""
        nothing: frozenset[str] = frozenset()
        reading = (self._depends, self._missed)
        return tuple(
            sorted(p for p in self._open if p != path and any(path in reads.get(p, nothing) for reads in reading))
        )

    def dependencies(self, path: str) -> frozenset[str]:
        """The modules that the last `check` of ``path`` read, itself included; empty before the first."""
        return self._depends.get(path, frozenset())

    def _dependencies(self, module: Module, analysis: ModuleAnalysis) -> frozenset[str]:
        found = {module.path}
        for program in analysis.programs:
            found.update(f.at.source.path for f in program.program.functions.values())
        for path in tuple(found):
            found.update(self._scopes.dependencies(path))
        return frozenset(found)

    def _broken_lines(self, module: Module) -> list[Diagnostic]:
        """PTO001 and PTO008 outside of DSL functions."""
        document = module.document
        found: list[Diagnostic] = []
        for index, span, broken in module.broken_lines():
            code, name = ("PTO008", "too-deeply-nested") if broken.too_deep else ("PTO001", "syntax-error")
            where = document.range_in_chunk(index, span)
            found.append(
                Diagnostic(
                    code, name, Severity.ERROR, f"Python cannot read this line: {broken.message}", module.path, where
                )
            )
        return found
