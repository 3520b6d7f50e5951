"""When the worker does what may keep the next edit waiting."""

from __future__ import annotations

import threading

import pytest

from pto_lsp.server import worker as module
from pto_lsp.server.worker import Worker


def _unexpected(fault: BaseException) -> None:
    raise fault


def test_the_worker_rests_once_after_every_piece_of_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "REST_SECONDS", 0.01)
    rests: list[int] = []
    rested = threading.Event()
    done: list[int] = []

    def rest() -> None:
        rests.append(len(done))
        rested.set()

    worker = Worker(lambda: None, _unexpected, rest)
    worker.start()
    for number in (1, 2):
        rested.clear()
        worker.edit("/a.py", lambda number=number: done.append(number))  # type: ignore[misc]
        assert rested.wait(5)
        # Another rest would be due many times over by now.
        assert not threading.Event().wait(0.1)
        assert rests[-1] == number
    worker.stop()
    assert rests in ([1, 2], [0, 1, 2])
