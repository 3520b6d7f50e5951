"""Where the time goes, for those who ask: ``PTO_PROFILE`` in the environment prints phases to standard error.

``PTO_PROFILE='*>50'`` prints every phase of more than 50 milliseconds with its parts above that; ``'*@2>10'`` only
two levels; ``'check|edit>5'`` only phases of these names, which are then the outermost ones. A number alone is a
threshold. Phases are nested by thread. Without the variable a phase costs next to nothing.
"""

from __future__ import annotations

import os
import re
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import NamedTuple

VARIABLE = "PTO_PROFILE"
_FILTER = re.compile(r"(?P<names>[^@>]*)(?:@(?P<depth>\d+))?(?:>(?P<over>\d+(?:\.\d+)?))?")


class Filter(NamedTuple):
    """``names``: of outermost phases, None for all. ``over``: milliseconds."""

    names: frozenset[str] | None
    depth: int
    over: float

    @staticmethod
    def read(text: str) -> Filter | None:
        """None where nothing is asked for. What cannot be understood asks for everything."""
        text = text.strip()
        if not text or text == "0":
            return None
        found = _FILTER.fullmatch(f"*>{text}" if text.replace(".", "", 1).isdecimal() else text)
        if found is None:
            return Filter(None, 100, 0.0)
        names = frozenset(name.strip() for name in found["names"].split("|")) - {"*", ""}
        return Filter(names or None, int(found["depth"] or 100), float(found["over"] or 0.0))


class _Phase:
    """``took`` is in milliseconds."""

    __slots__ = ("detail", "name", "parts", "took")

    def __init__(self, name: str, detail: str) -> None:
        self.name, self.detail = name, detail
        self.took = 0.0
        self.parts: list[_Phase] = []


class _Open(threading.local):
    """The phases that a thread is in, outermost first."""

    def __init__(self) -> None:
        self.phases: list[_Phase] = []


_filter = Filter.read(os.environ.get(VARIABLE, ""))
_open = _Open()


def phase(name: str, detail: str = "") -> AbstractContextManager[None]:
    """Everything in the ``with`` block is a part of ``name``; ``detail`` says which, for people."""
    return nullcontext() if _filter is None else _measured(_filter, name, detail)


@contextmanager
def _measured(wanted: Filter, name: str, detail: str) -> Iterator[None]:
    around = _open.phases
    if not around and wanted.names is not None and name not in wanted.names:
        yield
        return
    measured = _Phase(name, detail)
    if around:
        around[-1].parts.append(measured)
    around.append(measured)
    started = time.perf_counter()
    try:
        yield
    finally:
        measured.took = (time.perf_counter() - started) * 1000
        around.pop()
        if not around:
            lines = list(_lines(measured, wanted, 0))
            if lines:
                print("\n".join(lines), file=sys.stderr, flush=True)


def _lines(measured: _Phase, wanted: Filter, depth: int) -> Iterator[str]:
    if measured.took <= wanted.over or depth >= wanted.depth:
        return
    what = f"{measured.name} {measured.detail}".rstrip()
    yield f"{measured.took:10.1f} ms  {'    ' * depth}{what}"
    for name, parts in _grouped(measured.parts).items():
        if len(parts) == 1:
            yield from _lines(parts[0], wanted, depth + 1)
        else:
            together = _Phase(name, f"({len(parts)} times)")
            together.took = sum(part.took for part in parts)
            together.parts = [inner for part in parts for inner in part.parts]
            yield from _lines(together, wanted, depth + 1)


def _grouped(parts: list[_Phase]) -> dict[str, list[_Phase]]:
    found: dict[str, list[_Phase]] = {}
    for part in parts:
        found.setdefault(part.name, []).append(part)
    return found
