"""The state of the server in one line, for clients that show it (``pto/status``)."""

from __future__ import annotations

import threading
from collections.abc import Callable
from enum import IntEnum
from typing import Any

METHOD = "pto/status"


class Health(IntEnum):
    """How well the server can do its work; the worst of its parts counts."""

    OK = 0
    WARNING = 1
    ERROR = 2


class Status:
    """Sends ``{health, message, busy}`` whenever it is another one. May be used from any thread."""

    def __init__(self, send: Callable[[str, Any], None]) -> None:
        self._send = send
        self._lock = threading.Lock()
        self._parts: dict[str, tuple[Health, str]] = {}
        self._work: dict[object, str] = {}
        self._sent: dict[str, Any] | None = None

    def set(self, part: str, health: Health = Health.OK, message: str = "") -> None:
        """What there is to say about one part of the server; the newest of the worst is shown."""
        with self._lock:
            self._parts.pop(part, None)
            self._parts[part] = (health, message)
            self._tell()

    def busy(self, with_what: str) -> Callable[[], None]:
        """The server works on something until the function that is returned is called."""
        key = object()
        with self._lock:
            self._work[key] = with_what
            self._tell()

        def done() -> None:
            with self._lock:
                self._work.pop(key, None)
                self._tell()

        return done

    def _tell(self) -> None:
        health, message = Health.OK, ""
        for part_health, part_message in self._parts.values():
            if part_health > health or (part_health == health and part_message):
                health, message = part_health, part_message
        if self._work:
            message = list(self._work.values())[-1]
        state = {"health": health.name.lower(), "message": message, "busy": bool(self._work)}
        if state != self._sent:
            self._sent = state
            self._send(METHOD, state)
