"""Runs the pages of the documentation and writes down what their commands print; ``tests/documentation`` compares."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tests.documentation.pages import rewritten  # noqa: E402


def main() -> None:
    os.environ["PTO_LSP_CACHE_DIR"] = os.path.join(os.devnull, "none")
    for path in sorted((ROOT / "docs").glob("*.md")):
        before = path.read_text(encoding="utf-8")
        with tempfile.TemporaryDirectory() as scratch:
            folder = Path(scratch) / "page"
            folder.mkdir()
            after = rewritten(before, folder)
        if after != before:
            path.write_text(after, encoding="utf-8")
            print(path.name)


if __name__ == "__main__":
    main()
