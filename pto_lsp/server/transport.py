"""Bytes in and out: framing, a protected stdout, and the end of the other side."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import BinaryIO

PARENT_POLL_SECONDS = 2.0


def claim_stdio() -> tuple[BinaryIO, BinaryIO]:
    """The process's stdin and stdout for the protocol alone.

    File descriptor 1 becomes stderr and 0 becomes empty, for this process and its children: a stray ``print`` shows up
    in the editor's log instead of breaking the protocol.
    """
    stdin = os.fdopen(os.dup(0), "rb")
    stdout = os.fdopen(os.dup(1), "wb")
    empty = os.open(os.devnull, os.O_RDONLY)
    os.dup2(empty, 0)
    os.close(empty)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return stdin, stdout


class Writer:
    """Writes whole messages, from any thread. Once the client has said goodbye (``leaving``) it need not listen."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._lock = threading.Lock()
        self.leaving = False

    def write(self, data: bytes) -> None:
        try:
            with self._lock:
                self._stream.write(data)
                self._stream.flush()
        except (OSError, ValueError):
            # Nobody listens any more, and there is nobody to tell.
            if not self.leaving:
                os._exit(1)

    def close(self) -> None:
        self._stream.close()


def messages(stream: BinaryIO) -> Iterator[bytes]:
    """The bodies of the messages in ``stream``, until it ends. Header lines that mean nothing to us are skipped."""
    length: int | None = None
    while True:
        line = stream.readline()
        if not line:
            return
        line = line.strip()
        if line:
            name, _, value = line.partition(b":")
            if name.strip().lower() == b"content-length" and value.strip().isdigit():
                length = int(value)
        elif length is not None:
            body = stream.read(length)
            if len(body) < length:
                return
            yield body
            length = None


def watch_parent(process_id: int, when_gone: Callable[[], None]) -> None:
    """Call ``when_gone`` from a thread of its own soon after the editor's process has ended.

    Pipes can outlive the editor (a child of it may have inherited them), so their end is not enough.
    """
    adopted_from = os.getppid()

    def watch() -> None:
        # Not at once: an editor that is gone already still gets its answer, should somebody else read it.
        time.sleep(PARENT_POLL_SECONDS)
        while _is_running(process_id) and not (adopted_from == process_id and os.getppid() != adopted_from):
            time.sleep(PARENT_POLL_SECONDS)
        when_gone()

    threading.Thread(target=watch, name="parent", daemon=True).start()


def _is_running(process_id: int) -> bool:
    if sys.platform == "win32":
        return _is_running_on_windows(process_id)
    try:
        os.kill(process_id, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return not _is_zombie(process_id)


def _is_zombie(process_id: int) -> bool:
    """Linux only: a process that has ended but whose parent has not asked for its exit code."""
    try:
        with open(f"/proc/{process_id}/stat", "rb") as file:
            return file.read().rpartition(b")")[2].split()[:1] == [b"Z"]
    except OSError:
        return False


def _is_running_on_windows(process_id: int) -> bool:
    import ctypes

    kernel = ctypes.windll.kernel32  # type: ignore[attr-defined,unused-ignore]
    synchronize, wait_timeout = 0x00100000, 0x102
    handle = kernel.OpenProcess(synchronize, False, process_id)
    if not handle:
        return False
    running: bool = kernel.WaitForSingleObject(handle, 0) == wait_timeout
    kernel.CloseHandle(handle)
    return running
