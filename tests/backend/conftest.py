"""Assertions of the helpers show what differs."""

from __future__ import annotations

import pytest

pytest.register_assert_rewrite("tests.backend.streams")
