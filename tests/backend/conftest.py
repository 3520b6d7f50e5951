"""Assertions of the helpers show what differs; golden files are written anew with ``--update-golden``."""

from __future__ import annotations

import pytest

pytest.register_assert_rewrite("tests.backend.streams")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="write what tests compare with files anew")
