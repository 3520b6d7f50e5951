"""Open documents and their findings. Everything here runs on the worker thread, which owns the project."""

from __future__ import annotations

import itertools
import os
import posixpath
import time
import traceback
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

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
from pto_lsp.server.status import Health
from pto_lsp.server.uris import to_key, to_uri
from pto_lsp.server.worker import Superseded, Worker

if TYPE_CHECKING:
    from concurrent.futures import Future

    from pto_lsp.analysis.frontend.module import Module
    from pto_lsp.quickfix.file_index import FileIndex
    from pto_lsp.quickfix.fix_all import Left
    from pto_lsp.server.code_actions import CodeActions
    from pto_lsp.server.compiling.compilations import Compilations
    from pto_lsp.server.features.look import Look

T = TypeVar("T")

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


class Session:
    """What one client has open."""

    def __init__(
        self,
        client: Client,
        outbox: Outbox,
        worker: Worker,
        directory: str,
        editor: EditorSettings,
        folders: Callable[[], Sequence[str]] = tuple,
        trusted: bool = True,
    ) -> None:
        """``folders`` are those of the workspace, as they are when asked for; only what is ``trusted`` is compiled."""
        self._client = client
        self._outbox = outbox
        self._worker = worker
        self._editor = editor
        self._resolver = SettingsResolver(directory, editor=editor.layer_for)
        self._project = Project(self._resolver.for_file)
        self._converter = Converter(client, self)
        self._documents: dict[str, Document] = {}
        self._waiting: dict[str, float] = {}
        self._edited = ""
        self._stamps = itertools.count(1)
        self._faults = ConfigurationFaults(outbox, self._resolver, self.uri_of, client.encoding)
        self._budget = TimeBudget(outbox)
        self._folders = folders
        self._directory = directory
        self.trusted = trusted
        self._compilations: Compilations | None = None
        self._index: FileIndex | None = None
        self._actions: CodeActions | None = None
        self._seen: Look | None = None

    @property
    def client(self) -> Client:
        return self._client

    @property
    def folders(self) -> Sequence[str]:
        """Those of the workspace, as absolute paths."""
        return self._folders()

    @property
    def has_findings(self) -> bool:
        """Whether any open document has been checked."""
        return any(document.found is not None for document in self._documents.values())

    # Edits.

    def open(self, uri: str, version: int, text: str) -> None:
        path = to_key(uri)
        if self._index is not None and not self._client.watches_files:
            # Nobody says when files come and go; opening one is as good a moment as any to look again.
            self._index.forget()
        self._documents[path] = Document(uri, path, version, next(self._stamps))
        self._project.open(path, text)
        self._faults.report(self._documents)
        self._changed(path)

    def change(self, uri: str, version: int, changes: Sequence[types.TextDocumentContentChangeEvent]) -> None:
        path = to_key(uri)
        document = self._documents.get(path)
        if document is None:
            self._outbox.log(f"change of a document that is not open: {uri}")
            return
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
        if self._index is not None:
            self._index.forget()
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
        self._actions = None
        self._seen = None
        self._faults.report(self._documents)
        self._outdate(self._documents)

    # Answers.

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

    def code_actions(self, params: types.CodeActionParams) -> list[types.CodeAction]:
        """What can be done about the findings at a range of an open document."""
        document = self._documents.get(to_key(params.text_document.uri))
        if document is None or not self._client.code_actions:
            return []
        table = self._project.line_table(document.path)
        start, end = (offset_of(at, table, self._client.encoding) for at in (params.range.start, params.range.end))
        place = Range(table.position(start), table.position(max(start, end)))
        if start == end:
            # A cursor anywhere on a line sees what is found on it.
            place = Range(Position(place.start.line, 0), Position(place.start.line + 1, 0))
        found = self._findings(document)
        only = params.context.only
        kinds = None if only is None else [str(getattr(kind, "value", kind)) for kind in only]
        return self._code_actions().actions(document.path, document.version, found, place, kinds)

    def resolve_code_action(self, action: types.CodeAction) -> types.CodeAction:
        """The action with its edit."""
        with self.doing(f"preparing '{action.title}'"):
            return self._code_actions().resolve(action)

    def fix_all(self, uri: str) -> tuple[types.WorkspaceEdit | None, int, tuple[Left, ...]]:
        """All safe repairs of an open document as one edit, how many they are, and what is left."""
        return self._code_actions().fix_all(to_key(uri))

    def apply(self, label: str, edit: types.WorkspaceEdit) -> Future[types.ApplyWorkspaceEditResult]:
        return self._outbox.apply(label, edit)

    def _code_actions(self) -> CodeActions:
        if self._actions is None:
            from pto_lsp.server.code_actions import CodeActions

            index = self._file_index()
            self._actions = CodeActions(
                self._client, self, self._converter, self._project, self._root_of, self._resolver.for_file, index
            )
        return self._actions

    def _root_of(self, path: str) -> str:
        """The folder in which callers of the functions of ``path`` are looked for."""
        from pto_lsp.quickfix.file_index import project_root

        around = [folder for folder in self._folders() if path.startswith(folder.rstrip(os.sep) + os.sep)]
        return max(around, key=len) if around else project_root(path)

    def files_around(self, uri: str) -> tuple[str, ...]:
        """The document and every file in which its functions may be used, open or not."""
        path = to_key(uri)
        around = self._file_index().files(self._root_of(path)) if os.path.isabs(path) else None
        return tuple(dict.fromkeys((path, *self._project.open_paths, *(around or ()))))

    def _file_index(self) -> FileIndex:
        if self._index is None:
            from pto_lsp.quickfix.file_index import FileIndex

            self._index = FileIndex()
        return self._index

    def looked(self, uri: str, answer: Callable[[Look], T | None]) -> T | None:
        """What ``answer`` makes of an open document; None where there is nothing of the DSL in it.

        Raises `Superseded` where something more urgent has come in between.
        """
        document = self._documents.get(to_key(uri))
        if document is None:
            return None
        # Findings come first: nothing an editor shows besides them may delay them.
        self._findings(document)
        if document.path in self._waiting:
            self._report(document)
        try:
            look = self._look(document)
            found = None if look is None else answer(look)
        except Cancelled:
            document.put_back += 1
            raise Superseded from None
        except Exception:
            # An answer that fails is no answer; the findings say that something is wrong.
            self._outbox.log(f"internal error while answering about {document.uri}\n{traceback.format_exc()}")
            return None
        document.put_back = 0
        return found

    def found_in(self, uri: str) -> tuple[Diagnostic, ...]:
        """The findings of an open document as far as they are known."""
        document = self._documents.get(to_key(uri))
        return () if document is None else document.found or ()

    def module(self, uri: str) -> Module | None:
        """The text of an open document as the front end cuts it up."""
        path = to_key(uri)
        return self._project.module(path) if path in self._documents else None

    def _look(self, document: Document) -> Look | None:
        from pto_lsp.server.features.look import Look

        path = document.path
        interrupted = self._worker.interrupter(path, document.put_back)
        module = self._project.module(path)
        if module is None or not module.syntax.functions:
            return None
        look = self._seen
        if look is None or look.module is not module or look.epoch != self._project.epoch:
            programs = self._project.analysis(path, interrupted).programs
            look = Look(self.uri_of, self._project, module, programs, self._client.encoding, look)
            self._seen = look
        look.interrupted = interrupted
        return look

    def line_at(self, uri: str, position: types.Position) -> tuple[str, int] | None:
        """The line at a position of an open document, and the column there in code points."""
        path = to_key(uri)
        if path not in self._documents:
            return None
        table = self._project.line_table(path)
        line, column = table.position(offset_of(position, table, self._client.encoding))
        return table.line_text(line), column

    # Findings that nobody has asked for.

    def report_next(self) -> bool:
        """Compute and send the findings of one document that waits for them; False when none does."""
        document = self._next()
        if document is None:
            return False
        with suppress(Superseded):
            self._report(document)
        return True

    def _report(self, document: Document) -> None:
        """Raises `Superseded` where something more urgent has come in between."""
        found = self._shown(document)
        self._waiting.pop(document.path, None)
        before, document.reported = document.reported, found
        if self._client.pulls_diagnostics:
            if before is not None and before != found:
                self._outbox.refresh()
        elif before != found:
            with phase("publish", document.name):
                items = self._converter.diagnostics(document.path, found)
                self._outbox.publish(document.uri, document.version, items)

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

    # Compiling.

    @property
    def compilations(self) -> Compilations:
        if self._compilations is None:
            from pto_lsp.server.compiling.compilations import Compilations
            from pto_lsp.server.compiling.job import Request

            def request(path: str, entry: str | None, texts: dict[str, str]) -> Request:
                return Request(path, entry, texts, self._editor.state, self._directory)

            self._compilations = Compilations(self, self._outbox, self._worker, request)
        return self._compilations

    def saved(self, uri: str) -> None:
        path = to_key(uri)
        if self.trusted and path in self._documents:
            self.compilations.saved(path)

    def stop(self) -> None:
        """End what runs outside of the worker thread."""
        if self._compilations is not None:
            self._compilations.stop()

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

    def settings_for(self, path: str) -> Settings:
        return self._resolver.for_file(path)

    def problems_of(self, path: str) -> tuple[Problem, ...]:
        """What is wrong with the settings that apply to ``path``."""
        return self._resolver.problems(path)

    def is_on(self, uri: str, switch: str) -> bool:
        """Whether the user wants to see something that can be switched off in the editor."""
        return self._editor.is_on(to_key(uri), switch)

    # For the commands.

    def is_open(self, uri: str) -> bool:
        return to_key(uri) in self._documents

    def report(self) -> list[str]:
        """A line about each open document, for a report of a fault."""
        return [
            f"{document.uri} version {document.version}: "
            f"{'not checked yet' if document.found is None else f'{len(document.found)} findings'}"
            for document in self._documents.values()
        ]

    def log(self, text: str) -> None:
        self._outbox.log(text)

    def doing(self, title: str) -> AbstractContextManager[None]:
        """For what may take long; see `Outbox`."""
        return self._outbox.doing(title)

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
