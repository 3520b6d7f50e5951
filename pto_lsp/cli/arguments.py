"""Argument types that several commands share."""

from __future__ import annotations

import argparse
from typing import NamedTuple, Union

Number = Union[int, float, bool]


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


def named_number(text: str) -> tuple[str, Number]:
    """An argument ``NAME=NUMBER``. Raises what argparse reports as wrong usage."""
    name, separator, value = text.partition("=")
    if separator and name:
        if value in ("true", "false"):
            return name, value == "true"
        for read in (int, float):
            try:
                return name, read(value)
            except ValueError:
                continue
    raise argparse.ArgumentTypeError(f"expected NAME=NUMBER, got {text!r}")


def argument(text: str) -> tuple[str, Number | TensorText]:
    """``NAME=NUMBER`` or ``NAME=DTYPE[EXTENT, ...]``. Raises what argparse reports as wrong usage."""
    for read in (named_tensor, named_number):
        try:
            return read(text)
        except argparse.ArgumentTypeError:
            continue
    raise argparse.ArgumentTypeError(f"expected NAME=DTYPE[EXTENT, ...] or NAME=NUMBER, got {text!r}")
