"""Open documents and their findings. Everything here runs on the worker thread, which owns the project."""

from __future__ import annotations

import itertools
import os
import posixpath
import time
import traceback
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from lsprotocol import types

from pto_lsp.analysis.source.text import LineTable
from pto_lsp.checking import checked
from pto_lsp.config import FILE_NAMES, Problem, Settings, SettingsResolver
from pto_lsp.diagnostics import Diagnostic, Position, Range, Severity
from pto_lsp.profiling import phase
from pto_lsp.project import Cancelled, Change, Project
from pto_lsp.server.budget import TimeBudget
from pto_lsp.server.configuration_faults import ConfigurationFaults
from pto_lsp.server.convert import SOURCE, Client, Converter, is_descending, offset_of
from pto_lsp.server.editor_settings import EditorSettings
from pto_lsp.server.outbox import Outbox
from pto_lsp.server.pace import Pace
from pto_lsp.server.status import Health
from pto_lsp.server.uris import to_key, to_uri
from pto_lsp.server.worker import Superseded, Worker

PATIENCE_SECONDS = 1.0
"""A document that has waited that long for its findings goes before the one being edited."""

_START = Range(Position(0, 0), Position(0, 0))


@dataclass(slots=True)
class Document:
    """``found`` is None until the findings of the present text are known.

    ``reported`` are the findings the client was last given; ``stamp`` and ``revision`` tell results apart: the opening
    they belong to, and how often they changed while the text did not. ``put_back`` counts interrupted computations in a
    row; ``checked`` is true once there were findings of some text. ``complaints`` are what compiling this text, or
    another one, had to say about it, by the path compiled.
    """

    uri: str
    path: str
    version: int
    stamp: int
    found: tuple[Diagnostic, ...] | None = None
    reported: tuple[Diagnostic, ...] | None = None
    revision: int = 0
    put_back: int = 0
    checked: bool = False
    fault: str = ""
    complaints: dict[str, tuple[Diagnostic, ...]] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """What people call it."""
        return posixpath.basename(self.uri)

    @property
    def result_id(self) -> str:
        return f"{self.stamp}.{self.version}.{self.revision}"


class OpenDocuments:
    """What one client has open, and what it is told of it."""

    def __init__(self, client: Client, outbox: Outbox, worker: Worker, directory: str, editor: EditorSettings) -> None:
        self._client = client
        self._outbox = outbox
        self._worker = worker
        self._editor = editor
        self._directory = directory
        self._resolver = SettingsResolver(directory, editor=editor.layer_for)
        self._project = Project(self._resolver.for_file)
        self._converter = Converter(client, self)
        self._documents: dict[str, Document] = {}
        self._waiting: dict[str, float] = {}
        self._edited = ""
        self._pace = Pace()
        self._stamps = itertools.count(1)
        self._faults = ConfigurationFaults(outbox, self._resolver, self.uri_of, client.encoding)
        self._budget = TimeBudget(outbox)

    @property
    def has_findings(self) -> bool:
        """Whether any open document has been checked."""
        return any(document.found is not None for document in self._documents.values())

    def is_open(self, uri: str) -> bool:
        return to_key(uri) in self._documents

    def line_at(self, uri: str, position: types.Position) -> tuple[str, int] | None:
        """The line at a position of an open document, and the column there in code points."""
        path = to_key(uri)
        if path not in self._documents:
            return None
        table = self._project.line_table(path)
        line, column = table.position(offset_of(position, table, self._client.encoding))
        return table.line_text(line), column

    # Edits.

    def open(self, uri: str, version: int, text: str) -> None:
        path = to_key(uri)
        self._documents[path] = Document(uri, path, version, next(self._stamps))
        self._project.open(path, text)
        self._faults.report(self._documents)
        self._changed(path)

    def change(
        self,
        uri: str,
        version: int,
        changes: Sequence[types.TextDocumentContentChangeEvent],
        arrived: float | None = None,
    ) -> None:
        """``arrived`` is when the client's message had been read, in seconds of ``time.perf_counter``: now if None."""
        path = to_key(uri)
        document = self._documents.get(path)
        if document is None:
            self._outbox.log(f"change of a document that is not open: {uri}")
            return
        self._pace.edited(time.perf_counter() if arrived is None else arrived)
        document.version = version
        document.revision = 0
        document.reported = None
        document.complaints = {}
        with phase("edit", document.name):
            self._apply(path, changes)
        self._changed(path)

    def _apply(self, path: str, changes: Sequence[types.TextDocumentContentChangeEvent]) -> None:
        if is_descending(changes):
            table = self._project.line_table(path)
            self._project.change(path, [self._change(change, table) for change in changes])
        else:
            # Each counts positions in the text that the one before it left.
            for change in changes:
                self._project.change(path, [self._change(change, self._project.line_table(path))])

    def close(self, uri: str) -> None:
        path = to_key(uri)
        document = self._documents.pop(path, None)
        if document is None:
            return
        self._waiting.pop(path, None)
        self._budget.forget(path)
        dependents = self._project.dependents(path)
        self._project.close(path)
        if not self._client.pulls_diagnostics:
            self._outbox.publish(document.uri, None, [])
        self._outdate(dependents)
        self._faults.report(self._documents)
        if document.fault:
            self._tell_faults()

    def files_changed(self, paths: Sequence[str]) -> None:
        """Files have changed, come or gone on disk."""
        dependents: set[str] = set()
        if any(os.path.basename(path) in FILE_NAMES for path in paths):
            self.configuration_written()
        for path in paths:
            if path not in self._documents:
                dependents.update(self._project.dependents(path))
                self._project.forget(path)
                dependents.update(self._project.dependents(path))
        self._outdate(path for path in self._documents if path in dependents)

    def configuration_written(self) -> None:
        """Configuration files may say something else than before."""
        paths = set(self._documents).union(*map(self._project.dependencies, self._documents))
        before = {path: self._resolver.for_file(path) for path in paths}
        self._resolver.forget()
        if any(self._resolver.for_file(path) != settings for path, settings in before.items()):
            self.settings_changed()
        else:
            self._faults.report(self._documents)

    def settings_changed(self) -> None:
        """The settings are other ones."""
        self._resolver.forget()
        self._project = self._reopened()
        self._faults.report(self._documents)
        self._outdate(self._documents)

    # Findings that somebody has asked for.

    def pull(self, uri: str, previous: str | None) -> types.DocumentDiagnosticReport:
        """The findings of the newest text that is known, or that they are still those of ``previous``."""
        document = self._documents.get(to_key(uri))
        if document is None:
            return types.RelatedFullDocumentDiagnosticReport(items=[])
        found = self._shown(document)
        self._waiting.pop(document.path, None)
        document.reported = found
        if previous == document.result_id:
            return types.RelatedUnchangedDocumentDiagnosticReport(result_id=previous)
        items = self._converter.diagnostics(document.path, found)
        return types.RelatedFullDocumentDiagnosticReport(items=items, result_id=document.result_id)

    # Findings that nobody has asked for.

    def report_next(self) -> float | None:
        """Compute and send the findings of one document that waits for them; None when none does.

        When they are held back it is seconds until there is more to do, otherwise 0.
        """
        document = self._next()
        if document is None:
            return None
        with suppress(Superseded):
            return self._report(document)
        return 0.0

    def _report(self, document: Document) -> float:
        """Raises `Superseded` where something more urgent has come in between. What it returns is that of
        `report_next`.
        """
        found = self._shown(document)
        if time.monotonic() - self._waiting[document.path] < PATIENCE_SECONDS:
            left = self._pace.hold(time.perf_counter())
            if left:
                return left
        self._waiting.pop(document.path, None)
        self._pace.sent()
        before, document.reported = document.reported, found
        if self._client.pulls_diagnostics:
            if before is not None and before != found:
                self._outbox.refresh()
        elif before != found:
            with phase("publish", document.name):
                items = self._converter.diagnostics(document.path, found)
                self._outbox.publish(document.uri, document.version, items)
        return 0.0

    def _shown(self, document: Document) -> tuple[Diagnostic, ...]:
        found = self._findings(document)
        return (*found, *[each for complaints in document.complaints.values() for each in complaints])

    def _next(self) -> Document | None:
        if not self._waiting:
            return None
        first, since = next(iter(self._waiting.items()))
        if self._edited in self._waiting and time.monotonic() - since < PATIENCE_SECONDS:
            first = self._edited
        return self._documents[first]

    def _findings(self, document: Document) -> tuple[Diagnostic, ...]:
        """Raises `Superseded` where something more urgent has come in between."""
        if document.found is not None:
            return document.found
        path = document.path
        if os.path.basename(path) in FILE_NAMES:
            # No Python, though it may name PyPTO; what is wrong with it is said elsewhere.
            document.found = ()
            return ()
        interrupted = self._worker.interrupter(path, document.put_back)
        started = time.thread_time()
        try:
            with self._outbox.doing(f"checking {document.name}"), phase("check", document.name):
                found = checked(self._project, path, self._resolver.for_file(path), interrupted)
            faults = self._project.faults(path)
            if faults:
                # One note, however much is missing: the log has it all.
                more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
                found = (*found, self._note(document, faults[0] + more))
            fault = faults[0] if faults else ""
        except Cancelled:
            document.put_back += 1
            raise Superseded from None
        except Exception:
            fault = traceback.format_exc()
            found = self._fault(document, fault)
        if document.fault != fault:
            document.fault = fault
            self._tell_faults()
        self._budget.spent(path, document.name, time.thread_time() - started, not document.checked)
        document.put_back = 0
        document.checked = True
        document.found = found
        if document.reported is not None and document.reported != found:
            document.revision += 1
        return found

    def _fault(self, document: Document, trace: str) -> tuple[Diagnostic, ...]:
        """Ours, not the user's: the log has it all, the document gets one quiet note."""
        if trace != document.fault:
            self._outbox.log(f"internal error while checking {document.uri}\n{trace}")
        return (self._note(document, "'pto-lsp' could not check this file: an internal error, see the log"),)

    def _tell_faults(self) -> None:
        names = [document.name for document in self._documents.values() if document.fault]
        message = f"internal error while checking {', '.join(names)}: see the log"
        self._outbox.state("check", *((Health.ERROR, message) if names else ()))

    def _note(self, document: Document, message: str) -> Diagnostic:
        return Diagnostic("", "internal-error", Severity.INFORMATION, message, document.path, _START, SOURCE)

    # What has to be computed again.

    def _changed(self, path: str) -> None:
        """The text of ``path`` is another one."""
        self._edited = path
        document = self._documents[path]
        document.found = None
        if not self._client.pulls_diagnostics:
            self._waiting.setdefault(path, time.monotonic())
        self._outdate(self._project.dependents(path))

    def _outdate(self, paths: Iterable[str]) -> None:
        """The findings of these documents may have changed although their text has not."""
        told = not self._client.pulls_diagnostics or self._client.refreshes_diagnostics
        now = time.monotonic()
        for path in paths:
            document = self._documents.get(path)
            if document is not None:
                document.found = None
                if told:
                    self._waiting.setdefault(path, now)

    def _reopened(self) -> Project:
        """A project under the new settings, with the same documents open."""
        project = Project(self._resolver.for_file)
        for path in self._documents:
            text = self._project.text(path)
            if text is not None:
                project.open(path, text)
        return project

    def _change(self, change: types.TextDocumentContentChangeEvent, table: LineTable) -> Change:
        if isinstance(change, types.TextDocumentContentChangeWholeDocument):
            return Change(None, change.text)
        encoding = self._client.encoding
        start = offset_of(change.range.start, table, encoding)
        end = max(start, offset_of(change.range.end, table, encoding))
        return Change(Range(table.position(start), table.position(end)), change.text)

    # Settings.

    def settings_for(self, path: str) -> Settings:
        return self._resolver.for_file(path)

    def problems_of(self, path: str) -> tuple[Problem, ...]:
        """What is wrong with the settings that apply to ``path``."""
        return self._resolver.problems(path)

    # For those who compile.

    def texts(self) -> dict[str, str]:
        return {path: self._project.text(path) or "" for path in self._documents}

    def versions(self) -> dict[str, int]:
        return {path: document.version for path, document in self._documents.items()}

    def starts_tasks(self, path: str) -> bool:
        module = self._project.module(path) if os.path.isabs(path) else None
        return module is not None and bool(self._project.analyzer(path).roots(module))

    def complain(self, origin: str, versions: dict[str, int], found: list[Diagnostic]) -> None:
        for path, document in self._documents.items():
            about = tuple(each for each in found if each.path == path and versions.get(path) == document.version)
            if document.complaints.get(origin, ()) != about:
                document.complaints[origin] = about
                document.revision += 1
                if not self._client.pulls_diagnostics or self._client.refreshes_diagnostics:
                    self._waiting.setdefault(path, time.monotonic())

    # For the converter.

    def table_of(self, path: str) -> LineTable | None:
        if path in self._documents:
            return self._project.line_table(path)
        text = self._project.text(path)
        return None if text is None else LineTable(text)

    def version_of(self, path: str) -> int | None:
        document = self._documents.get(path)
        return None if document is None else document.version

    def findings_of(self, path: str) -> tuple[Diagnostic, ...]:
        return self._findings(self._documents[path])

    def uri_of(self, path: str) -> str:
        document = self._documents.get(path)
        return to_uri(path) if document is None else document.uri
