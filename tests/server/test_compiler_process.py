"""The process in which documents are compiled, without a server around it."""

from __future__ import annotations

import subprocess
import sys
import time
from concurrent.futures import Future, wait
from typing import Any

import pytest

from pto_lsp.server.compiling import process
from pto_lsp.server.compiling.job import Request

REQUEST = Request("model.py", None, {}, {}, ".")


@pytest.mark.skipif(sys.platform == "win32", reason="process groups")
def test_a_job_may_be_dropped_at_any_moment_of_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    def started(request: Request) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            ["/bin/sh", "-c", "echo '{}'"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )

    def made(answer: dict[str, Any]) -> dict[str, Any]:
        return answer

    monkeypatch.setattr(process, "_start", started)
    compiler = process.Compiler(lambda job: lambda: None)
    for _ in range(100):
        answer = compiler.compile(REQUEST, made, lambda answer: None)
        assert answer.result(10) == {}
        # Its answer is out; the process is ending, has ended, or has been waited for.
        for _ in range(200):
            compiler.forget(REQUEST.path)
    compiler.stop()


@pytest.mark.skipif(sys.platform == "win32", reason="a shell")
@pytest.mark.parametrize(
    "script",
    [
        # Its last words arrive after the end of its answers.
        "exec 1>&-; sleep 0.05; echo why >&2",
        # Killed, or out of memory, while it was writing an answer, or what the C++ compiler says.
        "printf '{\"entries\": ['",
        "echo '{}'; printf '{\"complaints\": ['",
    ],
)
@pytest.mark.parametrize("dropped", [False, True])
def test_the_next_job_is_done_however_this_one_ends(
    monkeypatch: pytest.MonkeyPatch, script: str, dropped: bool
) -> None:
    scripts = {"odd.py": script, "model.py": "echo '{}'; echo '{}'"}

    def started(request: Request) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            ["/bin/sh", "-c", scripts[request.path]],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )

    monkeypatch.setattr(process, "_start", started)
    compiler = process.Compiler(lambda job: lambda: None)
    odd = Request("odd.py", None, {}, {}, ".")
    for number in range(12):
        answer = compiler.compile(odd, dict, lambda answer: None)
        if dropped:
            time.sleep(number * 0.008)
            compiler.forget(odd.path)
        else:
            wait([answer], 10)
        assert compiler.compile(REQUEST, dict, lambda answer: None).result(10) == {}
        assert answer.done()
    compiler.stop()


def test_a_job_whose_process_cannot_be_started_may_be_dropped_meanwhile(monkeypatch: pytest.MonkeyPatch) -> None:
    def started(request: Request) -> subprocess.Popen[bytes]:
        if request.path == "odd.py":
            answers[-1].cancel()
            raise OSError("no more processes")
        return subprocess.Popen(
            [sys.executable, "-c", "print('{}')"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    answers: list[Future[dict[str, Any]]] = []
    monkeypatch.setattr(process, "_start", started)
    compiler = process.Compiler(lambda job: lambda: None)
    with compiler._wake:
        answers.append(compiler.compile(Request("odd.py", None, {}, {}, "."), dict, lambda answer: None))
    assert compiler.compile(REQUEST, dict, lambda answer: None).result(10) == {}
    assert answers[0].cancelled()
