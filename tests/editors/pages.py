"""The configurations that the pages of docs/editors/ tell people to copy."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

PAGES = Path(__file__).parents[2] / "docs" / "editors"


def config(page: str, name: str) -> str:
    """The block below the mark ``<!-- config: NAME -->`` of a page."""
    text = (PAGES / page).read_text(encoding="utf-8")
    found = re.search(rf"<!-- config: {re.escape(name)} -->\n```\w+\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    assert found is not None, f"{page} has no block '{name}'"
    return found[1]


def environment(folder: Path) -> dict[str, str]:
    """An environment with the ``pto-lsp`` under test on the path, and nothing of the user's own configuration."""
    bin_folder = folder / "bin"
    bin_folder.mkdir(exist_ok=True)
    command = bin_folder / "pto-lsp"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m pto_lsp "$@"\n')
    command.chmod(0o755)
    home = folder / "home"
    home.mkdir(exist_ok=True)
    root = str(Path(__file__).parents[2])
    return {
        **os.environ,
        "PATH": f"{bin_folder}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": os.pathsep.join(filter(None, (root, os.environ.get("PYTHONPATH")))),
        "HOME": str(home),
        "XDG_CONFIG_HOME": str(home / "config"),
        "XDG_STATE_HOME": str(home / "state"),
        "XDG_DATA_HOME": str(home / "data"),
        "XDG_CACHE_HOME": str(home / "cache"),
    }
