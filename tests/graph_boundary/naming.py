"""Which statements of the Graph rules a test is about; ``scripts/list_untested_rules.py`` reads it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

F = TypeVar("F")


def rules(*ids: str) -> Callable[[F], F]:
    """Names the rules (``"A9"``, ``"X1"``) that the decorated test would notice being broken."""
    assert all(ids)
    return lambda test: test
