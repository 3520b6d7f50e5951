"""Argument types that several commands share."""

from __future__ import annotations

import argparse
from typing import NamedTuple


class TensorText(NamedTuple):
    """``FP32[128, 64]``, read but not yet understood."""

    dtype: str
    shape: tuple[int, ...]


def positive(text: str) -> int:
    """An argument that is a number from 1. Raises what argparse reports as wrong usage."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"expected a positive number, got {text!r}")
    return int(text)


def named_tensor(text: str) -> tuple[str, TensorText]:
    """An argument ``NAME=DTYPE[EXTENT, ...]``. Raises what argparse reports as wrong usage."""
    name, _, value = text.partition("=")
    dtype, bracket, extents = value.partition("[")
    sizes = extents[:-1].split(",") if bracket and extents.endswith("]") else [""]
    if not name or not dtype.isidentifier() or not all(size.strip().isdecimal() for size in sizes):
        raise argparse.ArgumentTypeError(f"expected NAME=DTYPE[EXTENT, ...], got {text!r}")
    return name, TensorText(dtype, tuple([int(size) for size in sizes]))
