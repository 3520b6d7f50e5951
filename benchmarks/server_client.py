"""A language server process over stdio, with the CPU time it uses (Linux)."""

from __future__ import annotations

import json
import os
import subprocess
import time
from pathlib import Path
from typing import Any


class ServerClient:
    """Closed loop: one request or edit at a time. ``publishes`` counts the findings that were pushed."""

    def __init__(self, command: list[str], root: Path, pull: bool) -> None:
        self._pull = pull
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=root
        )
        self._next = 0
        self.publishes = 0
        document: dict[str, Any] = {"publishDiagnostics": {"versionSupport": True}}
        if pull:
            document["diagnostic"] = {"dynamicRegistration": False}
        self.request(
            "initialize",
            {"processId": os.getpid(), "rootUri": root.as_uri(), "capabilities": {"textDocument": document}},
        )
        self.notify("initialized", {})

    def _send(self, message: dict[str, Any]) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self._process.stdin is not None
        self._process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self._process.stdin.flush()

    def _receive(self) -> dict[str, Any]:
        stream = self._process.stdout
        assert stream is not None
        length = 0
        while True:
            line = stream.readline()
            if not line:
                raise RuntimeError("the server has gone")
            if line in (b"\r\n", b"\n"):
                break
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
        found: dict[str, Any] = json.loads(stream.read(length))
        return found

    def notify(self, method: str, params: Any) -> None:
        self._send({"method": method, "params": params})

    def request(self, method: str, params: Any) -> Any:
        self._next += 1
        self._send({"id": self._next, "method": method, "params": params})
        while True:
            message = self._receive()
            if message.get("id") == self._next and "method" not in message:
                return message.get("result")
            self._answer(message)

    def _answer(self, message: dict[str, Any]) -> None:
        if "id" in message and "method" in message:
            items = message.get("params", {}).get("items", []) if isinstance(message.get("params"), dict) else []
            self._send({"id": message["id"], "result": [None] * len(items) if items else None})

    def findings(self, uri: str, version: int) -> list[dict[str, Any]]:
        """The findings of ``version``."""
        if self._pull:
            answer = self.request("textDocument/diagnostic", {"textDocument": {"uri": uri}})
            found: list[dict[str, Any]] = answer.get("items", [])
            return found
        while True:
            message = self._receive()
            params = message.get("params") or {}
            if message.get("method") == "textDocument/publishDiagnostics" and params.get("uri") == uri:
                self.publishes += 1
                if params.get("version") == version:
                    pushed: list[dict[str, Any]] = params["diagnostics"]
                    return pushed
            else:
                self._answer(message)

    def cpu(self) -> float:
        """CPU seconds of the server so far, those of processes that it has started included."""
        ticks = 0
        for pid in self._processes():
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            ticks += int(fields[11]) + int(fields[12])
        return ticks / os.sysconf("SC_CLK_TCK")

    def memory(self) -> float:
        """Peak resident MB."""
        return sum(self._status(pid, "VmHWM") for pid in self._processes())

    def resident(self) -> float:
        """Resident MB now."""
        return sum(self._status(pid, "VmRSS") for pid in self._processes())

    def _processes(self) -> list[int]:
        # A launcher may have started the server proper.
        found = [self._process.pid]
        for pid in found:
            for children in Path(f"/proc/{pid}/task").glob("*/children"):
                found.extend(int(child) for child in children.read_text().split())
        return found

    @staticmethod
    def _status(pid: int, field: str) -> float:
        text = Path(f"/proc/{pid}/status").read_text()
        return int(text.split(f"{field}:")[1].split()[0]) / 1024 if field in text else 0.0

    def close(self) -> None:
        self.request("shutdown", None)
        self.notify("exit", None)
        deadline = time.monotonic() + 5
        while self._process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.01)
        self._process.kill()
