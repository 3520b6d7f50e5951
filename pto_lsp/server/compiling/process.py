"""Compiling documents in the background: one process at a time, the newest request for a file counts."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import asdict
from typing import IO, Any, NamedTuple

from pto_lsp.server.compiling.job import Request

TIME_LIMIT_SECONDS = 300.0
_START = (
    "import sys, json; sys.path[:] = json.loads(sys.argv[1]); from pto_lsp.server.compiling.job import main; main()"
)

Json = dict[str, Any]


class Fault(Exception):
    """The compilation came to no end; the text has its last words."""


class Job(NamedTuple):
    """``made`` is called, on the compiler's thread, with what was made, unless the job was cancelled before; what it
    returns is the answer. ``complained`` then gets what the C++ compiler says.
    """

    request: Request
    made: Callable[[Json], Json]
    complained: Callable[[Json], None]
    answer: Future[Json]


class Compiler:
    """``began`` is told of each job when it begins, and what it returned is called when its answer is there."""

    def __init__(self, began: Callable[[Job], Callable[[], None]]) -> None:
        self._began = began
        self._wake = threading.Condition()
        self._waiting: OrderedDict[str, Job] = OrderedDict()
        self._current: Job | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._thread: threading.Thread | None = None

    def compile(
        self, request: Request, made: Callable[[Json], Json], complained: Callable[[Json], None]
    ) -> Future[Json]:
        """Replaces what is under way for the same file, whose answer is cancelled. Cancelling the answer stops it."""
        job = Job(request, made, complained, Future())
        job.answer.add_done_callback(lambda answer: self._stop(job) if answer.cancelled() else None)
        self.forget(request.path)
        with self._wake:
            self._waiting[request.path] = job
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="compiler", daemon=True)
                self._thread.start()
            self._wake.notify()
        return job.answer

    def forget(self, path: str) -> None:
        """What is under way for a file is not wanted any more."""
        with self._wake:
            jobs = [self._waiting.pop(path, None), self._current]
        for job in jobs:
            if job is not None and job.request.path == path and not job.answer.cancel():
                # Its answer is out, but the C++ compiler may still be at work.
                self._stop(job)

    def stop(self) -> None:
        """End whatever runs, and cancel the answers that are not there yet."""
        with self._wake:
            jobs = [*self._waiting.values(), self._current]
        for job in jobs:
            if job is not None and not job.answer.cancel():
                self._stop(job)

    def _stop(self, job: Job) -> None:
        with self._wake:
            if self._waiting.get(job.request.path) is job:
                del self._waiting[job.request.path]
            if self._current is job:
                self._kill()

    def _kill(self) -> None:
        process = self._process
        if process is None:
            return
        if sys.platform == "win32":
            process.kill()
        elif process.poll() is None:
            # With the C++ compiler that it may have started. The thread that waits for it may have seen its end by now.
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)

    # The compiler's thread.

    def _run(self) -> None:
        while True:
            with self._wake:
                while not self._waiting:
                    self._wake.wait()
                _, job = self._waiting.popitem(last=False)
                self._current = job
                self._process = self._started(job)
            if self._process is not None:
                _when_done(job.answer, self._began(job))
                self._follow(job, self._process)
            with self._wake:
                self._current = self._process = None

    def _started(self, job: Job) -> subprocess.Popen[bytes] | None:
        if job.answer.cancelled():
            return None
        try:
            return _start(job.request)
        except OSError as fault:
            _fail(job, str(fault))
            return None

    def _follow(self, job: Job, process: subprocess.Popen[bytes]) -> None:
        limit = threading.Timer(TIME_LIMIT_SECONDS, self._stop, [job])
        limit.start()
        errors: list[bytes] = []
        reader = threading.Thread(target=lambda: errors.extend(_stream(process.stderr)), daemon=True)
        reader.start()
        try:
            try:
                with _stream(process.stdin) as stdin:
                    stdin.write(json.dumps(asdict(job.request)).encode())
            except OSError:
                # It has ended, and says why.
                pass
            first, second = (_whole_line(_stream(process.stdout)) for _ in range(2))
            # From here on it cannot be cancelled: what is written is written as a whole.
            if first and job.answer.set_running_or_notify_cancel():
                self._answer(job, json.loads(first))
            if second and not job.answer.cancelled():
                job.complained(json.loads(second))
            process.wait()
            if not first:
                reader.join(1.0)
                _fail(job, b"".join(errors).decode(errors="replace").strip())
        finally:
            limit.cancel()
            for stream in (process.stdout, process.stderr):
                _stream(stream).close()

    def _answer(self, job: Job, first: Json) -> None:
        try:
            job.answer.set_result(job.made(first))
        except Exception as fault:
            job.answer.set_exception(fault)


def _fail(job: Job, words: str) -> None:
    """Whoever waits is told, unless somebody has cancelled the answer, which may happen at any time."""
    if job.answer.set_running_or_notify_cancel():
        job.answer.set_exception(Fault(words))


def _whole_line(stream: IO[bytes]) -> bytes:
    """The next line; empty when there is none, or only the beginning of one whose writer was killed."""
    line = stream.readline()
    return line if line.endswith(b"\n") else b""


def _when_done(answer: Future[Json], done: Callable[[], None]) -> None:
    answer.add_done_callback(lambda _: done())


def _start(request: Request) -> subprocess.Popen[bytes]:
    # Isolated: nothing of the user's environment and folder is imported, only what this process could import.
    return subprocess.Popen(
        [sys.executable, "-I", "-c", _START, json.dumps([path for path in sys.path if os.path.isabs(path)])],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=request.directory if os.path.isdir(request.directory) else None,
        start_new_session=True,
    )


def _stream(stream: IO[bytes] | None) -> IO[bytes]:
    assert stream is not None
    return stream
