"""What the commands say on standard error."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable

from pto_lsp.config import SettingsResolver
from pto_lsp.config.settings import Problem


def complain(text: str) -> None:
    print(f"pto-lsp: error: {text}", file=sys.stderr)


def note(text: str) -> None:
    print(f"pto-lsp: note: {text}", file=sys.stderr)


def counted(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"


def settings_problems(paths: Iterable[str], resolver: SettingsResolver) -> list[Problem]:
    """Each fault of the configuration of the absolute ``paths`` once, however many of them it applies to."""
    problems: dict[Problem, None] = {}
    for directory in {os.path.dirname(path): None for path in paths}:
        problems.update(dict.fromkeys(resolver.problems(os.path.join(directory, "any"))))
    return list(problems)


def place_of(problem: Problem) -> str:
    start = problem.range.start
    return f"{os.path.relpath(problem.path)}:{start.line + 1}:{start.column + 1}" if problem.path else "command line"
