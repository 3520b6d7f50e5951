"""Processes of ``pto-lsp`` without their start: forked off one that has imported everything and has done nothing.

Starting Python and importing the LSP libraries takes as long as most sessions. What a process is from there on (its own
memory, pipes, working directory, environment, threads and exit) is the same. Tests of the start itself start a process.

Run as a script this is the one that forks: ``python -m tests.support.prepared SOCKET real|fake``.
"""

from __future__ import annotations

import gc
import json
import os
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import IO

ROOT = Path(__file__).parents[2]
POSSIBLE = hasattr(os, "fork") and hasattr(socket, "recv_fds")
SHELLS = ("pto_lsp.cli.check", "pto_lsp.checking", "pto_lsp.cli.server", "pto_lsp.server.language_server")
ANALYSIS = ("pto_lsp.server.session", "pto_lsp.server.features.look", "pto_lsp.server.code_actions")
_LENGTH = 1 << 20


@cache
def _forker(kind: str) -> tuple[socket.socket, subprocess.Popen[bytes]]:
    """The process that forks, and where it takes requests. It ends when this one does."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with theirs:
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.support.prepared", str(theirs.fileno()), kind],
            cwd=ROOT,
            pass_fds=[theirs.fileno()],
            # Python asks its streams whether they can seek when it starts; nothing goes through these.
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
    return ours, process


class Prepared:
    """As much of ``subprocess.Popen`` as tests use, with pipes for all three streams."""

    def __init__(self, kind: str, words: Sequence[str], cwd: Path | None, env: Mapping[str, str] | None) -> None:
        forker, parent = _forker(kind)
        (read_in, write_in), (read_out, write_out), (read_err, write_err) = os.pipe(), os.pipe(), os.pipe()
        self._end, told = os.pipe()
        request = {"words": list(words), "cwd": str(cwd or Path.cwd()), "env": dict(os.environ if env is None else env)}
        theirs = [read_in, write_out, write_err, told]
        socket.send_fds(forker, [json.dumps(request).encode()], theirs)
        for end in theirs:
            os.close(end)
        self.stdin: IO[bytes] = os.fdopen(write_in, "wb")
        self.stdout: IO[bytes] = os.fdopen(read_out, "rb")
        self.stderr: IO[bytes] = os.fdopen(read_err, "rb")
        answer = forker.recv(_LENGTH)
        assert answer, parent.communicate()[1].decode()
        self.pid = int(answer)
        self.returncode: int | None = None

    def poll(self) -> int | None:
        return self._ended(0)

    def wait(self, timeout: float | None = None) -> int:
        code = self._ended(timeout)
        if code is None:
            assert timeout is not None
            raise subprocess.TimeoutExpired("pto-lsp", timeout)
        return code

    def kill(self) -> None:
        if self.poll() is None:
            os.kill(self.pid, signal.SIGKILL)

    def communicate(self, body: bytes) -> tuple[bytes, bytes]:
        """What is written until the end, where each is less than a pipe holds."""
        with suppress(BrokenPipeError), self.stdin:
            self.stdin.write(body)
        with self.stdout, self.stderr:
            return self.stdout.read(), self.stderr.read()

    def _ended(self, timeout: float | None) -> int | None:
        if self.returncode is None and select.select([self._end], [], [], timeout)[0]:
            self.returncode = int(os.read(self._end, _LENGTH))
            os.close(self._end)
        return self.returncode


class _Forker:
    def __init__(self, requests: socket.socket) -> None:
        self._requests = requests
        self._running: dict[int, int] = {}
        self._wakeup, woken = os.pipe()
        os.set_blocking(woken, False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(woken, warn_on_full_buffer=False)

    def words(self) -> list[str] | None:
        """In every process that is forked its arguments; in this one nothing, when nobody is left who could ask."""
        while True:
            ready = select.select([self._requests, self._wakeup], [], [])[0]
            if self._wakeup in ready:
                os.read(self._wakeup, _LENGTH)
                self._reap()
            if self._requests not in ready:
                continue
            body, files, _, _ = socket.recv_fds(self._requests, _LENGTH, 4)
            if not body:
                return None
            pid = os.fork()
            if pid == 0:
                return self._become(json.loads(body), files)
            self._running[pid] = files[3]
            for file in files[:3]:
                os.close(file)
            self._requests.send(str(pid).encode())

    def _become(self, request: dict[str, object], files: list[int]) -> list[str]:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        for end in self._running.values():
            os.close(end)
        for standard, file in enumerate(files[:3]):
            os.dup2(file, standard)
        for file in files:
            os.close(file)
        self._requests.close()
        os.chdir(str(request["cwd"]))
        os.environ.clear()
        os.environ.update(request["env"])  # type: ignore[call-overload]
        words = request["words"]
        assert isinstance(words, list)
        return words

    def _reap(self) -> None:
        for pid in list(self._running):
            ended, status = os.waitpid(pid, os.WNOHANG)
            if ended:
                file = self._running.pop(pid)
                os.write(file, str(os.waitstatus_to_exitcode(status)).encode())
                os.close(file)


def _main(requests: str, kind: str) -> int:
    if kind == "fake":
        # The shells import the analysis only when they need it.
        sys.modules["pto_lsp.project"] = import_module("tests.support.fake_project")
    for module in (*SHELLS, *(ANALYSIS if kind == "real" else ())):
        import_module(module)
    gc.collect()
    gc.freeze()
    words = _Forker(socket.socket(fileno=int(requests))).words()
    if words is None:
        return 0
    sys.argv[1:] = words
    from pto_lsp.cli import main

    return main()


if __name__ == "__main__":
    sys.exit(_main(*sys.argv[1:]))
