"""Checking many files: quick rejection, known results, the analysis where it is needed, processes where they pay."""

from __future__ import annotations

import gc
import os
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from pto_lsp.config import SettingsResolver
from pto_lsp.diagnostics import Diagnostic
from pto_lsp.discovery import SourceError, SourceFile, decode, mentions_dsl, read_bytes
from pto_lsp.profiling import phase

if TYPE_CHECKING:
    from pto_lsp.cache.keeper import Keeper
    from pto_lsp.cache.store import ResultCache
    from pto_lsp.project import Project
    from pto_lsp.quickfix.engine import FixEngine

FILES_PER_PROCESS = 20
"""Below this many files for each, a further process costs more than it saves."""
_FILES_PER_BATCH = 50
"""What a batch has read and worked out is in memory at the same time."""
_MUCH_GARBAGE = 5_000_000
"""Objects that the batches checked so far have left behind; so many take some 500 MB."""
_LINE_END = re.compile(r"\r\n?|\n")


class Failure(NamedTuple):
    """Something that could not be checked. ``shown`` names it as messages do; ``trace`` is for faults of our own."""

    shown: str
    reason: str
    trace: str = ""


@dataclass(frozen=True, slots=True)
class Outcome:
    """``names``: absolute path → path as given. ``texts``: absolute path → decoded text, of the files with findings.

    ``reads``: the absolute paths of the modules that the findings depend on.
    """

    diagnostics: tuple[Diagnostic, ...]
    failures: tuple[Failure, ...]
    names: dict[str, str]
    texts: dict[str, str]
    reads: frozenset[str] = frozenset()

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


@dataclass(frozen=True, slots=True)
class Manner:
    """How to check. ``jobs`` does not change the result; None chooses by the number of files.

    ``with_fixes``: findings get their repairs, which takes time. ``cache_directory``: where results of earlier runs
    are, None to do without. ``progress`` is told how many files of how many are done.
    """

    jobs: int | None = None
    with_fixes: bool = False
    cache_directory: str | None = None
    progress: Callable[[int, int], None] = lambda done, total: None


def check_files(files: Sequence[SourceFile], resolver: SettingsResolver, manner: Manner) -> Outcome:
    """Check every file that mentions the DSL."""
    failures: list[Failure] = []
    interesting: list[_Loaded] = []
    for file in files:
        try:
            content = read_bytes(file.path)
        except SourceError as fault:
            failures.append(Failure(file.shown, str(fault)))
            continue
        if mentions_dsl(content):
            interesting.append(_Loaded(file, content))
    names = {file.path: file.shown for file in files}
    if not interesting:
        return Outcome((), tuple(failures), names, {})
    cache = None
    # A repair depends on every caller in the project: no list of modules says what that was.
    if manner.cache_directory is not None and not manner.with_fixes:
        from pto_lsp.cache.store import ResultCache, Store

        cache = ResultCache(Store.open(manner.cache_directory), resolver)
    parts = []
    if cache is not None:
        with phase("cache"):
            known, interesting = _known(interesting, cache)
        parts.append(known)
    parts += _check(interesting, resolver, manner, cache)
    order = {file.path: index for index, file in enumerate(files)}
    diagnostics = sorted(
        (found for part in parts for found in part.diagnostics),
        key=lambda found: (order.get(found.path, len(order)), found.sort_key()),
    )
    failed = sorted((failure for part in parts for failure in part.failures), key=_order_of(files))
    texts = {path: text for part in parts for path, text in part.texts.items()}
    reads = frozenset(path for part in parts for path in part.reads)
    return Outcome(tuple(diagnostics), (*failures, *failed), names, texts, reads)


class _Loaded(NamedTuple):
    file: SourceFile
    content: bytes


def _order_of(files: Sequence[SourceFile]) -> Callable[[Failure], int]:
    order = {file.shown: index for index, file in enumerate(files)}
    return lambda failure: order[failure.shown]


def _known(files: Sequence[_Loaded], cache: ResultCache) -> tuple[Outcome, list[_Loaded]]:
    """What earlier runs found out about ``files``, and those that have to be checked."""
    diagnostics: list[Diagnostic] = []
    texts: dict[str, str] = {}
    reads: set[str] = set()
    unknown = []
    for loaded in files:
        result = cache.lookup(loaded.file.path, loaded.content)
        if result is None:
            unknown.append(loaded)
            continue
        reads.update(result.reads)
        if result.diagnostics:
            diagnostics.extend(result.diagnostics)
            texts[loaded.file.path] = decode(loaded.content)
    return Outcome(tuple(diagnostics), (), {}, texts, frozenset(reads)), unknown


def _check(
    files: Sequence[_Loaded], resolver: SettingsResolver, manner: Manner, cache: ResultCache | None
) -> list[Outcome]:
    if not files:
        return []
    jobs = manner.jobs
    if jobs is None:
        jobs = min(os.cpu_count() or 1, len(files) // FILES_PER_PROCESS)
    if jobs > 1 and len(files) > 1:
        return list(_in_processes(files, resolver, jobs, manner, cache))
    return [_check_batch(files, resolver, manner.with_fixes, cache, manner.progress)]


def check_text(file: SourceFile, text: str, resolver: SettingsResolver, with_fixes: bool = False) -> Outcome:
    """Check one text as the content of ``file``, which need not exist."""
    names = {file.path: file.shown}
    if not mentions_dsl(text.encode("utf-8", "surrogatepass")):
        return Outcome((), (), names, {})
    part = _Batch(resolver, with_fixes)
    part.check(file, text)
    return replace(part.outcome(), names=names)


class _Batch:
    """Files checked by one project, which reads what they import only once."""

    def __init__(self, resolver: SettingsResolver, with_fixes: bool, cache: ResultCache | None = None) -> None:
        with phase("import"):
            from pto_lsp.project import Project

        self._resolver = resolver
        self._project: Project = Project(resolver.for_file, edits=with_fixes)
        self._engine: FixEngine | None = None
        self._keeper: Keeper | None = None
        if with_fixes:
            from pto_lsp.quickfix.engine import FixEngine
            from pto_lsp.quickfix.file_index import project_root

            self._engine = FixEngine(self._project, project_root)
        elif cache is not None:
            from pto_lsp.cache.keeper import Keeper

            self._keeper = Keeper(cache, self._project)
        self.diagnostics: list[Diagnostic] = []
        self.failures: list[Failure] = []
        self.texts: dict[str, str] = {}
        self.reads: set[str] = set()

    def check(self, file: SourceFile, text: str, content: bytes | None = None) -> None:
        """``content``: the bytes that ``text`` was decoded from, where they are those of the file."""
        from pto_lsp.checking import checked

        try:
            with phase("check", file.shown):
                self._project.open(file.path, text)
                found = checked(self._project, file.path, self._resolver.for_file(file.path))
            if self._engine is not None:
                found = tuple([replace(each, fix=self._engine.fix(file.path, each)) for each in found])
            faults = self._project.faults(file.path)
            self.failures.extend(Failure(file.shown, message) for message in faults)
            if self._keeper is not None and content is not None and not faults:
                self._keeper.keep(file.path, content, found)
        except Exception:
            # Ours, not the user's: say so and go on with the other files.
            import traceback

            self.failures.append(Failure(file.shown, "internal error of pto-lsp", traceback.format_exc()))
            return
        self.reads.update(self._project.dependencies(file.path))
        if found:
            self.diagnostics.extend(found)
            self.texts[file.path] = text

    def outcome(self) -> Outcome:
        return Outcome(tuple(self.diagnostics), tuple(self.failures), {}, self.texts, frozenset(self.reads))


def _check_batch(
    files: Sequence[_Loaded],
    resolver: SettingsResolver,
    with_fixes: bool,
    cache: ResultCache | None,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Outcome:
    batch = _Batch(resolver, with_fixes, cache)
    for number, (file, content) in enumerate(files):
        progress(number, len(files))
        try:
            text = decode(content)
        except SourceError as fault:
            batch.failures.append(Failure(file.shown, str(fault)))
            continue
        batch.check(file, text, content)
    return batch.outcome()


def _check_in_process(
    files: Sequence[_Loaded], resolver: SettingsResolver, with_fixes: bool, cache: ResultCache | None
) -> Outcome:
    """A batch in a process that may get more of them."""
    gc.disable()  # as in the process that started this one
    outcome = _check_batch(files, resolver, with_fixes, cache)
    if gc.get_count()[0] > _MUCH_GARBAGE:
        gc.collect()
    return outcome


def _in_processes(
    files: Sequence[_Loaded], resolver: SettingsResolver, jobs: int, manner: Manner, cache: ResultCache | None
) -> Iterator[Outcome]:
    from concurrent.futures import BrokenExecutor, ProcessPoolExecutor, as_completed

    # Neighbours import the same modules: they stay together, in batches small enough to even out the load.
    size = min(max(1, len(files) // (jobs * 4)), _FILES_PER_BATCH)
    batches = [files[begin : begin + size] for begin in range(0, len(files), size)]
    done = 0
    with ProcessPoolExecutor(min(jobs, len(batches))) as pool:
        futures = {
            pool.submit(_check_in_process, batch, resolver, manner.with_fixes, cache): batch for batch in batches
        }
        for future in as_completed(futures):
            batch = futures[future]
            try:
                yield future.result()
            except BrokenExecutor as fault:
                reason = f"the process that checked it died: {fault}"
                yield Outcome((), tuple(Failure(file.shown, reason) for file, _ in batch), {}, {})
            done += len(batch)
            manner.progress(done, len(files))
