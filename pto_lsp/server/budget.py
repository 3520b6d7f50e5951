"""How long the findings of a document may take before its user is told that pto-lsp is the slow one."""

from __future__ import annotations

from typing import NamedTuple

from pto_lsp.server.outbox import Outbox
from pto_lsp.server.status import Health

WARNING_SECONDS = 0.2
"""For the findings after an edit."""
ERROR_SECONDS = 2.0
"""For any findings, those of a document just opened too."""


class _Overrun(NamedTuple):
    health: Health
    message: str


class TimeBudget:
    """Keeps the state of the part ``time`` of the server; seconds are those of the worker's CPU time."""

    def __init__(self, outbox: Outbox) -> None:
        self._outbox = outbox
        self._overruns: dict[str, _Overrun] = {}

    def spent(self, path: str, name: str, seconds: float, first: bool) -> None:
        """The findings of ``path``, which people call ``name``, took ``seconds``; ``first`` since it was opened."""
        health = Health.OK
        if seconds > ERROR_SECONDS:
            health = Health.ERROR
        elif seconds > WARNING_SECONDS and not first:
            health = Health.WARNING
        if health is Health.OK:
            self.forget(path)
            return
        budget = ERROR_SECONDS if health is Health.ERROR else WARNING_SECONDS
        message = f"checking {name} took {_duration(seconds)}, more than the {_duration(budget)} it may take"
        known = self._overruns.get(path)
        if health is Health.ERROR and (known is None or known.health is not health):
            self._outbox.log(message)
        self._overruns[path] = _Overrun(health, message)
        self._tell()

    def forget(self, path: str) -> None:
        """``path`` is within its budget, or nobody looks at it any more."""
        if self._overruns.pop(path, None) is not None:
            self._tell()

    def _tell(self) -> None:
        worst = max(self._overruns.values(), key=lambda overrun: overrun.health, default=_Overrun(Health.OK, ""))
        self._outbox.state("time", worst.health, worst.message)


def _duration(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds >= 1 else f"{seconds * 1000:.0f} ms"
