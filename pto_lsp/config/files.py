"""Configuration files: which one applies to a directory, and what it says where."""

from __future__ import annotations

import os
import re
import sys
from typing import Any

from pto_lsp.config.settings import NOWHERE, Layer, Problem
from pto_lsp.diagnostics import Position, Range

OWN_FILE = "pto-lsp.toml"
SHARED_FILE = "pyproject.toml"
FILE_NAMES = (OWN_FILE, SHARED_FILE)
SECTION = "pto-lsp"


def file_in(directory: str) -> str | None:
    """The configuration file in ``directory`` itself: ``pto-lsp.toml``, else a ``pyproject.toml`` with our table."""
    own = os.path.join(directory, OWN_FILE)
    if os.path.isfile(own):
        return own
    shared = os.path.join(directory, SHARED_FILE)
    if os.path.isfile(shared) and _has_our_table(shared):
        return shared
    return None


def _has_our_table(path: str) -> bool:
    try:
        with open(path, "rb") as file:
            data = file.read()
    except OSError:
        return False
    if SECTION.encode() not in data:
        return False
    try:
        return isinstance(_parsed(data.decode()).get("tool", {}).get(SECTION), dict)
    except (ValueError, AttributeError):
        # It names us but cannot be read: that has to be said, so it counts as ours.
        return True


def load(path: str) -> tuple[Layer, tuple[Problem, ...]]:
    """Read one configuration file. A file that cannot be read gives an empty layer and one problem."""
    root = os.path.dirname(path)
    empty = Layer(path, {}, root, path)
    try:
        with open(path, "rb") as file:
            text = file.read().decode()
        document = _parsed(text)
    except OSError as fault:
        return empty, (Problem(path, NOWHERE, f"cannot be read: {fault.strerror or fault}"),)
    except UnicodeDecodeError:
        return empty, (Problem(path, NOWHERE, "cannot be read: it is not UTF-8"),)
    except ValueError as fault:
        return empty, (_syntax_problem(path, str(fault)),)
    own = os.path.basename(path) == OWN_FILE
    table = document if own else document.get("tool", {}).get(SECTION, {})
    return Layer(path, table, root, path, _key_places(text, "" if own else f"tool.{SECTION}")), ()


def _parsed(text: str) -> dict[str, Any]:
    """Raises the reader's ``TOMLDecodeError``, a `ValueError`."""
    # Imported only where there is something to read: many a run has no configuration.
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    return tomllib.loads(text)


def _syntax_problem(path: str, message: str) -> Problem:
    found = re.search(r"\(at line (\d+), column (\d+)\)", message)
    place = NOWHERE
    if found is not None:
        start = Position(int(found[1]) - 1, int(found[2]) - 1)
        place = Range(start, start)
        message = message[: found.start()].rstrip()
    return Problem(path, place, f"invalid TOML: {message}")


_HEADER = re.compile(r"\s*\[\s*([^\[\]]+?)\s*\]\s*(?:#.*)?$")
_KEY = r"""(?:[A-Za-z0-9_-]+|"[^"]*"|'[^']*')"""
_ASSIGNMENT = re.compile(rf"\s*({_KEY}(?:\s*\.\s*{_KEY})*)\s*=")


def _key_places(text: str, table: str) -> dict[str, Range]:
    """Where each key directly below ``table`` stands: its own assignment, or the header of its sub-table.

    The TOML reader keeps no positions; its text is scanned a second time for the lines that define keys.
    """
    places: dict[str, Range] = {}
    prefix = f"{table}." if table else ""
    current = ""
    for number, line in enumerate(text.split("\n")):
        header = _HEADER.match(line)
        if header is not None:
            current, column, end = _dotted(header[1]), header.start(1), header.end(1)
            full = current
        else:
            assignment = _ASSIGNMENT.match(line)
            if assignment is None:
                continue
            column, end = assignment.span(1)
            name = _dotted(assignment[1])
            full = f"{current}.{name}" if current else name
        if full.startswith(prefix) and full != table:
            key = full[len(prefix) :].split(".")[0]
            places.setdefault(key, Range(Position(number, column), Position(number, end)))
    return places


def _dotted(name: str) -> str:
    return ".".join(part.strip().strip("\"'") for part in name.split("."))
