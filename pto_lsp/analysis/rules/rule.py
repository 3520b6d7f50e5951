"""What a rule says about itself."""

from __future__ import annotations

from dataclasses import dataclass

from pto_lsp.diagnostics import Position, Range, Severity

OPEN, CLOSE = "⟦", "⟧"


@dataclass(frozen=True, slots=True)
class Example:
    """A complete small program that breaks the rule and the same program put right.

    In ``bad`` the places where the rule reports stand between ⟦ and ⟧; without a mark the rule is not reported by
    ``check`` (``command`` says which command reports it). ``settings`` are what the configuration has to say for it.
    """

    bad: str
    good: str
    settings: tuple[tuple[str, str], ...] = ()
    command: str = "check"


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule with its page. Texts are Markdown; ``summary`` is one sentence without a full stop.

    ``fix`` says what the quick fix does and when it is safe, "" where there is none. ``references`` are other rules or
    places of the documentation worth reading, in words.
    """

    code: str
    name: str
    severity: Severity
    summary: str
    what: str
    why: str
    examples: tuple[Example, ...]
    fix: str = ""
    references: tuple[str, ...] = ()


def unmark(text: str) -> tuple[str, tuple[Range, ...]]:
    """The text without its ⟦ ⟧ marks, and the ranges they enclosed, in order of their ends. Marks may nest."""
    plain: list[str] = []
    ranges: list[Range] = []
    opened: list[Position] = []
    line = column = 0
    for char in text:
        if char == OPEN:
            opened.append(Position(line, column))
        elif char == CLOSE:
            ranges.append(Range(opened.pop(), Position(line, column)))
        else:
            plain.append(char)
            line, column = (line + 1, 0) if char == "\n" else (line, column + 1)
    if opened:
        raise ValueError(f"mark opened at {opened[-1]} is never closed")
    return "".join(plain), tuple(ranges)
