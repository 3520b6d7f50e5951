"""From one edit to its findings, server process included, beside a running ruff server, by what is edited.

    python benchmarks/edit_latency.py [--lines 1000 3300] [--function 700] [--edits 100] [--files PATH ...]

Every edit is made and taken back. Kinds: a line of device code, a line of the orchestration around it, a signature, a
module constant, a module that is imported, a line that breaks; and what people do most, *typed*: the right side of a
statement is deleted and typed again, each character an edit. Printed per kind: wall milliseconds at the median, the
95th percentile and the worst, the same of ruff, and the ratio of the medians; then CPU per edit and the peak of memory.
Needs `ruff` on the path for the comparison. ``--function`` is the length of a single orchestration function,
which is an entry by itself in one file, and spliced into two entries in another.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from generate import SIZES, model, orchestration
from server_client import ServerClient

Edit = tuple[int, int, int, str]
"""Line, column, length to replace, replacement."""

KINDS = ("body", "host", "signature", "constant", "broken")
TYPED = "typed"
_TYPED_LINES = 20
_TYPE = re.compile(r"pl\.(FP32|BF16)\]")
_CONSTANT = re.compile(r"[A-Z][A-Z0-9_]* = [A-Z0-9_ */]*[A-Z0-9]$")
_SIGNATURE_INDENT = 4


def places(text: str) -> dict[str, list[Edit]]:
    """Edits by kind."""
    found: dict[str, list[Edit]] = {kind: [] for kind in KINDS}
    device = -1
    for number, line in enumerate(text.split("\n")):
        indent = len(line) - len(line.lstrip())
        if not line.strip():
            continue
        if indent <= device:
            device = -1
        if line.lstrip().startswith(("with pl.at", "for ")) and ("pl.at(" in line or "pl.spmd(" in line):
            device = indent
        elif indent >= _SIGNATURE_INDENT and " = " in line and line.endswith(")") and "pl." in line:
            kind = "body" if device >= 0 else "host"
            found[kind].append((number, len(line), 0, " + 1"))
            found["broken"].append((number, line.index("="), len(line) - line.index("="), "= pl."))
        elif indent == _SIGNATURE_INDENT and line.endswith(",") and (shape := _TYPE.search(line)) is not None:
            other = "BF16" if shape[1] == "FP32" else "FP32"
            found["signature"].append((number, shape.start(1), 4, other))
        elif indent == 0 and _CONSTANT.match(line):
            found["constant"].append((number, len(line), 0, " * 2"))
    return {kind: edits for kind, edits in found.items() if edits}


def statements(file: Path) -> list[tuple[int, int]]:
    """Where the right sides of some statements begin: line and column."""
    text = file.read_text(encoding="utf-8")
    kinds, lines = places(text), text.split("\n")
    found = sorted({line for kind in ("body", "host") for line, *_ in kinds.get(kind, ())})
    chosen = random.Random(2).sample(found, min(_TYPED_LINES, len(found)))
    return [(line, lines[line].index(" = ") + 3) for line in chosen]


class Module(NamedTuple):
    """A file that the measured one imports, and an edit of it."""

    path: Path
    edit: Edit


class Session:
    """One server with one file open, and the module it imports."""

    def __init__(self, command: list[str], file: Path, imported: Module | None) -> None:
        self._file, self._imported = file, imported
        self._client = ServerClient(command, file.parent, pull=True)
        self._texts: dict[Path, list[str]] = {}
        self._versions: dict[Path, int] = {}
        started = time.perf_counter()
        for path in (file, *([imported.path] if imported is not None else ())):
            self._open(path)
        self._client.findings(file.as_uri(), 1)
        self.opened = _since(started)
        self.walls: dict[str, list[float]] = {}
        self.cpu: list[float] = []

    def _open(self, path: Path) -> None:
        text = path.read_text(encoding="utf-8")
        self._texts[path], self._versions[path] = text.split("\n"), 1
        item = {"uri": path.as_uri(), "languageId": "python", "version": 1, "text": text}
        self._client.notify("textDocument/didOpen", {"textDocument": item})

    def edit(self, kind: str, path: Path, edit: Edit) -> None:
        """Make an edit and take it back."""
        line, column, length, new = edit
        old = self._texts[path][line][column : column + length]
        self._change(kind, path, edit)
        self._change(kind, path, (line, column, len(new), old))

    def retype(self, line: int, column: int) -> None:
        """Delete the rest of a line of the measured file and type it again."""
        rest = self._texts[self._file][line][column:]
        self._change(TYPED, self._file, (line, column, len(rest), ""))
        for offset, character in enumerate(rest):
            self._change(TYPED, self._file, (line, column + offset, 0, character))

    def _change(self, kind: str, path: Path, edit: Edit) -> None:
        """Wait for what the measured file says to the edit."""
        line, column, length, new = edit
        self._versions[path] += 1
        place = {"start": {"line": line, "character": column}, "end": {"line": line, "character": column + length}}
        document = {"uri": path.as_uri(), "version": self._versions[path]}
        cpu, started = self._client.cpu(), time.perf_counter()
        change = {"textDocument": document, "contentChanges": [{"range": place, "text": new}]}
        self._client.notify("textDocument/didChange", change)
        self._client.findings(self._file.as_uri(), self._versions[self._file])
        self.walls.setdefault(kind, []).append(_since(started))
        self.cpu.append((self._client.cpu() - cpu) * 1000)

    def close(self) -> float:
        """Ends the server; the peak of its memory in MB."""
        memory = self._client.memory()
        self._client.close()
        return memory


def edits(file: Path, imported: Module | None, count: int) -> Iterator[tuple[str, Path, Edit]]:
    """``count`` edits of every kind, in turn."""
    rng = random.Random(1)
    kinds = places(file.read_text(encoding="utf-8"))
    for _ in range(count):
        for kind, candidates in kinds.items():
            yield kind, file, rng.choice(candidates)
        if imported is not None:
            yield "imported", imported.path, imported.edit


def measure(file: Path, imported: Module | None, count: int) -> None:
    commands = {"pto-lsp": [sys.executable, "-m", "pto_lsp", "server"]}
    if shutil.which("ruff"):
        commands["ruff"] = ["ruff", "server"]
    sessions = {name: Session(command, file, imported) for name, command in commands.items()}
    for kind, path, edit in edits(file, imported, count):
        for session in sessions.values():
            session.edit(kind, path, edit)
    for line, column in statements(file):
        for session in sessions.values():
            session.retype(line, column)
    lines = file.read_text(encoding="utf-8").count("\n")
    print(f"{file.name}, {lines} lines")
    mine, other = sessions["pto-lsp"], sessions.get("ruff")
    for kind in (*mine.walls, "all"):
        row = _quantiles(_all(mine) if kind == "all" else mine.walls[kind])
        cells = _cells(row)
        if other is not None:
            theirs = _quantiles(_all(other) if kind == "all" else other.walls[kind])
            cells += _cells(theirs) + f" {row[0] / theirs[0]:7.1f}"
        print(f"  {kind:10} {cells}")
    for name, session in sessions.items():
        cpu = sorted(session.cpu)
        print(
            f"  {name}: open {session.opened:.0f}, CPU per edit {statistics.mean(cpu):.1f} "
            f"(95th percentile {cpu[int(len(cpu) * 0.95)]:.0f}), peak {session.close():.0f} MB"
        )


def _all(session: Session) -> list[float]:
    return [wall for walls in session.walls.values() for wall in walls]


def _quantiles(walls: list[float]) -> tuple[float, float, float]:
    ordered = sorted(walls)
    return statistics.median(ordered), ordered[int(len(ordered) * 0.95)], ordered[-1]


def _cells(row: tuple[float, float, float]) -> str:
    return "".join(f" {value:8.1f}" for value in row)


def _since(started: float) -> float:
    return (time.perf_counter() - started) * 1000


def generated(folder: Path, lines: list[int], function: int) -> Iterator[Path]:
    for size in lines:
        for graph in (False, True):
            path = folder / f"{'graph' if graph else 'model'}_{size}.py"
            path.write_text(model(size, graph))
            yield path
    for name, spliced in (("entry", False), ("spliced", True)) if function else ():
        path = folder / f"{name}_{function}.py"
        path.write_text(orchestration(function, spliced))
        yield path


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lines", type=int, nargs="*", default=[1000, 3300])
    parser.add_argument("--function", type=int, default=700)
    parser.add_argument("--edits", type=int, default=100, help="of all kinds together, each made and taken back")
    parser.add_argument("--files", nargs="*", default=[], help="measure these files instead of generated ones")
    options = parser.parse_args()
    print(f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} CPUs; milliseconds")
    titles = "".join(f" {title:>8}" for title in ("p50", "p95", "max"))
    print(f"  {'':10} {titles}{titles}   ratio   (pto-lsp, ruff)")
    count = max(1, options.edits // (len(KINDS) + 1))
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        sizes = folder / "sizes.py"
        sizes.write_text(SIZES)
        line = SIZES.split("\n").index("    hidden: int = 1024")
        module = Module(sizes, (line, len("    hidden: int = 1024"), 0, " * 2"))
        for name in options.files:
            measure(Path(name).resolve(), None, count)
        if not options.files:
            for file in generated(folder, options.lines, options.function):
                measure(file, module, count)
    return 0


if __name__ == "__main__":
    sys.exit(main())
