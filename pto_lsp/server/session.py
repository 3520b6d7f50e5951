"""What a client may ask about its open documents, besides their findings. Runs on the worker thread."""

from __future__ import annotations

import os
import traceback
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, TypeVar

from lsprotocol import types

from pto_lsp.config import OWN_FILE
from pto_lsp.diagnostics import Diagnostic, Position, Range
from pto_lsp.project import Cancelled
from pto_lsp.server.convert import Client, offset_of, range_to_protocol
from pto_lsp.server.documents import Document, OpenDocuments
from pto_lsp.server.editor_settings import EditorSettings
from pto_lsp.server.outbox import Outbox
from pto_lsp.server.uris import to_key
from pto_lsp.server.worker import Superseded, Worker

if TYPE_CHECKING:
    from concurrent.futures import Future

    from pto_lsp.analysis.frontend.module import Module
    from pto_lsp.quickfix.file_index import FileIndex
    from pto_lsp.quickfix.fix_all import Left
    from pto_lsp.quickfix.preview import Preview
    from pto_lsp.server.code_actions import CodeActions
    from pto_lsp.server.compiling.compilations import Compilations
    from pto_lsp.server.features.look import Look

T = TypeVar("T")


class Session(OpenDocuments):
    """One client's. What needs more than findings is imported when it is first asked for."""

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
        super().__init__(client, outbox, worker, directory, editor)
        self._folders = folders
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

    # What is kept between answers, and for how long.

    def open(self, uri: str, version: int, text: str) -> None:
        if self._index is not None and not self._client.watches_files:
            # Nobody says when files come and go; opening one is as good a moment as any to look again.
            self._index.forget()
        super().open(uri, version, text)

    def files_changed(self, paths: Sequence[str]) -> None:
        if self._index is not None:
            self._index.forget()
        super().files_changed(paths)

    def settings_changed(self) -> None:
        super().settings_changed()
        self._actions = None
        self._seen = None

    # Code actions.

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

    def fix_previews(self, uri: str, position: types.Position, most: int | None = None) -> list[Preview]:
        """What the repairs of the findings at a position of an open document would do to its task graphs.

        Each is tried out: with ``most`` not in a text of more characters.
        """
        document = self._documents.get(to_key(uri))
        if document is None:
            return []
        table = self._project.line_table(document.path)
        if most is not None and len(table.text) > most:
            return []
        at = table.position(offset_of(position, table, self._client.encoding))
        here = [each for each in self._findings(document) if each.range.start <= at <= each.range.end]
        return self._code_actions().previews(document.path, here) if here else []

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

    # Features.

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

    def configuration_completions(self, uri: str, position: types.Position) -> list[types.CompletionItem] | None:
        """What may be written at a position of an open configuration file."""
        from pto_lsp.server.features.configuration_completion import completions, written

        path = to_key(uri)
        if path not in self._documents:
            return None
        table, encoding = self._project.line_table(path), self._client.encoding
        offset = offset_of(position, table, encoding)
        items = []
        for label, typed, kind in completions(table.text, offset, os.path.basename(path) == OWN_FILE):
            start = offset - len(typed)
            place = Range(table.position(start), table.position(offset))
            edit = types.TextEdit(range_to_protocol(place, table, encoding), written(label, kind, table.text[:start]))
            items.append(types.CompletionItem(label, kind=kind, text_edit=edit))
        return items or None

    def is_on(self, uri: str, switch: str) -> bool:
        """Whether the user wants to see something that can be switched off in the editor."""
        return self._editor.is_on(to_key(uri), switch)

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

    # For the commands.

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
