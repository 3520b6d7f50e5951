"""Messages of every kind in every state of a real server process: each request is answered, nothing pops up."""

from __future__ import annotations

import json
import os
import queue
import random
import sys
import time
from collections.abc import Sequence
from typing import Any

from tests.robustness.fuzzing.corpus import ROOT, Source
from tests.robustness.fuzzing.edits import random_edit
from tests.robustness.fuzzing.messages import LANGUAGE_REQUESTS, Messages, mutated
from tests.robustness.fuzzing.report import LIMIT_SECONDS, Report
from tests.support.client import TIMEOUT, Message, RawClient

_ANSWERED_BY_REFUSAL = {-32700, -32600, -32601, -32602, -32002, -32800, -32801, -32802, -32803}
"""Error codes that are an answer. -32603, an internal error, is a fault of the server."""
_SERVER = [sys.executable, "-m", "pto_lsp", "server"]


def run(seed: int, sources: Sequence[Source], report: Report, messages: int = 150) -> None:
    """One server from its start to its end."""
    _Run(seed, sources, report, messages).run()


class _Run:
    def __init__(self, seed: int, sources: Sequence[Source], report: Report, messages: int) -> None:
        self._seed, self._report, self._count = seed, report, messages
        self._rng = random.Random(seed)
        usable = [source for source in sources if len(source.text) < 20_000] or list(sources)
        self._messages = Messages(self._rng, self._rng.choices(usable, k=3))
        self._log: list[str] = []
        self._pending: dict[int, str] = {}
        self._others = [source.text for source in usable[:5]]

    def run(self) -> None:
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONHASHSEED": str(self._seed % 1000)}
        with RawClient(_SERVER, env=environment, cwd=ROOT) as client:
            self._client = client
            try:
                self._life()
            except queue.Empty:
                self._silent()
            except (AssertionError, OSError) as fault:
                self._fail(f"{type(fault).__name__}: {fault}")

    def _silent(self) -> None:
        """No answer for long: on a machine with too much to do it only has not had its turn."""
        try:
            self._client.next(6 * TIMEOUT)
            self._report.counts["starved rounds of protocol"] += 1
        except queue.Empty:
            self._fail("no answer")

    def _life(self) -> None:
        rng, client = self._rng, self._client
        for _ in range(rng.randint(0, 5)):
            first = {
                "method": "initialize",
                "params": {"processId": None, "capabilities": self._messages.capabilities()},
            }
            broken = {**first, "params": {**first["params"], "processId": "nobody"}}
            self._send(broken if rng.random() < 0.3 else self._messages.any_message())
        self._client.initialize(self._messages.capabilities())
        for source in self._messages.sources:
            self._send(self._messages.opening(source))
        for number in range(self._count):
            self._report.counts["message"] += 1
            self._one()
            if number % 10 == 9:
                self._ping()
        self._drain()
        end = rng.randrange(3)
        if end == 0:
            client.ask("shutdown", None)
            for _ in range(rng.randint(0, 5)):
                self._send(self._messages.any_message())
            self._drain()
            client.notify("exit", None)
        elif end == 1:
            client.notify("exit", None)
        else:
            assert client.process.stdin is not None
            client.process.stdin.close()
        code = client.process.wait(TIMEOUT)
        if code != (0 if end == 0 else 1):
            self._fail(f"exit code {code} after {('shutdown and exit', 'exit', 'the end of the input')[end]}")
        if b"Traceback" in client.stderr:
            self._fail(_first_traceback(client.stderr.decode(errors="replace")))

    def _one(self) -> None:
        rng, made = self._rng, self._messages
        kind = rng.random()
        if kind < 0.3:
            source = rng.choice(made.sources)
            self._send(made.change(source.path, random_edit(rng, made.texts[source.path], self._others)))
        elif kind < 0.6:
            self._send(made.language_request(rng.choice(LANGUAGE_REQUESTS)))
        elif kind < 0.7:
            self._follow_up()
        elif kind < 0.85:
            self._send(mutated(rng, made.any_message()))
        elif kind < 0.9:
            self._client.send_bytes(rng.choice((b"{", b"[]", b"null", b"\xff", b"", b'{"id":1}', b"[" * 5000)))
        elif kind < 0.95 and self._pending:
            self._send({"method": "$/cancelRequest", "params": {"id": rng.choice(list(self._pending))}})
        else:
            self._send(made.any_message())

    def _follow_up(self) -> None:
        """Ask for the actions at a place, and for the edit of one of them."""
        rng, made = self._rng, self._messages
        answer = self._client.answer(self._send(made.language_request("textDocument/codeAction")) or 0)
        self._settle_answers()
        actions = answer.get("result") or []
        if actions:
            action = rng.choice(actions)
            self._send(
                {"method": "codeAction/resolve", "params": mutated(rng, action) if rng.random() < 0.3 else action}
            )

    def _send(self, message: Message) -> int | None:
        """Send a message; the number of the request that it is, None for a notification."""
        message = dict(message)
        identity = None
        method = message.get("method")
        if isinstance(method, str) and Messages.is_request(method):
            self._client._identity += 1
            identity = message["id"] = self._client._identity
            self._pending[identity] = method
        self._log.append(json.dumps(message)[:2000])
        self._client.send_bytes(json.dumps({"jsonrpc": "2.0", **message}).encode())
        return identity

    def _ping(self) -> None:
        """What was sent so far has been taken in, and a request is answered."""
        before = self._client.cpu()
        began = time.monotonic()
        self._client.ask(
            "textDocument/hover", {"textDocument": {"uri": "file:///never_opened.py"}, "position": _ORIGIN}
        )
        took = min(self._client.cpu() - before, time.monotonic() - began)
        kind = "message"
        self._report.slowest[kind] = max(self._report.slowest.get(kind, 0.0), took)
        # Behind ten messages, each of which may have asked for something.
        if took > 10 * LIMIT_SECONDS:
            self._fail(f"ten messages took {took:.2f} s")
        self._settle_answers()

    def _drain(self) -> None:
        """Every request is answered in the end."""
        self._ping()
        while self._pending:
            self._client.next(TIMEOUT)
            self._settle_answers()

    def _settle_answers(self) -> None:
        for message in self._client.received:
            method = message.get("method")
            if method == "window/showMessage" or method == "window/showMessageRequest":
                self._fail(f"a pop-up: {message['params']}")
            elif method == "window/logMessage" and "internal error" in message["params"]["message"]:
                self._fail(message["params"]["message"])
            elif method is None and isinstance(message.get("id"), int):
                asked = self._pending.pop(message["id"], None)
                error = message.get("error")
                if asked is not None and error is not None and error["code"] not in _ANSWERED_BY_REFUSAL:
                    self._fail(f"{asked}: {error}")
        self._client.received.clear()

    def _fail(self, what: str) -> None:
        self._report.fail("protocol", self._seed, len(self._log), what, "\n".join(self._log[-60:]))


_ORIGIN: dict[str, Any] = {"line": 0, "character": 0}


def _first_traceback(text: str) -> str:
    """Up to the line that names the exception: what the server logs goes on behind it."""
    lines = text[text.index("Traceback") :].split("\n")
    inside = [number for number, line in enumerate(lines) if number and not line.startswith(" ")]
    return "\n".join(lines[: inside[0] + 1]) if inside else "\n".join(lines)
