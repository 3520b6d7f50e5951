"""The process in which documents are compiled, without a server around it."""

from __future__ import annotations

import subprocess
import sys
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
