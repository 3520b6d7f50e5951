"""Checking many files: quick rejection, the analysis where it is needed, and processes where they pay."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from pto_lsp.config import SettingsResolver
from pto_lsp.diagnostics import Diagnostic
from pto_lsp.discovery import SourceError, SourceFile, decode, mentions_dsl, read_bytes

if TYPE_CHECKING:
    from pto_lsp.project import Project
    from pto_lsp.quickfix.engine import FixEngine

FILES_PER_PROCESS = 20
"""Below this many files for each, a further process costs more than it saves."""
_LINE_END = re.compile(r"\r\n?|\n")


class Failure(NamedTuple):
    """Something that could not be checked. ``shown`` names it as messages do; ``trace`` is for faults of our own."""

    shown: str
    reason: str
    trace: str = ""


@dataclass(frozen=True, slots=True)
class Outcome:
    """``names``: absolute path → path as given. ``texts``: absolute path → decoded text, of the files with findings."""

    diagnostics: tuple[Diagnostic, ...]
    failures: tuple[Failure, ...]
    names: dict[str, str]
    texts: dict[str, str]

    def with_failures(self, failures: Sequence[Failure]) -> Outcome:
        """The same with ``failures`` before its own."""
        return replace(self, failures=(*failures, *self.failures))

    def shown_as(self, path: str) -> str:
        """The path as given on the command line; of other files, relative to the working directory where inside it."""
        given = self.names.get(path)
        if given is not None:
            return given
        if not os.path.isabs(path):
            return path
        relative = os.path.relpath(path)
        return path if relative.startswith(os.pardir) else relative

    def line(self, path: str, number: int) -> str | None:
        text = self.texts.get(path)
        if text is None:
            return None
        lines = _LINE_END.split(text)
        return lines[number] if number < len(lines) else None


def check_files(
    files: Sequence[SourceFile], resolver: SettingsResolver, jobs: int | None, with_fixes: bool = False
) -> Outcome:
    """Check every file that mentions the DSL. ``jobs`` does not change the result; None chooses by their number.

    ``with_fixes``: findings get their repairs, which takes time.
    """
    failures: list[Failure] = []
    interesting: list[SourceFile] = []
    data: dict[str, bytes] = {}
    for file in files:
        try:
            content = read_bytes(file.path)
        except SourceError as fault:
            failures.append(Failure(file.shown, str(fault)))
            continue
        if mentions_dsl(content):
            interesting.append(file)
            data[file.path] = content
    names = {file.path: file.shown for file in files}
    if not interesting:
        return Outcome((), tuple(failures), names, {})
    if jobs is None:
        jobs = min(os.cpu_count() or 1, len(interesting) // FILES_PER_PROCESS)
    if jobs > 1 and len(interesting) > 1:
        parts = _in_processes(interesting, data, resolver, jobs, with_fixes)
    else:
        parts = [_check_batch([(file, data[file.path]) for file in interesting], resolver, with_fixes)]
    order = {file.path: index for index, file in enumerate(files)}
    diagnostics = sorted(
        (found for part in parts for found in part.diagnostics),
        key=lambda found: (order.get(found.path, len(order)), found.sort_key()),
    )
    failures += [failure for part in parts for failure in part.failures]
    texts = {path: text for part in parts for path, text in part.texts.items()}
    return Outcome(tuple(diagnostics), tuple(failures), names, texts)


def check_text(file: SourceFile, text: str, resolver: SettingsResolver, with_fixes: bool = False) -> Outcome:
    """Check one text as the content of ``file``, which need not exist."""
    names = {file.path: file.shown}
    if not mentions_dsl(text.encode("utf-8", "surrogatepass")):
        return Outcome((), (), names, {})
    part = _Batch(resolver, with_fixes)
    part.check(file, text)
    return Outcome(tuple(part.diagnostics), tuple(part.failures), names, part.texts)


class _Batch:
    """Files checked by one project, which reads what they import only once."""

    def __init__(self, resolver: SettingsResolver, with_fixes: bool) -> None:
        from pto_lsp.project import Project

        self._resolver = resolver
        self._project: Project = Project(resolver.for_file)
        self._engine: FixEngine | None = None
        if with_fixes:
            from pto_lsp.quickfix.engine import FixEngine
            from pto_lsp.quickfix.file_index import project_root

            self._engine = FixEngine(self._project, project_root)
        self.diagnostics: list[Diagnostic] = []
        self.failures: list[Failure] = []
        self.texts: dict[str, str] = {}

    def check(self, file: SourceFile, text: str) -> None:
        from pto_lsp.checking import checked

        try:
            self._project.open(file.path, text)
            found = checked(self._project, file.path, self._resolver.for_file(file.path))
            if self._engine is not None:
                found = tuple([replace(each, fix=self._engine.fix(file.path, each)) for each in found])
        except Exception:
            # Ours, not the user's: say so and go on with the other files.
            import traceback

            self.failures.append(Failure(file.shown, "internal error of pto-lsp", traceback.format_exc()))
            return
        if found:
            self.diagnostics.extend(found)
            self.texts[file.path] = text


def _check_batch(files: Sequence[tuple[SourceFile, bytes]], resolver: SettingsResolver, with_fixes: bool) -> Outcome:
    batch = _Batch(resolver, with_fixes)
    for file, content in files:
        try:
            text = decode(content)
        except SourceError as fault:
            batch.failures.append(Failure(file.shown, str(fault)))
            continue
        batch.check(file, text)
    return Outcome(tuple(batch.diagnostics), tuple(batch.failures), {}, batch.texts)


def _in_processes(
    files: Sequence[SourceFile], data: dict[str, bytes], resolver: SettingsResolver, jobs: int, with_fixes: bool
) -> list[Outcome]:
    from concurrent.futures import BrokenExecutor, ProcessPoolExecutor

    # Neighbours import the same modules: they stay together, in batches small enough to even out the load.
    size = max(1, len(files) // (jobs * 4))
    batches = [files[begin : begin + size] for begin in range(0, len(files), size)]
    outcomes = []
    with ProcessPoolExecutor(min(jobs, len(batches))) as pool:
        futures = [
            pool.submit(_check_batch, [(file, data[file.path]) for file in batch], resolver, with_fixes)
            for batch in batches
        ]
        for batch, future in zip(batches, futures):
            try:
                outcomes.append(future.result())
            except BrokenExecutor as fault:
                lost = tuple(Failure(file.shown, f"the process that checked it died: {fault}") for file in batch)
                outcomes.append(Outcome((), lost, {}, {}))
    return outcomes
