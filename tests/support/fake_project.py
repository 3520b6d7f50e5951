"""A stand-in for the analysis, so that tests of the shells can say what is found, how long it takes and how it fails.

It obeys words in the text: every ``BAD`` is PTO101 (a warning), every ``WRONG`` PTO001 (an error) and every ``FAINT``
PTO106 (a hint, tagged); ``CRASH`` raises, ``PRINT`` prints, ``SLOW`` takes half a second, ``CRAWL`` two and ``BRIEF``
30 ms unless cancelled, and ``USES(name)`` makes the document depend on the open document ``name``: it gets a PTO201
for each BAD over there.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import NamedTuple

from pto_lsp.analysis.source.text import LineTable
from pto_lsp.config import Settings
from pto_lsp.diagnostics import Diagnostic, Range, RelatedLocation, Severity, Tag

WORDS = {
    "BAD": ("PTO101", "derived-boundary-scalar", Severity.WARNING, ()),
    "WRONG": ("PTO001", "syntax-error", Severity.ERROR, ()),
    "FAINT": ("PTO106", "unused-boundary-scalar", Severity.HINT, (Tag.UNNECESSARY,)),
}


class Cancelled(Exception):
    pass


class Change(NamedTuple):
    range: Range | None
    text: str


class Project:
    def __init__(self, settings_for: Callable[[str], Settings] | None = None, edits: bool = True) -> None:
        self._open: dict[str, LineTable] = {}

    def open(self, path: str, text: str) -> None:
        self._open[path] = LineTable(text)

    def change(self, path: str, changes: Sequence[Change]) -> None:
        for change in changes:
            table = self._open[path]
            if change.range is None:
                self._open[path] = LineTable(change.text)
            else:
                table.edit(table.offset(*change.range.start), table.offset(*change.range.end), change.text)

    @property
    def epoch(self) -> int:
        return 0

    def module(self, path: str) -> None:
        """Nothing of the DSL."""
        return None

    def analysis(self, path: str) -> SimpleNamespace:
        """No program: nothing here has a repair."""
        return SimpleNamespace(programs=(), findings=())

    def close(self, path: str) -> None:
        del self._open[path]

    def forget(self, path: str) -> None:
        pass

    def text(self, path: str) -> str | None:
        table = self._open.get(path)
        return None if table is None else table.text

    def line_table(self, path: str) -> LineTable:
        return self._open[path]

    def check(self, path: str, cancelled: Callable[[], bool] = lambda: False) -> tuple[Diagnostic, ...]:
        table = self.line_table(path)
        text = table.text
        if "CRASH" in text:
            raise RuntimeError("crashed on demand")
        if "PRINT" in text:
            print("a stray print")
            os.system("echo a stray print of a child")
        delays = {"SLOW": 0.5, "CRAWL": 2, "BRIEF": 0.03}
        delay = next((seconds for word, seconds in delays.items() if word in text), 0)
        if delay:
            end = time.monotonic() + delay
            while time.monotonic() < end:
                time.sleep(0.005)
                if cancelled():
                    raise Cancelled
        found = [self._found(path, table, match) for match in re.finditer("|".join(WORDS), text)]
        for used in re.finditer(r"USES\((\w+)\)", text):
            found.extend(self._imported(path, table, used))
        return tuple(found)

    def faults(self, path: str) -> tuple[str, ...]:
        return ()

    def dependents(self, path: str) -> tuple[str, ...]:
        stem = os.path.splitext(os.path.basename(path))[0]
        return tuple(other for other, table in self._open.items() if f"USES({stem})" in table.text and other != path)

    def dependencies(self, path: str) -> frozenset[str]:
        return frozenset((path,))

    def search_paths(self, path: str) -> tuple[str, ...]:
        return ()

    def _found(self, path: str, table: LineTable, match: re.Match[str]) -> Diagnostic:
        code, name, severity, tags = WORDS[match[0]]
        place = Range(table.position(match.start()), table.position(match.end()))
        return Diagnostic(code, name, severity, f"'{match[0]}' is here", path, place, match[0], tags=tags)

    def _imported(self, path: str, table: LineTable, used: re.Match[str]) -> list[Diagnostic]:
        place = Range(table.position(used.start()), table.position(used.end()))
        found = []
        for other, there in self._open.items():
            if os.path.splitext(os.path.basename(other))[0] != used[1]:
                continue
            for match in re.finditer("BAD", there.text):
                cause = Range(there.position(match.start()), there.position(match.end()))
                related = (RelatedLocation(other, cause, "the cause is here"),)
                name = "boundary-view"
                found.append(
                    Diagnostic("PTO201", name, Severity.WARNING, "'BAD' is imported", path, place, "BAD", "", related)
                )
        return found
