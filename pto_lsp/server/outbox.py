"""What the parts of the server send the client through."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from contextlib import AbstractContextManager
from typing import Protocol

from lsprotocol import types

from pto_lsp.server.status import Health


class Outbox(Protocol):
    """Messages to the client; may be used from any thread."""

    def publish(self, uri: str, version: int | None, items: list[types.Diagnostic]) -> None: ...

    def refresh(self) -> None:
        """Ask a client that pulls findings to pull again."""

    def log(self, text: str) -> None: ...

    def doing(self, title: str) -> AbstractContextManager[None]:
        """For what the worker does and may take long: the client is told when it does."""

    def state(self, part: str, health: Health = Health.OK, message: str = "") -> None:
        """How a part of the server is, for clients that show it."""

    def apply(self, label: str, edit: types.WorkspaceEdit) -> Future[types.ApplyWorkspaceEditResult]:
        """Ask the client to change the documents."""

    def begin(self, title: str, cancelled: Callable[[], None]) -> Callable[[], None]:
        """For what is done in the background: it is under way until what is returned is called. ``cancelled`` is
        called when the user has enough of it.
        """
