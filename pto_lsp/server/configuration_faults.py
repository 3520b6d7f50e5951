"""What is wrong with the configuration of the open documents, shown where it is wrong."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable

from lsprotocol import types

from pto_lsp.analysis.source.encodings import PositionEncoding
from pto_lsp.analysis.source.text import LineTable
from pto_lsp.config import Problem, SettingsResolver
from pto_lsp.server.convert import SOURCE, range_to_protocol
from pto_lsp.server.outbox import Outbox
from pto_lsp.server.status import Health


class ConfigurationFaults:
    """Those of a file become diagnostics of that file; those in the editor's settings go to its log, once."""

    def __init__(
        self, outbox: Outbox, resolver: SettingsResolver, uri_of: Callable[[str], str], encoding: PositionEncoding
    ) -> None:
        self._outbox = outbox
        self._encoding = encoding
        self._resolver = resolver
        self._uri_of = uri_of
        self._published: dict[str, tuple[Problem, ...]] = {}
        self._logged: set[Problem] = set()

    def report(self, paths: Iterable[str]) -> None:
        """Say what holds for the documents ``paths``, as far as it is news."""
        problems = dict.fromkeys(problem for path in paths for problem in self._resolver.problems(path))
        faults: dict[str, list[Problem]] = {}
        for problem in problems:
            if problem.path is not None:
                faults.setdefault(problem.path, []).append(problem)
            elif problem not in self._logged:
                self._logged.add(problem)
                self._outbox.log(f"editor settings: {problem.message}")
        present = {path: tuple(found) for path, found in faults.items()}
        for path in self._published.keys() | present.keys():
            found = present.get(path, ())
            if found != self._published.get(path):
                table = _lines(path) if found else None
                self._outbox.publish(self._uri_of(path), None, [self._diagnostic(fault, table) for fault in found])
        self._published = present
        self._tell(next(iter(problems), None))

    def _tell(self, first: Problem | None) -> None:
        if first is None:
            self._outbox.state("configuration")
        else:
            where = "editor settings" if first.path is None else os.path.basename(first.path)
            self._outbox.state("configuration", Health.WARNING, f"{where}: {first.message}")

    def _diagnostic(self, problem: Problem, table: LineTable | None) -> types.Diagnostic:
        place = range_to_protocol(problem.range, table, self._encoding)
        return types.Diagnostic(place, problem.message, severity=types.DiagnosticSeverity.Error, source=SOURCE)


def _lines(path: str) -> LineTable | None:
    try:
        with open(path, encoding="utf-8", newline="") as file:
            return LineTable(file.read())
    except (OSError, UnicodeDecodeError):
        # That is the problem, and has no place in the file.
        return None
