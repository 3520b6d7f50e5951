"""From one edit to its findings, server process included, beside a running ruff server.

    python benchmarks/edit_latency.py [--lines 1000 3300] [--edits 100] [--files PATH ...]

Edits alternate between making and healing: a body line, a signature, a module constant, a half-typed line, an imported
module. Printed per server and kind: wall milliseconds at the median and the 95th percentile; then CPU per edit and the
ratio to ruff. Needs `ruff` on the path for the comparison.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import statistics
import sys
import tempfile
import time
from pathlib import Path

from generate import SIZES, model
from server_client import ServerClient

KINDS = ("body", "signature", "constant", "broken")


def places(text: str) -> dict[str, list[tuple[int, int, int, str]]]:
    """Edits by kind: line, column, length to replace, replacement."""
    found: dict[str, list[tuple[int, int, int, str]]] = {kind: [] for kind in KINDS}
    for number, line in enumerate(text.split("\n")):
        if line.startswith("        ") and " = pl." in line and line.endswith(")"):
            found["body"].append((number, len(line), 0, " + 1"))
            found["broken"].append((number, line.index("="), len(line) - line.index("="), "= pl."))
        elif line.startswith("    ") and line.endswith("pl.FP32],"):
            found["signature"].append((number, line.index("pl.FP32"), 7, "pl.BF16"))
        elif line[:1].isupper() and line.rstrip().endswith(("64", "128")):
            found["constant"].append((number, len(line), 0, " * 2"))
    return {kind: edits for kind, edits in found.items() if edits}


def measure(command: list[str], root: Path, file: Path, edits: int, pull: bool) -> dict[str, float]:
    text = file.read_text(encoding="utf-8")
    lines = text.split("\n")
    client = ServerClient(command, root, pull)
    uri = file.as_uri()
    client.notify(
        "textDocument/didOpen", {"textDocument": {"uri": uri, "languageId": "python", "version": 1, "text": text}}
    )
    started = time.perf_counter()
    client.findings(uri, 1)
    result = {"open": (time.perf_counter() - started) * 1000}
    rng = random.Random(1)
    version = 1
    walls: dict[str, list[float]] = {}
    cpus: list[float] = []
    for kind, candidates in places(text).items():
        for _ in range(max(1, edits // len(KINDS))):
            line, column, length, new = rng.choice(candidates)
            old = lines[line][column : column + length]
            for removed, put in ((length, new), (len(new), old)):
                version += 1
                change = {
                    "range": {
                        "start": {"line": line, "character": column},
                        "end": {"line": line, "character": column + removed},
                    },
                    "text": put,
                }
                cpu, wall = client.cpu(), time.perf_counter()
                client.notify(
                    "textDocument/didChange",
                    {"textDocument": {"uri": uri, "version": version}, "contentChanges": [change]},
                )
                client.findings(uri, version)
                walls.setdefault(kind, []).append((time.perf_counter() - wall) * 1000)
                cpus.append((client.cpu() - cpu) * 1000)
    everything = sorted(wall for each in walls.values() for wall in each)
    result["p50"], result["p95"] = statistics.median(everything), everything[int(len(everything) * 0.95)]
    for kind, each in walls.items():
        result[kind] = statistics.median(each)
    result["cpu"] = statistics.mean(cpus)
    result["MB"] = client.memory()
    client.close()
    return result


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lines", type=int, nargs="*", default=[1000, 3300])
    parser.add_argument("--edits", type=int, default=100)
    parser.add_argument("--files", nargs="*", default=[], help="measure these files instead of generated ones")
    options = parser.parse_args()
    print(f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} CPUs; milliseconds")
    columns = ("open", "p50", "p95", *KINDS, "cpu", "MB")
    print(f"{'file':28} {'server':12} " + " ".join(f"{column:>9}" for column in columns))
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch)
        (root / "sizes.py").write_text(SIZES)
        files = [Path(name).resolve() for name in options.files]
        if not files:
            for lines in options.lines:
                for graph in (False, True):
                    path = root / f"{'graph' if graph else 'model'}_{lines}.py"
                    path.write_text(model(lines, graph))
                    files.append(path)
        for file in files:
            rows = {
                "pto-lsp": measure([sys.executable, "-m", "pto_lsp", "server"], file.parent, file, options.edits, True)
            }
            if shutil.which("ruff"):
                rows["ruff"] = measure(["ruff", "server"], file.parent, file, options.edits, True)
                rows["ratio"] = {
                    k: rows["pto-lsp"][k] / v for k, v in rows["ruff"].items() if v and k in rows["pto-lsp"]
                }
            for name, row in rows.items():
                cells = " ".join(f"{row[c]:9.1f}" if c in row else f"{'–':>9}" for c in columns)
                print(f"{file.name:28} {name:12} {cells}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
