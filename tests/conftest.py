"""For every test: nothing of the user's own results is read or written; golden files are written anew on demand."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator

import pytest

# Every core already has its tests: threads of matrix products would spin waiting for each other.
for library in ("OPENBLAS", "MKL", "OMP"):
    os.environ.setdefault(f"{library}_NUM_THREADS", "1")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="write what tests compare with files anew")


@pytest.hookimpl(tryfirst=True)
def pytest_collection() -> None:
    gc.disable()


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """Nothing of the tests themselves is ever garbage: no search for it has to go through them."""
    gc.collect()
    gc.freeze()
    gc.enable()


@pytest.fixture(autouse=True, scope="session")
def no_results_of_earlier_runs() -> Iterator[None]:
    # Below a file nothing can be kept. Tests of the cache name a folder of their own.
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PTO_LSP_CACHE_DIR", os.path.join(os.devnull, "none"))
        yield


@pytest.fixture(autouse=True)
def a_collector_for_everyone() -> Iterator[None]:
    """A command switches it off for its own short life, which ends here."""
    yield
    gc.enable()
