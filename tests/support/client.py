"""A language client without any library: what it sends is exactly what the test says, in exactly that order."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

from tests.support.prepared import POSSIBLE, Prepared

REAL = [sys.executable, "-m", "pto_lsp"]
LAUNCH = Path(__file__).with_name("launch.py")
FAKE = [sys.executable, str(LAUNCH)]
TIMEOUT = 20.0

Message = dict[str, Any]

CAPABILITIES: Message = {
    "textDocument": {
        "publishDiagnostics": {
            "relatedInformation": True,
            "codeDescriptionSupport": True,
            "tagSupport": {"valueSet": [1, 2]},
        }
    }
}
PULLING: Message = {"textDocument": {**CAPABILITIES["textDocument"], "diagnostic": {}}}


def started(
    command: list[str], cwd: Path | None = None, env: dict[str, str] | None = None, from_start: bool = False
) -> subprocess.Popen[bytes] | Prepared:
    """A process with three pipes; one that is prepared where that makes no difference."""
    if POSSIBLE and not from_start:
        for kind, beginning in (("real", REAL), ("fake", FAKE)):
            if command[: len(beginning)] == beginning:
                return Prepared(kind, command[len(beginning) :], cwd, env)
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, cwd=cwd, env=env)


class RawClient:
    """One server process. ``received`` holds every message from it, in order."""

    def __init__(
        self,
        command: list[str] | None = None,
        *,
        cwd: Path | None = None,
        env: dict[str, str] | None = None,
        from_start: bool = False,
    ) -> None:
        """``command`` defaults to a server with the fake analysis. With ``from_start`` Python starts anew for it."""
        self.process = started(command or FAKE, cwd, env, from_start)
        self.received: list[Message] = []
        self.stderr = b""
        self.applies = True
        self.answers = True
        self._inbox: queue.Queue[Message | None] = queue.Queue()
        self._identity = 0
        threading.Thread(target=self._read, daemon=True).start()
        self._errors = threading.Thread(target=self._read_errors, daemon=True)
        self._errors.start()

    def _read(self) -> None:
        stream = self.process.stdout
        assert stream is not None
        while True:
            length = 0
            while (line := stream.readline().strip()) != b"":
                name, _, value = line.partition(b":")
                assert name in (b"Content-Length", b"Content-Type"), line
                if name == b"Content-Length":
                    length = int(value)
            if not length:
                self._inbox.put(None)
                return
            self._inbox.put(json.loads(stream.read(length)))

    def _read_errors(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.stderr += line

    def send_bytes(self, body: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def send(self, message: Message) -> None:
        self.send_bytes(json.dumps({"jsonrpc": "2.0", **message}).encode())

    def notify(self, method: str, params: Any) -> None:
        self.send({"method": method, "params": params})

    def request(self, method: str, params: Any) -> int:
        self._identity += 1
        self.send({"id": self._identity, "method": method, "params": params})
        return self._identity

    def next(self, timeout: float = TIMEOUT) -> Message:
        """The next message; requests of the server are answered: edits are said to be applied, else with null."""
        message = self._inbox.get(timeout=timeout)
        assert message is not None, f"the server has closed its output; {self.stderr.decode()}"
        self.received.append(message)
        if self.answers and "method" in message and "id" in message:
            result = {"applied": self.applies} if message["method"] == "workspace/applyEdit" else None
            self.send({"id": message["id"], "result": result})
        return message

    def answer(self, identity: int) -> Message:
        """The answer to a request; what else arrives is kept in ``received``."""
        for message in self.received:
            if message.get("id") == identity and "method" not in message:
                return message
        while True:
            message = self.next()
            if message.get("id") == identity and "method" not in message:
                return message

    def ask(self, method: str, params: Any) -> Message:
        return self.answer(self.request(method, params))

    def published(self, uri: str, version: int | None = None) -> list[Message]:
        """The findings of the first publication for that document (and version) from now on."""
        while True:
            message = self.next()
            params = message.get("params") or {}
            if message.get("method") != "textDocument/publishDiagnostics" or params["uri"] != uri:
                continue
            if version is None or params.get("version") == version:
                found: list[Message] = params["diagnostics"]
                return found

    def quiet(self, seconds: float = 0.3) -> list[Message]:
        """What arrives within that time."""
        before, end = len(self.received), time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            try:
                self.next(left)
            except queue.Empty:
                break
        return self.received[before:]

    def initialize(self, capabilities: Message | None = None, **params: Any) -> Message:
        abilities = CAPABILITIES if capabilities is None else capabilities
        values = {"processId": os.getpid(), "rootUri": None, "capabilities": abilities, **params}
        result: Message = self.ask("initialize", values)["result"]["capabilities"]
        self.notify("initialized", {})
        return result

    def open(self, uri: str, text: str, version: int = 1) -> None:
        document = {"uri": uri, "languageId": "python", "version": version, "text": text}
        self.notify("textDocument/didOpen", {"textDocument": document})

    def change(self, uri: str, version: int, *changes: Message | str) -> None:
        """Each change is a whole text, or a message part with a range."""
        parts = [{"text": change} if isinstance(change, str) else change for change in changes]
        params = {"textDocument": {"uri": uri, "version": version}, "contentChanges": parts}
        self.notify("textDocument/didChange", params)

    def close(self, uri: str) -> None:
        self.notify("textDocument/didClose", {"textDocument": {"uri": uri}})

    def pull(self, uri: str, previous: str | None = None) -> int:
        params: Message = {"textDocument": {"uri": uri}}
        if previous is not None:
            params["previousResultId"] = previous
        return self.request("textDocument/diagnostic", params)

    def cpu(self) -> float:
        """CPU seconds of the server so far, where the system tells; else those of the clock."""
        try:
            fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            return time.monotonic()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def leave(self) -> int:
        """Shut down in order; the exit code."""
        self.ask("shutdown", None)
        self.notify("exit", None)
        code = self.process.wait(TIMEOUT)
        # What it has said last may still be on its way.
        self._errors.join(TIMEOUT)
        return code

    def __enter__(self) -> RawClient:
        return self

    def __exit__(self, *error: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        for stream in (self.process.stdin, self.process.stdout):
            assert stream is not None
            stream.close()


def edit(start: tuple[int, int], end: tuple[int, int], text: str) -> Message:
    """A change of a range: (line, character) in the client's units."""
    place = {name: {"line": at[0], "character": at[1]} for name, at in (("start", start), ("end", end))}
    return {"range": place, "text": text}
