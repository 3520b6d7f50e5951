"""What a fuzzing run has tried, and what went wrong in it."""

from __future__ import annotations

import json
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

LIMIT_SECONDS = 1.0
"""CPU seconds after which one step counts as a hang, unless a cold check of the same files takes longer."""


class Failure(NamedTuple):
    """``seed`` and ``step`` repeat it; ``text`` is what was being looked at."""

    kind: str
    seed: int
    step: int
    what: str
    text: str


@dataclass
class Report:
    """``counts``: what was tried, by name. ``slowest``: CPU seconds of the slowest step, by kind."""

    counts: Counter[str] = field(default_factory=Counter)
    slowest: dict[str, float] = field(default_factory=dict)
    failures: list[Failure] = field(default_factory=list)
    folder: Path | None = None

    def fail(self, kind: str, seed: int, step: int, what: str, text: str = "") -> None:
        failure = Failure(kind, seed, step, what, text)
        self.failures.append(failure)
        if self.folder is not None:
            self.folder.mkdir(parents=True, exist_ok=True)
            name = f"{len(self.failures):03}-{kind}-{seed}-{step}"
            (self.folder / f"{name}.txt").write_text(what, encoding="utf-8", errors="backslashreplace")
            (self.folder / f"{name}.py").write_text(text, encoding="utf-8", errors="surrogatepass", newline="")

    @contextmanager
    def step(self, kind: str, seed: int, number: int, text: str, limit: float | None = LIMIT_SECONDS) -> Iterator[None]:
        """One thing that is tried: an exception in it is a failure, and more than ``limit`` seconds of CPU."""
        self.counts[kind] += 1
        started = time.thread_time()
        try:
            yield
        except Exception:
            self.fail(kind, seed, number, traceback.format_exc(), text)
            return
        took = time.thread_time() - started
        self.slowest[kind] = max(self.slowest.get(kind, 0.0), took)
        if limit is not None and took > limit:
            self.fail(kind, seed, number, f"took {took:.2f} s of CPU", text)

    def summary(self) -> str:
        slowest = {kind: round(seconds, 3) for kind, seconds in sorted(self.slowest.items())}
        counts = dict(sorted(self.counts.items()))
        return json.dumps({"tried": counts, "slowest_seconds": slowest, "failures": len(self.failures)}, indent=2)
