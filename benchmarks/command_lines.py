"""Command lines: wall and CPU milliseconds of whole processes, each tool in turn."""

from __future__ import annotations

import os
import resource
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path

Figures = dict[str, float]
_PTO = [sys.executable, "-m", "pto_lsp", "check", "--exit-zero"]


def _ruff() -> list[str]:
    return ["ruff", "check", "--exit-zero", "--quiet"] if shutil.which("ruff") else []


def _pyright() -> list[str]:
    return ["pyright"] if shutil.which("pyright") else []


def once(words: list[str], folder: Path, environment: dict[str, str]) -> tuple[float, float]:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    started = time.perf_counter()
    subprocess.run(words, cwd=folder, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wall = (time.perf_counter() - started) * 1000
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1000


def timed(words: list[str], folder: Path, runs: int) -> Figures:
    """The median of ``runs`` after one that is not counted."""
    environment = {**os.environ, "PTO_LSP_CACHE_DIR": str(folder / ".results")}
    once(words, folder, environment)
    found = [once(words, folder, environment) for _ in range(runs)]
    wall, cpu = (statistics.median(part) for part in zip(*found))
    return {"wall": round(wall, 1), "cpu": round(cpu, 1)}


def measure(folder: Path, plain: Path, model: Path, many: list[Path], runs: int) -> dict[str, dict[str, Figures]]:
    """By quantity and tool. ``plain`` holds nothing of the DSL; ``many`` are the files of the last two quantities."""
    names = [str(path) for path in many]
    found: dict[str, dict[str, Figures]] = {}
    for quantity, paths, options in (
        ("file without PyPTO code", [str(plain)], ["--no-cache"]),
        ("one DSL file", [str(model)], ["--no-cache"]),
        ("many files", names, ["--no-cache"]),
        ("many files, cached", names, []),
    ):
        repeat = runs if len(paths) == 1 or not options else max(1, runs // 3)
        tools = {"pto-lsp": [*_PTO, *options], "ruff": _ruff() and [*_ruff(), *options]}
        if len(paths) == 1:
            tools["pyright"] = _pyright()
        found[quantity] = {name: timed([*tool, *paths], folder, repeat) for name, tool in tools.items() if tool}
    return found
