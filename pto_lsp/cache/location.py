"""Where results of earlier runs are kept."""

from __future__ import annotations

import os

DIRECTORY_VARIABLE = "PTO_LSP_CACHE_DIR"


def default_directory() -> str | None:
    """Where results are kept: what the environment says, else the user's own cache folder; None without a home."""
    given = os.environ.get(DIRECTORY_VARIABLE)
    if given:
        return os.path.abspath(given)
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return os.path.join(base, "pto-lsp") if os.path.isabs(base) else None
