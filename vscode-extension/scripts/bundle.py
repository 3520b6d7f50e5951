"""Puts pto-lsp and its libraries into ``bundled/``, where the extension looks when an interpreter has none.

Compiled modules carry the version of Python in their names, so one folder serves all versions of one platform.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

EXTENSION = Path(__file__).resolve().parents[1]
FOLDER = EXTENSION / "bundled"
VERSIONS = ("3.10", "3.11", "3.12", "3.13", "3.14")
BACKPORTS = {"3.10": ("tomli", "exceptiongroup")}
"""What only an older Python needs: pip judges such conditions by the Python it runs on, not by that it installs for."""


def main() -> int:
    shutil.rmtree(FOLDER, ignore_errors=True)
    with tempfile.TemporaryDirectory() as wheels:
        pip("wheel", "--quiet", "--no-deps", "--wheel-dir", wheels, str(EXTENSION.parent))
        (wheel,) = Path(wheels).glob("pto_lsp-*.whl")
        done = [version for version in VERSIONS if install(version, wheel)]
    for unneeded in (*FOLDER.rglob("__pycache__"), *FOLDER.rglob("tests"), FOLDER / "bin"):
        shutil.rmtree(unneeded, ignore_errors=True)
    if not done:
        print("no version of Python has packages for this platform", file=sys.stderr)
        return 1
    print(f"bundled for Python {', '.join(done)}")
    return 0


def install(version: str, wheel: Path) -> bool:
    """Into a folder of its own, then added to the common one: pip replaces a package it finds installed."""
    with tempfile.TemporaryDirectory() as target:
        options = ["--quiet", "--no-compile", "--only-binary", ":all:", "--python-version", version, "--target", target]
        try:
            pip("install", *options, str(wheel), *BACKPORTS.get(version, ()))
        except subprocess.CalledProcessError:
            return False
        shutil.copytree(target, FOLDER, dirs_exist_ok=True)
    return True


def pip(*arguments: str) -> None:
    subprocess.run([sys.executable, "-m", "pip", "--disable-pip-version-check", *arguments], check=True)


if __name__ == "__main__":
    sys.exit(main())
