"""How long random searches go on: a third of their way in a run that somebody waits for, all of it in CI."""

from __future__ import annotations

import os

THOROUGH = bool(os.environ.get("PTO_LSP_THOROUGH"))


def examples(count: int) -> int:
    """For ``max_examples``, and for seeds that are tried in turn."""
    return count if THOROUGH else -(-count // 3)
