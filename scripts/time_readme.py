"""How long each command of the README takes in a fresh copy and a fresh environment; they run in the order of the page.

    python scripts/time_readme.py [--without-tests]

Needs a package index. Prints one line a command: seconds, exit code, the command. Exits with 1 when one failed.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
_NEEDS = {"pto-lsp run": "pip install --quiet '.[run]'"}
"""What the page says beside a command that has to be done before."""
_MARKED = re.compile(r"(?:<!-- command: (?P<name>\w+) -->\n)?```sh\n(?P<body>.*?)```", re.DOTALL)


def commands(readme: str) -> list[tuple[str, str]]:
    """Name, empty for most, and text of each command."""
    return [(found["name"] or "", line) for found in _MARKED.finditer(readme) for line in found["body"].splitlines()]


def copy(target: Path) -> None:
    """What is tracked, and what is new and not ignored."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=True,
    )
    for name in filter(None, listed.stdout.decode().split("\0")):
        if (ROOT / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            (target / name).write_bytes((ROOT / name).read_bytes())


def shell(command: str, folder: Path, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    words = ["bash", "-euo", "pipefail", "-c", command]
    return subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--without-tests", action="store_true", help="leave out the command that runs all tests")
    options = parser.parse_args()
    failed = False
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        copy(folder)
        # As after activating the environment that the first command makes.
        environment = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "VIRTUAL_ENV")}
        environment["PATH"] = f"{folder / '.venv' / 'bin'}{os.pathsep}{environment['PATH']}"
        environment["PTO_LSP_CACHE_DIR"] = str(folder / ".results")
        for name, command in commands((ROOT / "README.md").read_text(encoding="utf-8")):
            if name == "test" and options.without_tests:
                continue
            before = next((need for start, need in _NEEDS.items() if command.startswith(start)), None)
            if before is not None:
                shell(before, folder, environment)
            started = time.monotonic()
            done = shell(command, folder, environment)
            failed = failed or done.returncode != 0
            print(f"{time.monotonic() - started:8.1f} s  exit {done.returncode}  {command}", flush=True)
            if done.returncode:
                print(done.stdout[-2000:] + done.stderr[-2000:])
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
