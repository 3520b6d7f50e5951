"""For every test: nothing of the user's own results is read or written."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True, scope="session")
def no_results_of_earlier_runs() -> Iterator[None]:
    # Below a file nothing can be kept. Tests of the cache name a folder of their own.
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PTO_LSP_CACHE_DIR", os.path.join(os.devnull, "none"))
        yield
