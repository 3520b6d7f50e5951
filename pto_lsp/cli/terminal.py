"""What the terminal, or whatever stands in its place, can show."""

from __future__ import annotations

import io
import os
from typing import TextIO


def is_terminal(stream: TextIO) -> bool:
    return stream.isatty()


def wants_colour(stream: TextIO) -> bool:
    """``NO_COLOR`` and ``FORCE_COLOR`` (each when not empty) decide, in this order; else whether it is a terminal."""
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or (is_terminal(stream) and os.environ.get("TERM") != "dumb")


def make_printable(stream: TextIO) -> None:
    """What the encoding of ``stream`` cannot carry is written as an escape instead of ending the program."""
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(errors="backslashreplace")
