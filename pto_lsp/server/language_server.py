"""The protocol: which message does what. No analysis here; what needs the project goes to the worker."""

from __future__ import annotations

import gc
import json
import linecache
import logging
import os
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, Any, BinaryIO, cast

from lsprotocol import types
from pygls.capabilities import ServerCapabilitiesBuilder
from pygls.exceptions import (
    JsonRpcException,
    JsonRpcInternalError,
    JsonRpcInvalidRequest,
    JsonRpcMethodNotFound,
    JsonRpcParseError,
    JsonRpcServerNotInitialized,
)
from pygls.lsp.server import LanguageServer

from pto_lsp import __version__
from pto_lsp.analysis.source.encodings import PositionEncoding
from pto_lsp.config import FILE_NAMES, SECTION
from pto_lsp.server.client_link import ClientLink
from pto_lsp.server.commands.registration import MODULES, Commands
from pto_lsp.server.convert import Client
from pto_lsp.server.editor_settings import EditorSettings, is_trusted
from pto_lsp.server.features.registration import Features
from pto_lsp.server.transport import Writer, messages, watch_parent
from pto_lsp.server.uris import to_key, to_uri
from pto_lsp.server.worker import Worker

if TYPE_CHECKING:
    from pto_lsp.server.session import Session

logger = logging.getLogger(__name__)

EVENTS_PER_STEP = 50
"""Watched-file events handled in one go: a burst of thousands must not keep requests waiting."""

_YOUNG = 20_000
"""So many new objects are worth looking through for garbage."""

CODE_ACTION_KINDS: list[types.CodeActionKind | str] = [
    types.CodeActionKind.QuickFix,
    types.CodeActionKind.RefactorRewrite,
    "source.fixAll.pto-lsp",
]


class Protocol(LanguageServer):
    """pygls' server with our worker as its thread pool, and without its pop-ups."""

    worker: Worker

    def __init__(self) -> None:
        super().__init__("pto-lsp", __version__)
        # Documents are ours: pygls' copies would cost time and count lines differently.
        for method in (
            types.TEXT_DOCUMENT_DID_OPEN,
            types.TEXT_DOCUMENT_DID_CHANGE,
            types.TEXT_DOCUMENT_DID_CLOSE,
            # Its commands cannot be cancelled.
            types.WORKSPACE_EXECUTE_COMMAND,
        ):
            self.protocol.fm.builtin_features.pop(method)

    @property
    def thread_pool(self) -> ThreadPoolExecutor:
        # pygls only calls ``submit`` of it.
        return cast(ThreadPoolExecutor, self.worker)

    def report_server_error(self, error: Exception, source: Any) -> None:
        """A request that fails is answered with its error; everything else goes to the log, never into a pop-up."""
        if not isinstance(error, JsonRpcException):
            logger.error("%s: %s", type(error).__name__, error)


class Server:
    """One client, from its first message to its last."""

    def __init__(self, stdout: BinaryIO) -> None:
        # Failed and cancelled requests are answered; pygls would print a traceback for each of them as well.
        logging.getLogger("pygls").setLevel(logging.CRITICAL)
        self._protocol = Protocol()
        self._writer = Writer(stdout)
        self._protocol.protocol.set_writer(self._writer)
        self._worker = self._protocol.worker = Worker(self._idle, self._failed, self._collect)
        self._session: Session | None = None
        self._client = Client()
        self._directory = os.getcwd()
        self._folders: list[str] = []
        self._trusted = True
        self._editor = EditorSettings()
        self._commands = Commands(self._ready)
        self._link = ClientLink(self._protocol)
        self._initialized = False
        self._shut_down = False
        self._settled = False
        self._closed = False
        self._register()

    def run(self, stdin: BinaryIO) -> int:
        """Serve until the client leaves. 0 only when it said so in the right order."""
        for body in messages(stdin):
            if self._handle(body):
                break
        return 0 if self._shut_down else 1

    def _handle(self, body: bytes) -> bool:
        """Handle one message; True when it was the last one."""
        protocol = self._protocol.protocol
        try:
            data = json.loads(body)
        except (ValueError, RecursionError):
            self._refuse(None, JsonRpcParseError("the message is not JSON"))
            return False
        if not isinstance(data, dict):
            self._refuse(None, JsonRpcInvalidRequest("a message must be an object"))
            return False
        method, identity = data.get("method"), data.get("id")
        malformed = _fault_of(data, protocol.VERSION)
        if malformed is not None:
            if method is not None and "id" in data:
                self._refuse(identity if isinstance(identity, (int, str)) else None, JsonRpcInvalidRequest(malformed))
            return False
        if method == types.EXIT:
            return True
        try:
            self._check_order(method)
            if identity is not None and method is not None:
                self._check_known(method)
            protocol.handle_message(protocol.structure_message(data))
        except Exception as fault:
            if not isinstance(fault, JsonRpcException):
                logger.exception("cannot handle %s", method)
                fault = JsonRpcInternalError("cannot handle this message")
            if identity is not None and method is not None:
                self._refuse(identity, fault)
            return False
        if method == types.INITIALIZE and self._initialized:
            # Not before the answer is out: what the worker imports would slow it down.
            self._worker.start()
        elif method == types.SHUTDOWN:
            self._shut_down = self._writer.leaving = True
        return False

    def _check_order(self, method: str | None) -> None:
        if self._shut_down:
            raise JsonRpcInvalidRequest("the server has been shut down")
        if self._initialized and method == types.INITIALIZE:
            raise JsonRpcInvalidRequest("the server is initialized already")
        if not self._initialized and method != types.INITIALIZE:
            raise JsonRpcServerNotInitialized("the server is not initialized yet")

    def _check_known(self, method: str) -> None:
        """An unknown request is unknown whatever its parameters are."""
        manager = self._protocol.protocol.fm
        if method not in manager.features and method not in manager.builtin_features:
            raise JsonRpcMethodNotFound.of(method)

    def _refuse(self, identity: Any, fault: JsonRpcException) -> None:
        protocol = self._protocol.protocol
        error = {"code": fault.code, "message": fault.message}
        protocol._send_data({"jsonrpc": protocol.VERSION, "id": identity, "error": error})

    # Features.

    def _register(self) -> None:
        self._on(types.INITIALIZE, self._initialize)
        self._on(types.INITIALIZED, self._begin)
        self._on(types.SHUTDOWN, self._stop)
        self._on(types.TEXT_DOCUMENT_DID_OPEN, self._did_open)
        self._on(types.TEXT_DOCUMENT_DID_CHANGE, self._did_change)
        self._on(types.TEXT_DOCUMENT_DID_CLOSE, self._did_close)
        self._on(types.TEXT_DOCUMENT_DID_SAVE, self._did_save)
        self._on(types.WORKSPACE_DID_CHANGE_CONFIGURATION, self._did_change_configuration)
        self._on(types.WORKSPACE_DID_CHANGE_WATCHED_FILES, self._did_change_watched_files)
        self._on(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS, self._did_change_folders)

    def _on(self, method: str, handler: Callable[[Any], Any], options: Any = None, on_worker: bool = False) -> None:
        # pygls marks the functions it is given, which methods do not allow.
        function = partial(handler)
        self._protocol.feature(method, options)(function)
        if on_worker:
            self._protocol.thread()(function)

    def _initialize(self, params: types.InitializeParams) -> None:
        encoding = ServerCapabilitiesBuilder.choose_position_encoding(params.capabilities)
        self._client = Client.of(params.capabilities, PositionEncoding(str(getattr(encoding, "value", encoding))))
        self._link.client = self._client
        self._editor = EditorSettings(params.initialization_options)
        self._trusted = is_trusted(params.initialization_options)
        folders = [folder.uri for folder in params.workspace_folders or ()]
        root = params.root_uri or (to_uri(params.root_path) if params.root_path else None)
        self._folders = [to_key(uri) for uri in folders or ([root] if root else [])]
        if self._folders and os.path.isabs(self._folders[0]):
            self._directory = self._folders[0]
        if self._client.pulls_diagnostics:
            options = types.DiagnosticOptions(
                inter_file_dependencies=True, workspace_diagnostics=False, identifier="pto-lsp"
            )
            self._on(types.TEXT_DOCUMENT_DIAGNOSTIC, self._pull, options, on_worker=True)
        if self._client.code_actions:
            actions = types.CodeActionOptions(CODE_ACTION_KINDS, resolve_provider=self._client.resolves_edits)
            self._on(types.TEXT_DOCUMENT_CODE_ACTION, self._code_actions, actions, on_worker=True)
            self._on(types.CODE_ACTION_RESOLVE, self._resolve_code_action, on_worker=True)
        for name in MODULES:
            self._protocol.command(name)(partial(self._commands.execute))
        self._on(types.WORKSPACE_EXECUTE_COMMAND, self._commands.execute, on_worker=True)
        Features(self._ready).register(partial(self._on, on_worker=True), params.capabilities)
        if params.process_id is not None:
            watch_parent(params.process_id, lambda: os._exit(1))
        self._worker.edit("", self._start_session)
        self._initialized = True

    def _start_session(self) -> None:
        # attrs keeps the text of every method it generated, for tracebacks.
        linecache.clearcache()
        # It made each class twice, too: what is left of the first would lie between what the analysis will hold.
        gc.collect()
        # The analysis is imported here, while the client digests our answer to ``initialize``.
        from pto_lsp.server.session import Session

        self._session = Session(
            self._client, self._link, self._worker, self._directory, self._editor, lambda: self._folders, self._trusted
        )

    def _begin(self, params: types.InitializedParams) -> None:
        registrations = []
        if self._client.watches_files:
            patterns = ["**/*.py", *(f"**/{name}" for name in FILE_NAMES)]
            watchers = [types.FileSystemWatcher(pattern) for pattern in patterns]
            options: Any = types.DidChangeWatchedFilesRegistrationOptions(watchers)
            method = types.WORKSPACE_DID_CHANGE_WATCHED_FILES
            registrations.append(types.Registration("pto-lsp.files", method, options))
        if self._client.registers_configuration:
            options = types.DidChangeConfigurationRegistrationOptions(SECTION)
            method = types.WORKSPACE_DID_CHANGE_CONFIGURATION
            registrations.append(types.Registration("pto-lsp.configuration", method, options))
        if registrations:
            self._protocol.client_register_capability(types.RegistrationParams(registrations))
        self._link.state("server")
        self._ask_for_configuration()

    def _stop(self, params: None) -> None:
        self._worker.stop()
        if self._session is not None:
            self._session.stop()

    def _did_open(self, params: types.DidOpenTextDocumentParams) -> None:
        item = params.text_document
        self._edit(item.uri, lambda session: session.open(item.uri, item.version, item.text))

    def _did_change(self, params: types.DidChangeTextDocumentParams) -> None:
        document, changes, arrived = params.text_document, params.content_changes, time.perf_counter()
        self._edit(document.uri, lambda session: session.change(document.uri, document.version, changes, arrived))

    def _did_close(self, params: types.DidCloseTextDocumentParams) -> None:
        uri = params.text_document.uri
        self._closed = True
        self._edit(uri, lambda session: session.close(uri))

    def _did_save(self, params: types.DidSaveTextDocumentParams) -> None:
        uri = params.text_document.uri
        if os.path.basename(to_key(uri)) in FILE_NAMES:
            # For clients that do not watch files.
            self._edit("", lambda session: session.configuration_written())
        else:
            self._edit(uri, lambda session: session.saved(uri))

    def _did_change_watched_files(self, params: types.DidChangeWatchedFilesParams) -> None:
        paths = list(dict.fromkeys(to_key(event.uri) for event in params.changes))
        for begin in range(0, len(paths), EVENTS_PER_STEP):
            part = paths[begin : begin + EVENTS_PER_STEP]
            self._worker.background(partial(self._files_changed, part))

    def _files_changed(self, paths: list[str]) -> None:
        self._ready().files_changed(paths)

    def _did_change_configuration(self, params: types.DidChangeConfigurationParams) -> None:
        if self._client.configuration:
            self._ask_for_configuration()
        elif params.settings is not None:
            self._edit("", lambda session: self._take_configuration(session, [None], [params.settings]))

    def _did_change_folders(self, params: types.DidChangeWorkspaceFoldersParams) -> None:
        removed = {to_key(folder.uri) for folder in params.event.removed}
        self._folders = [folder for folder in self._folders if folder not in removed]
        self._folders += [to_key(folder.uri) for folder in params.event.added]
        self._ask_for_configuration()

    def _ask_for_configuration(self) -> None:
        if not self._client.configuration:
            return
        folders: list[str | None] = [None, *self._folders]
        items = [types.ConfigurationItem(folder and to_uri(folder), SECTION) for folder in folders]

        def take(answer: Future[Any]) -> None:
            # An editor that refuses, or leaves before it has answered, says nothing about settings.
            if answer.cancelled() or answer.exception() is not None:
                return
            given = answer.result()
            values = list(given) if isinstance(given, (list, tuple)) else []
            self._edit("", lambda session: self._take_configuration(session, folders, values))

        self._protocol.workspace_configuration(types.ConfigurationParams(items)).add_done_callback(take)

    def _take_configuration(self, session: Session, folders: list[str | None], values: list[Any]) -> None:
        changed, before = False, self._editor.switches
        for folder, settings in zip(folders, values):
            changed = self._editor.set(folder, settings) or changed
        if changed:
            session.settings_changed()
        if self._editor.switches != before:
            if self._client.refreshes_lenses:
                self._protocol.workspace_code_lens_refresh(None)
            if self._client.refreshes_hints:
                self._protocol.workspace_inlay_hint_refresh(None)

    # On the worker.

    def _pull(self, params: types.DocumentDiagnosticParams) -> types.DocumentDiagnosticReport:
        self._link.refreshing = False
        return self._ready().pull(params.text_document.uri, params.previous_result_id)

    def _code_actions(self, params: types.CodeActionParams) -> list[types.CodeAction]:
        return self._ready().code_actions(params)

    def _resolve_code_action(self, action: types.CodeAction) -> types.CodeAction:
        return self._ready().resolve_code_action(action)

    def _idle(self) -> float | None:
        if self._session is None:
            return None
        wait = self._session.report_next()
        if wait is None and not self._settled and self._session.has_findings:
            self._settle()
        return wait

    def _settle(self) -> None:
        """The libraries and the first documents are loaded: what lives now will live on, so leave it out of every
        collection. Edits leave nothing behind that is held by itself alone: what there is to collect is collected when
        nobody types (`_collect`), in the midst of an edit only when that never happens.
        """
        self._settled = True
        gc.freeze()
        gc.set_threshold(50 * _YOUNG, 20, 20)
        gc.enable()

    def _collect(self) -> None:
        if self._closed and self._settled:
            # The lines of a document lead to each other, and may have been left out long ago.
            self._closed = False
            gc.unfreeze()
            gc.collect()
            gc.freeze()
            return
        young = gc.get_count()[0] if self._settled else 0
        if young > 5 * _YOUNG:
            # Looking through so many would be felt, and they are what an edit has made of everything.
            gc.freeze()
        elif young > _YOUNG:
            gc.collect(1)

    def _failed(self, fault: BaseException) -> None:
        logger.error("internal error", exc_info=fault)

    def _edit(self, uri: str, apply: Callable[[Session], None]) -> None:
        self._worker.edit(to_key(uri), partial(self._with_session, apply))

    def _with_session(self, apply: Callable[[Session], None]) -> None:
        apply(self._ready())

    def _ready(self) -> Session:
        if self._session is None:
            raise JsonRpcInternalError("the analysis could not be started, see the log")
        return self._session


def _fault_of(message: dict[str, Any], version: str) -> str | None:
    """What makes an object something else than a request, a notification or an answer."""
    if message.get("jsonrpc") != version:
        return f"this is not JSON-RPC {version}"
    if not isinstance(message.get("id"), (int, str, type(None))):
        return "the id of a message must be a number or a string"
    if "method" not in message:
        known = "id" in message and ("result" in message or "error" in message)
        return None if known else "this is neither a question nor an answer"
    return None if isinstance(message["method"], str) else "the method of a message must be a string"
