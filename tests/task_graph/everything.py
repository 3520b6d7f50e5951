"""One orchestration with everything that a picture can show; the tests of the VS Code extension open it too."""

from __future__ import annotations

from pathlib import Path

TEXT = (Path(__file__).parent / "cases" / "everything.txt").read_text(encoding="utf-8")
