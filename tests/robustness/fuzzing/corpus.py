"""Real-shaped files to start from: those of the project, generated ones, and what the command line names."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[3]
sys.path.insert(0, str(ROOT / "benchmarks"))

from generate import SIZES, model  # noqa: E402


class Source(NamedTuple):
    """``path`` is where the file is, or would be: its imports are looked for there."""

    path: str
    text: str


def own() -> list[Source]:
    """The examples of the project."""
    return [_read(path) for path in sorted((ROOT / "examples").rglob("*.py"))]


def generated(folder: Path, lines: Sequence[int] = (150, 400, 1000)) -> list[Source]:
    """Generated models; the module that they import is written into ``folder``."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "sizes.py").write_text(SIZES)
    found = [Source(str(folder / "sizes.py"), SIZES)]
    for count in lines:
        for graph in (False, True):
            path = folder / f"{'graph' if graph else 'model'}_{count}.py"
            path.write_text(text := model(count, graph, seed=count))
            found.append(Source(str(path), text))
    return found


def named(paths: Sequence[str]) -> list[Source]:
    """Files, and all Python files in folders, that mention the DSL and are UTF-8."""
    files: list[Path] = []
    for each in map(Path, paths):
        files += sorted(each.rglob("*.py")) if each.is_dir() else [each]
    found = []
    for path in files:
        try:
            source = _read(path.resolve())
        except UnicodeDecodeError:
            continue
        if "pypto" in source.text:
            found.append(source)
    return found


def _read(path: Path) -> Source:
    with path.open(encoding="utf-8", newline="") as file:
        return Source(str(path), file.read())
