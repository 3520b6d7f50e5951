"""What a server for typing has to reach, and what it should: milliseconds unless said otherwise."""

from __future__ import annotations

from typing import NamedTuple


class Goal(NamedTuple):
    """``floor`` is what has to be reached."""

    goal: float
    floor: float

    def verdict(self, value: float) -> str:
        return "goal" if value <= self.goal else "floor" if value <= self.floor else "MISSED"


SERVER: dict[str, dict[int, Goal]] = {
    "start": {0: Goal(250, 550)},
    "cold": {1000: Goal(500, 900)},
    "p50": {1000: Goal(6, 20), 3300: Goal(12, 35)},
    "p95": {1000: Goal(15, 40), 3300: Goal(30, 70)},
    "burst/single": {0: Goal(1.2, 2)},
    "publishes": {0: Goal(2, 3)},
    "action": {0: Goal(3, 15)},
    "MB": {3300: Goal(70, 110)},
}
"""By figure, then by the number of lines that it is for; 0 for any."""
COMMAND_LINE = {
    "file without PyPTO code": Goal(60, 120),
    "one DSL file": Goal(350, 700),
    "many files": Goal(6000, 15000),
    "many files, cached": Goal(300, 600),
}


def for_lines(figure: str, lines: int) -> Goal | None:
    """The goal of a figure for a file of about ``lines`` lines."""
    found = SERVER.get(figure, {})
    near = next((goal for size, goal in found.items() if size and abs(lines - size) < size // 5), None)
    return near or found.get(0)
