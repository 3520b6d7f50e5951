from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest


@pytest.fixture(scope="module")
def only_what_comes() -> Iterator[None]:
    """What other tests have left alive would be looked through each time."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()
