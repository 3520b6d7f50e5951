"""Work-done progress that the server begins, and that the user may cancel."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

from lsprotocol import types
from pygls.protocol import LanguageServerProtocol


class Progress:
    """One piece of work in the client's list of them, from now until `end`. May be used from any thread.

    ``cancelled`` is called, on the thread that reads messages, when the user has enough of it.
    """

    def __init__(
        self, protocol: LanguageServerProtocol, title: str, cancelled: Callable[[], None] | None = None
    ) -> None:
        self._protocol = protocol
        self._title = title
        self._cancellable = cancelled is not None
        self._token = str(uuid.uuid4())
        self._lock = threading.Lock()
        self._begun = False
        self._ended = False
        if cancelled is not None:
            wish: Future[Any] = Future()
            wish.add_done_callback(lambda _: cancelled())
            # Where pygls looks when the client cancels.
            protocol.progress.tokens[self._token] = wish
        created = protocol.send_request(
            types.WINDOW_WORK_DONE_PROGRESS_CREATE, types.WorkDoneProgressCreateParams(self._token)
        )
        created.add_done_callback(self._created)

    def end(self, message: str | None = None) -> None:
        """May be called more than once; the first one counts."""
        with self._lock:
            begun, ended, self._ended = self._begun, self._ended, True
            if begun and not ended:
                self._notify(types.WorkDoneProgressEnd(message=message))
        self._protocol.progress.tokens.pop(self._token, None)

    def _created(self, answer: Future[Any]) -> None:
        """Only now may the client be told of it."""
        if answer.cancelled() or answer.exception() is not None:
            return
        with self._lock:
            if not self._ended:
                self._begun = True
                self._notify(types.WorkDoneProgressBegin(self._title, cancellable=self._cancellable))

    def _notify(self, value: Any) -> None:
        self._protocol.notify(types.PROGRESS, types.ProgressParams(self._token, value))
