"""The way to the client, as `Outbox` describes it."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import AbstractContextManager
from typing import Any

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from pto_lsp.server.activity import NOTICE_SECONDS, Activity
from pto_lsp.server.convert import Client
from pto_lsp.server.progress import Progress
from pto_lsp.server.status import Health, Status


class ClientLink:
    """Sends what ``client`` understands, which is nothing special before it has introduced itself.

    ``refreshing``: it was asked to pull, and has not pulled since.
    """

    def __init__(self, server: LanguageServer) -> None:
        self._server = server
        self.client = Client()
        self.refreshing = False
        self._activity = Activity(self._begin_work)
        self._status = Status(self._send_status)

    def publish(self, uri: str, version: int | None, items: list[types.Diagnostic]) -> None:
        self._server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, items, version))

    def refresh(self) -> None:
        """One request is enough until the client has pulled."""
        if not self.refreshing:
            self.refreshing = True
            self._server.workspace_diagnostic_refresh(None)

    def log(self, text: str) -> None:
        print(text, file=sys.stderr)
        self._server.window_log_message(types.LogMessageParams(types.MessageType.Error, text))

    def apply(self, label: str, edit: types.WorkspaceEdit) -> Future[types.ApplyWorkspaceEditResult]:
        return self._server.workspace_apply_edit(types.ApplyWorkspaceEditParams(edit, label))

    def doing(self, title: str) -> AbstractContextManager[None]:
        return self._activity.doing(title)

    def state(self, part: str, health: Health = Health.OK, message: str = "") -> None:
        self._status.set(part, health, message)

    def begin(self, title: str, cancelled: Callable[[], None]) -> Callable[[], None]:
        done = self._status.busy(title)
        shown: list[Callable[[], None]] = []
        timer = threading.Timer(NOTICE_SECONDS, lambda: shown.append(self._show_progress(title, cancelled)))
        timer.daemon = True
        timer.start()

        def end() -> None:
            timer.cancel()
            timer.join()
            for hide in shown:
                hide()
            done()

        return end

    def _begin_work(self, title: str) -> Callable[[], None]:
        """Show that something takes long; what is returned takes that back."""
        done, hide = self._status.busy(title), self._show_progress(title)

        def end() -> None:
            hide()
            done()

        return end

    def _show_progress(self, title: str, cancelled: Callable[[], None] | None = None) -> Callable[[], None]:
        if not self.client.progress:
            return lambda: None
        return Progress(self._server.protocol, f"PyPTO: {title}", cancelled).end

    def _send_status(self, method: str, state: Any) -> None:
        if self.client.status:
            self._server.protocol.notify(method, state)
