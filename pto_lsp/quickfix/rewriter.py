"""Collects replacements in several files and hands them over as one set of text edits."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol

from pto_lsp.analysis.frontend.module import Module
from pto_lsp.diagnostics import Range, TextEdit


@dataclass(frozen=True, slots=True, order=True)
class Replacement:
    """Code points ``start`` to ``end`` (exclusive) of the file ``path`` become ``text``."""

    path: str
    start: int
    end: int
    text: str


class Modules(Protocol):
    def module(self, path: str) -> Module | None: ...


class Refused(Exception):
    """The fix cannot be written for this source; the text says why."""


class Conflict(Exception):
    """Two parts of one repair want to change the same text."""


class Rewriter:
    """Replacements may touch, not overlap. Insertions at one place keep the order in which they were made."""

    def __init__(self) -> None:
        self._replacements: list[Replacement] = []

    def replace(self, path: str, start: int, end: int, text: str) -> None:
        self._replacements.append(Replacement(path, start, end, text))

    def insert(self, path: str, at: int, text: str) -> None:
        self.replace(path, at, at, text)

    @property
    def paths(self) -> tuple[str, ...]:
        """The files that change."""
        return tuple(sorted({r.path for r in self._replacements}))

    def sorted(self) -> list[Replacement]:
        """By file and place; raises `Conflict` when two overlap."""
        ordered = sorted(self._replacements, key=lambda r: (r.path, r.start, r.end))
        for before, after in pairwise(ordered):
            if before.path == after.path and after.start < before.end:
                raise Conflict
        return ordered

    def applied(self, path: str, text: str) -> str:
        """``text``, the content of ``path``, after the replacements."""
        parts: list[str] = []
        position = 0
        for replacement in self.sorted():
            if replacement.path == path:
                parts += (text[position : replacement.start], replacement.text)
                position = replacement.end
        parts.append(text[position:])
        return "".join(parts)

    def text_edits(self, modules: Modules) -> tuple[TextEdit, ...]:
        """The same as edits with line and column."""
        edits: list[TextEdit] = []
        for replacement in self.sorted():
            module = modules.module(replacement.path)
            assert module is not None
            position = module.document.position
            where = Range(position(replacement.start), position(replacement.end))
            edits.append(TextEdit(replacement.path, where, replacement.text))
        return tuple(edits)
