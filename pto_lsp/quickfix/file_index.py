"""Which files below a folder mention the DSL: where the callers of a function can be."""

from __future__ import annotations

import os

from pto_lsp.discovery import Exclusion, Missing, SourceError, discover, mentions_dsl, read_bytes

MARKERS = ("pyproject.toml", "pto-lsp.toml", ".git")
FILE_LIMIT = 4000
"""More files than that below one folder are no project; callers in them are not looked for."""


def project_root(path: str) -> str:
    """The nearest folder above ``path`` that looks like a project's, else the folder of the file itself."""
    folder = os.path.dirname(path)
    above = folder
    while True:
        if any(os.path.exists(os.path.join(above, marker)) for marker in MARKERS):
            return above
        parent = os.path.dirname(above)
        if parent == above:
            return folder
        above = parent


class FileIndex:
    """Reads every Python file of a folder once, until it is told of a change."""

    def __init__(self) -> None:
        self._folders: dict[str, tuple[str, ...] | None] = {}

    def forget(self) -> None:
        """Files have come, gone or changed."""
        self._folders.clear()

    def files(self, root: str) -> tuple[str, ...] | None:
        """Absolute paths, sorted; None when there are too many to look at."""
        if root not in self._folders:
            self._folders[root] = _read(root)
        return self._folders[root]


def _read(root: str) -> tuple[str, ...] | None:
    found: list[str] = []
    count = 0
    for file in discover([root], lambda directory: Exclusion(directory, ())):
        if isinstance(file, Missing):
            continue
        count += 1
        if count > FILE_LIMIT:
            return None
        try:
            if mentions_dsl(read_bytes(file.path)):
                found.append(file.path)
        except SourceError:
            continue
    return tuple(sorted(found))
