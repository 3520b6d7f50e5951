"""Argument types that several commands share."""

from __future__ import annotations

import argparse


def positive(text: str) -> int:
    """An argument that is a number from 1. Raises what argparse reports as wrong usage."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"expected a positive number, got {text!r}")
    return int(text)
