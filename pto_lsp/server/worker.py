"""The thread that owns the project, and what it does next.

Edits come first, in order; then requests; then background work; then, while nothing else waits, findings to be pushed.
An edit that arrives while findings are computed makes the computation stop: at once where it concerns the same
document, after a time slice otherwise. The slice of a document doubles each time it is put back, so that steady edits
of one document cannot starve another.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Executor, Future
from functools import partial
from typing import Any, TypeVar

from pygls.exceptions import JsonRpcRequestCancelled

FIRST_SLICE_SECONDS = 0.02
STOP_SECONDS = 1.0
REST_SECONDS = 1.0

T = TypeVar("T")


class Superseded(Exception):
    """The computation was stopped because a newer text is known, or something more urgent waits: begin it again."""


class Job(Future[Any]):
    """A request. Cancelling a running one asks it to stop."""

    def __init__(self, task: Callable[[], Any]) -> None:
        super().__init__()
        self.task = task
        self.unwanted = False
        self.started = False
        self._later: Future[Any] | None = None

    def cancel(self) -> bool:
        if super().cancel():
            return True
        self.unwanted = True
        if self._later is not None:
            self._later.cancel()
        return False

    def follow(self, later: Future[Any]) -> None:
        """Answer what ``later`` will be, from the thread that completes it."""
        self._later = later
        if self.unwanted:
            later.cancel()
        later.add_done_callback(self._finish)

    def _finish(self, later: Future[Any]) -> None:
        if later.cancelled():
            self.set_exception(JsonRpcRequestCancelled())
        elif (fault := later.exception()) is not None:
            self.set_exception(fault)
        else:
            self.set_result(later.result())


class Worker(Executor):
    """Runs everything that touches the project on one thread."""

    def __init__(
        self,
        idle: Callable[[], float | None],
        failed: Callable[[BaseException], None],
        rest: Callable[[], None] = lambda: None,
    ) -> None:
        """``idle`` does one piece of optional work and says in how many seconds it wants to go on, None when there is
        nothing to do. ``failed`` is told of exceptions. ``rest`` is called once nothing has happened for a second: the
        next thing may have to wait for it.
        """
        self._idle = idle
        self._failed = failed
        self._rest = rest
        self._wake = threading.Condition()
        self._edits: deque[tuple[str, Callable[[], None]]] = deque()
        self._jobs: deque[Job] = deque()
        self._background: deque[Callable[[], None]] = deque()
        self._waiting_edits: dict[str, int] = {}
        self._current: Job | None = None
        self._following: set[Job] = set()
        self._stopping = False
        self._thread = threading.Thread(target=self._run, name="worker", daemon=True)

    def start(self) -> None:
        self._thread.start()

    # Any thread.

    def edit(self, key: str, apply: Callable[[], None]) -> None:
        """Apply an edit of the document ``key`` as soon as possible, in the order of the calls."""
        with self._wake:
            self._edits.append((key, apply))
            self._waiting_edits[key] = self._waiting_edits.get(key, 0) + 1
            self._wake.notify()

    def background(self, work: Callable[[], None]) -> None:
        """Do ``work`` when no edit and no request waits."""
        with self._wake:
            self._background.append(work)
            self._wake.notify()

    def submit(self, task: Callable[..., T], /, *args: Any, **kwargs: Any) -> Future[T]:
        """Answer a request. ``task`` may raise `Superseded` to be called again after the edits that wait, or return a
        future of its answer, which somebody else completes.
        """
        job = Job(lambda: task(*args, **kwargs))
        with self._wake:
            self._jobs.append(job)
            self._wake.notify()
        return job

    def stop(self) -> None:
        """Finish what is being done, drop the rest: requests that wait, here or for somebody else, are cancelled."""
        with self._wake:
            self._stopping = True
            jobs, following = list(self._jobs), list(self._following)
            self._jobs.clear()
            self._edits.clear()
            self._background.clear()
            if self._current is not None:
                self._current.cancel()
            self._wake.notify()
        for job in jobs:
            if not job.cancel():
                # It had begun, and gave way.
                job.set_exception(JsonRpcRequestCancelled())
        for job in following:
            job.cancel()
        if self._thread.is_alive():
            self._thread.join(STOP_SECONDS)

    # The worker thread.

    def interrupter(self, key: str, put_back: int) -> Callable[[], bool]:
        """For a computation about the document ``key`` that has been put back that often: is it time to stop?"""
        deadline = time.perf_counter() + FIRST_SLICE_SECONDS * 2**put_back
        job = self._current

        def interrupted() -> bool:
            if job is not None and job.unwanted:
                return True
            if key in self._waiting_edits or self._stopping:
                return True
            return bool(self._edits or self._jobs) and time.perf_counter() > deadline

        return interrupted

    def _run(self) -> None:
        rested = False
        while not self._stopping:
            try:
                if self._step():
                    rested = False
                elif (wait := self._idle()) is None:
                    if self._is_quiet_for(None if rested else REST_SECONDS):
                        rested = True
                        self._rest()
                elif wait > 0.0:
                    self._is_quiet_for(wait)
            except Exception as fault:
                self._failed(fault)

    def _is_quiet_for(self, seconds: float | None) -> bool:
        """Wait for something to do; whether there was nothing for so long."""
        with self._wake:
            quiet = not (self._edits or self._jobs or self._background or self._stopping)
            return quiet and not self._wake.wait(seconds)

    def _step(self) -> bool:
        """Do the most urgent thing that waits; False when nothing waits."""
        with self._wake:
            if self._edits:
                key, work = self._edits.popleft()
                count = self._waiting_edits.pop(key) - 1
                if count:
                    self._waiting_edits[key] = count
            elif self._jobs:
                work = partial(self._answer, self._jobs.popleft())
            elif self._background:
                work = self._background.popleft()
            else:
                return False
        work()
        return True

    def _answer(self, job: Job) -> None:
        if not job.started and not job.set_running_or_notify_cancel():
            return
        if job.unwanted:
            job.set_exception(JsonRpcRequestCancelled())
            return
        job.started = True
        self._current = job
        try:
            result = job.task()
        except Superseded:
            if not self._put_back(job):
                job.set_exception(JsonRpcRequestCancelled())
        except Exception as fault:
            job.set_exception(fault)
        else:
            if isinstance(result, Future):
                self._follow(job, result)
            else:
                job.set_result(result)
        finally:
            self._current = None

    def _put_back(self, job: Job) -> bool:
        """Behind the others: it may take long, and they need not. False when nobody wants it any more."""
        with self._wake:
            wanted = not (job.unwanted or self._stopping)
            if wanted:
                self._jobs.append(job)
            return wanted

    def _follow(self, job: Job, later: Future[Any]) -> None:
        with self._wake:
            self._following.add(job)
            if self._stopping:
                job.unwanted = True
        job.add_done_callback(lambda _: self._following.discard(job))
        job.follow(later)
