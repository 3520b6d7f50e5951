"""What ``legalize``, ``replay`` and ``graph`` share: from ``FILE[::ENTRY]`` to a program, and how they end."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from pto_lsp.cli.messages import complain, place_of, settings_problems
from pto_lsp.cli.terminal import make_printable, wants_colour
from pto_lsp.config import SettingsResolver
from pto_lsp.discovery import SourceError, decode, read_bytes

if TYPE_CHECKING:
    from pto_lsp.analysis.entries import Entry
    from pto_lsp.analysis.frontend.module import Module
    from pto_lsp.analysis.ir.place import Place
    from pto_lsp.analysis.pipeline import Analyzer
    from pto_lsp.diagnostics import Diagnostic, Range
    from pto_lsp.project import Project
    from pto_lsp.reporters import Report

OK, REFUSED, ERROR = 0, 1, 2
TARGET = "FILE[::ENTRY]"
ENTRY_HELP = "ENTRY is a class, a function, a method or a Graph of FILE"


class Unusable(Exception):
    """There is nothing to work on; the text says why, with the file's name. The exit code is `ERROR`."""


class Target(NamedTuple):
    """``file`` as given; ``entry`` None where none was."""

    file: str
    entry: str | None


def target(text: str) -> Target:
    """An argument ``FILE[::ENTRY]``. Raises what argparse reports as wrong usage."""
    file, separator, entry = text.rpartition("::")
    if not separator:
        return Target(text, None)
    if not file or not entry:
        raise argparse.ArgumentTypeError(f"expected {TARGET}, got {text!r}")
    return Target(file, entry)


class Session:
    """The project of one run of a command, with the settings that hold for its files."""

    def __init__(self) -> None:
        make_printable(sys.stdout)
        make_printable(sys.stderr)
        from pto_lsp.project import Project

        self.resolver = SettingsResolver(os.getcwd())
        self.project: Project = Project(self.resolver.for_file)
        self._names: dict[str, str] = {}

    def open(self, file: str) -> OpenFile:
        """Raises `Unusable` when the file cannot be read, or its configuration is at fault."""
        path = os.path.abspath(file)
        self._names[path] = file
        try:
            text = decode(read_bytes(path))
        except SourceError as fault:
            raise Unusable(f"{file}: {fault}") from fault
        problems = settings_problems([path], self.resolver)
        if problems:
            raise Unusable("\n".join(f"{place_of(problem)}: {problem.message}" for problem in problems))
        self.project.open(path, text)
        module = self.project.module(path)
        assert module is not None
        return OpenFile(file, self, module, self.project.analyzer(path))

    def locate(self, place: Place) -> tuple[str, Range] | None:
        """Path as messages show it, and range, of a place; None when its function is gone."""
        from pto_lsp.analysis.locate import range_of

        where = range_of(place, self.project)
        return None if where is None else (self.shown_as(place.source.path), where)

    def report(self, diagnostics: tuple[Diagnostic, ...], colour: bool = False) -> Report:
        from pto_lsp.analysis.rules.registry import url
        from pto_lsp.reporters import Report

        return Report(diagnostics, self.shown_as, lambda path, number: None, url, colour)

    def shown_as(self, path: str) -> str:
        from pto_lsp.cli.run import Outcome

        return Outcome((), (), self._names, {}).shown_as(path)


def print_concise(session: Session, found: tuple[Diagnostic, ...]) -> None:
    """Findings, one a line, on standard error: standard output is for what was asked for."""
    from pto_lsp.reporters import reporter

    print(reporter("concise")(session.report(found, wants_colour(sys.stderr))), end="", file=sys.stderr)


class OpenFile(NamedTuple):
    """One file of ``session``. ``shown`` names it in messages."""

    shown: str
    session: Session
    module: Module
    analyzer: Analyzer

    def graph_entry(self, name: str | None) -> Entry:
        """The program named, or the first one with a Graph. Raises `Unusable`."""
        from pto_lsp.analysis import entries

        if name is not None:
            return self._named(name)
        return self._there(entries.graph_entry(self.analyzer, self.module))

    def orchestration_entry(self, name: str | None) -> Entry:
        """The program named, or the first one that starts tasks. Raises `Unusable`."""
        from pto_lsp.analysis import entries

        if name is not None:
            return self._named(name)
        return self._there(entries.orchestration_entry(self.analyzer, self.module))

    def locate(self, place: Place) -> tuple[str, Range] | None:
        """Where a place is in this file: of what was spliced in from another one, the call that did it.

        Path as messages show it, and range; None when the function is gone.
        """
        while place.source.path != self.module.path and place.anchor.inlined_at is not None:
            place = place.anchor.inlined_at
        return self.session.locate(place)

    def line(self, place: Place) -> int:
        """1-based line of a place in this file, as `locate` finds it; 0 when its function is gone."""
        found = self.locate(place)
        return 0 if found is None else found[1].start.line + 1

    def _there(self, entry: Entry | None) -> Entry:
        if entry is None:
            raise Unusable(f"{self.shown}: no orchestration function and no Graph in it")
        return entry

    def _named(self, name: str) -> Entry:
        from pto_lsp.analysis import entries

        entry = entries.named_entry(self.analyzer, self.module, name)
        if entry is None:
            names = entries.entry_names(self.analyzer, self.module)
            there = f"there are: {', '.join(names)}" if names else "it has none"
            raise Unusable(f"{self.shown}: no entry '{name}'; {there}")
        return entry


def answered(answer: Callable[[], int]) -> int:
    """The exit code of ``answer``, or `ERROR` with a message where there is none."""
    try:
        return answer()
    except Unusable as fault:
        for line in str(fault).splitlines():
            complain(line)
    except BrokenPipeError:
        raise
    except Exception:
        # Ours, not the user's.
        import traceback

        complain("internal error of pto-lsp")
        traceback.print_exc()
    return ERROR
