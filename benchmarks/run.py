"""Everything that is measured, in one table beside ruff and pyright.

    python benchmarks/run.py [--quick] [--files PATH ...] [--folder PATH] [--history FILE]

Servers are started side by side and asked in turn; tools that are not installed are named and left out. ``--files`` are
measured instead of generated models, ``--folder`` instead of 300 generated files. ``--history`` gets the result as one
more line of JSON, for comparison with later runs.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import command_lines
import goals
import memory
import servers
from generate import SIZES, model

from pto_lsp import __version__

TOOLS = ("pto-lsp", "ruff", "pyright")


def generated(folder: Path, sizes: list[int]) -> list[Path]:
    (folder / "sizes.py").write_text(SIZES)
    found = []
    for size in sizes:
        path = folder / f"graph_{size}.py"
        path.write_text(model(size, graph=True))
        found.append(path)
    return found


def many(folder: Path, count: int) -> list[Path]:
    """Files as a project has them: one in three a model, the others without PyPTO."""
    (folder / "many").mkdir()
    found = generated(folder / "many", [])
    for number in range(count):
        path = folder / "many" / f"module_{number:03}.py"
        path.write_text(model(600, graph=number % 2 == 0, seed=number) if number % 3 == 0 else "import os\n" * 600)
        found.append(path)
    return found


def print_row(name: str, figures: dict[str, float], goal: goals.Goal | None) -> None:
    cells = " ".join(f"{figures[tool]:>10.1f}" if tool in figures else f"{'–':>10}" for tool in TOOLS)
    wanted = f"{goal.goal:>8g} {goal.floor:>8g}  {goal.verdict(figures['pto-lsp'])}" if goal is not None else ""
    print(f"{name:44} {cells} {wanted}", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="fewer runs, the small file only")
    parser.add_argument("--files", nargs="*", default=[])
    parser.add_argument("--folder")
    parser.add_argument("--history", type=Path)
    options = parser.parse_args()
    for tool in sorted(set(TOOLS) - set(servers.commands())):
        print(f"{tool} is not installed: left out")
    print(f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} CPUs; milliseconds unless said otherwise")
    print(f"{'':44} " + " ".join(f"{tool:>10}" for tool in TOOLS) + f" {'goal':>8} {'floor':>8}")
    result: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        files = [Path(name).resolve() for name in options.files]
        files = files or generated(folder, [1000] if options.quick else [1000, 3300])
        for file in files:
            lines = file.read_text(encoding="utf-8").count("\n")
            measured = servers.measure(file, 8 if options.quick else 40, 2 if options.quick else 8)
            result[file.name] = measured
            for figure in ("start", "cold", "p50", "p95", "cpu", "burst", "burst/single", "publishes", "action", "MB"):
                row = {tool: each[figure] for tool, each in measured.items() if figure in each}
                if "pto-lsp" in row:
                    print_row(f"{file.name}, {lines} lines: {figure}", row, goals.for_lines(figure, lines))
        plain = folder / "plain.py"
        plain.write_text("import os\n" * 300)
        batch = (
            sorted(Path(options.folder).rglob("*.py")) if options.folder else many(folder, 30 if options.quick else 300)
        )
        lines_of_code = command_lines.measure(folder, plain, files[0], batch, 3 if options.quick else 9)
        result["command line"] = lines_of_code
        for quantity, tools in lines_of_code.items():
            row = {tool: each["wall"] for tool, each in tools.items()}
            print_row(
                f"check, {quantity}" + (f" ({len(batch)})" if "many" in quantity else ""),
                row,
                goals.COMMAND_LINE[quantity],
            )
        sizes = memory.growth(files[0], 200 if options.quick else 2000)
        result["memory"] = sizes
        print(f"resident MB over {200 if options.quick else 2000} edits: " + " ".join(f"{size:.0f}" for size in sizes))
    if options.history:
        keep(options.history, result)
    return 0


def keep(history: Path, result: dict[str, Any]) -> None:
    about = {
        "date": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "version": __version__,
        "python": platform.python_version(),
        "cpus": os.cpu_count(),
        "load": round(os.getloadavg()[0], 1),
    }
    with history.open("a", encoding="utf-8") as file:
        file.write(json.dumps({**about, **result}) + "\n")


if __name__ == "__main__":
    sys.exit(main())
