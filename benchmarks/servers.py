"""Language servers side by side: all of them are running while each is asked in turn, edit by edit."""

from __future__ import annotations

import random
import shutil
import statistics
import sys
import time
from pathlib import Path

from edit_latency import places
from server_client import ServerClient

BURST, PAUSE_SECONDS = 10, 0.005
Figures = dict[str, float]
"""Milliseconds, but for ``publishes`` (a number) and ``MB`` (the peak)."""


def commands() -> dict[str, list[str]]:
    """Those that are installed."""
    found = {"pto-lsp": [sys.executable, "-m", "pto_lsp", "server"]}
    if shutil.which("ruff"):
        found["ruff"] = ["ruff", "server"]
    if shutil.which("pyright-langserver"):
        found["pyright"] = ["pyright-langserver", "--stdio"]
    return found


class Bench:
    """One server with one file open."""

    def __init__(self, command: list[str], file: Path) -> None:
        self._lines = file.read_text(encoding="utf-8").split("\n")
        self._uri, self._version = file.as_uri(), 1
        started = time.perf_counter()
        self._client = ServerClient(command, file.parent, pull=False)
        self.figures: Figures = {"start": _since(started)}
        text = "\n".join(self._lines)
        item = {"uri": self._uri, "languageId": "python", "version": 1, "text": text}
        self._client.notify("textDocument/didOpen", {"textDocument": item})
        self._found = self._client.findings(self._uri, 1)
        self.figures["cold"] = _since(started)
        self._walls: list[float] = []
        self._cpu: list[float] = []
        self._bursts: list[float] = []
        self._publishes: list[int] = []

    def edit(self, place: tuple[int, int, int, str]) -> None:
        """Make an edit, wait for its findings, and take it back."""
        for change in self._there_and_back(place):
            cpu, started = self._client.cpu(), time.perf_counter()
            self._send(change)
            self._client.findings(self._uri, self._version)
            self._walls.append(_since(started))
            self._cpu.append((self._client.cpu() - cpu) * 1000)

    def burst(self, place: tuple[int, int, int, str]) -> None:
        """Ten edits faster than anybody waits."""
        before = self._client.publishes
        for _ in range(BURST // 2):
            for change in self._there_and_back(place):
                time.sleep(PAUSE_SECONDS)
                self._send(change)
        started = time.perf_counter()
        self._client.findings(self._uri, self._version)
        self._bursts.append(_since(started))
        self._publishes.append(self._client.publishes - before)

    def finish(self) -> Figures:
        """Ask for code actions, close the server, and sum up."""
        if self._found:
            took = []
            for _ in range(10):
                started = time.perf_counter()
                params = {
                    "textDocument": {"uri": self._uri},
                    "range": self._found[0]["range"],
                    "context": {"diagnostics": self._found[:1]},
                }
                self._client.request("textDocument/codeAction", params)
                took.append(_since(started))
            self.figures["action"] = statistics.median(took)
        walls = sorted(self._walls)
        self.figures["p50"], self.figures["p95"] = statistics.median(walls), walls[int(len(walls) * 0.95)]
        self.figures["cpu"] = statistics.mean(self._cpu)
        self.figures["burst"] = statistics.median(self._bursts)
        self.figures["burst/single"] = self.figures["burst"] / self.figures["p50"]
        self.figures["publishes"] = statistics.median(self._publishes)
        self.figures["MB"] = self._client.memory()
        self._client.close()
        return {name: round(value, 2) for name, value in self.figures.items()}

    def _there_and_back(self, place: tuple[int, int, int, str]) -> list[tuple[int, int, int, str]]:
        line, column, length, new = place
        return [place, (line, column, len(new), self._lines[line][column : column + length])]

    def _send(self, change: tuple[int, int, int, str]) -> None:
        line, column, length, new = change
        self._version += 1
        place = {"start": {"line": line, "character": column}, "end": {"line": line, "character": column + length}}
        document = {"uri": self._uri, "version": self._version}
        params = {"textDocument": document, "contentChanges": [{"range": place, "text": new}]}
        self._client.notify("textDocument/didChange", params)


def measure(file: Path, edits: int, bursts: int = 8) -> dict[str, Figures]:
    """The figures of every installed server for one file."""
    text = file.read_text(encoding="utf-8")
    kinds = list(places(text).values())
    rng = random.Random(1)
    benches = {name: Bench(command, file) for name, command in commands().items()}
    for number in range(edits):
        place = rng.choice(kinds[number % len(kinds)])
        for bench in benches.values():
            bench.edit(place)
    for _ in range(bursts):
        place = rng.choice(kinds[0])
        for bench in benches.values():
            bench.burst(place)
    return {name: bench.finish() for name, bench in benches.items()}


def _since(started: float) -> float:
    return (time.perf_counter() - started) * 1000
